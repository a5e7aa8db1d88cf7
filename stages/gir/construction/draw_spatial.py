"""Puzzles of where, as cases of an edition (section 3.2)."""

import sys
from pathlib import Path

from stages.gir.construction.spatial import Spatial, read_pools, spatials
from stages.gir.construction.tables import drawn_row, seed_for, slots_of
from stages.gir.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def draw_spatial(params: Params, edition: str) -> None:
    """Draw the cases of an edition."""
    propose = params.gir.propose
    cases = spatials(seed_for(params, edition), propose.drafts.spatial, read_pools(Path(propose.pools)))
    slots_of(params, edition).write("draw_spatial", [row_of(number, case) for number, case in enumerate(cases)])


def row_of(number: int, case: Spatial) -> Row:
    """Return a case as a row; a label names the colour where the case has colours."""
    groups = labels_of(case)
    relations = [
        {"subject": groups[a], "direction": direction, "object": groups[b]} for a, direction, b in case.relations()
    ]
    proof = {
        "layout": [*case.layout],
        "places": [[*groups[thing], *place] for thing, place in enumerate(case.arrangement)],
        "facts": [[fact.kind, *(" and ".join(groups[thing]) for thing in fact.things)] for fact in case.facts],
    }
    objects = [label for group in groups for label in group]
    own = {"objects": objects, "relations": relations, "proof": proof}
    return drawn_row("spatial", number, case.prompts["en"], own)


def labels_of(case: Spatial) -> list[list[str]]:
    """Return the labels of what has a place of its own, in order."""
    if not case.colours:
        return [[*things] for things in case.objects]
    return [[f"{colour} {things[0]}"] for colour, things in zip(case.colours, case.objects, strict=True)]


if __name__ == "__main__":
    main("gir.draw_spatial", draw_spatial, Params, *sys.argv[1:])
