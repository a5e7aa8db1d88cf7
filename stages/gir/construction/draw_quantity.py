"""Puzzles of how many, as cases of an edition (section 3.2)."""

import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.gir.construction.equations import Equation
from stages.gir.construction.quantity import Quantity, quantities, read_pools
from stages.gir.construction.tables import drawn_row, seed_for, slots_of
from stages.gir.construction.words import Thing
from stages.gir.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row

ABSENT = 3
"""Things that are looked for though nobody asked for them: so a picture full of everything is not right."""


def draw_quantity(params: Params, edition: str) -> None:
    """Draw the cases of an edition."""
    propose = params.gir.propose
    seed, pools = seed_for(params, edition), read_pools(Path(propose.pools))
    cases = quantities(seed, propose.drafts.quantity, pools)
    rows = [row_of(number, case, pools.things, seed) for number, case in enumerate(cases)]
    slots_of(params, edition).write("draw_quantity", rows)


def row_of(number: int, case: Quantity, things: Mapping[str, Thing], seed: int) -> Row:
    """Return a case as a row."""
    proof = [in_words(one, case.objects) for one in case.equations]
    absent = unasked(case.objects, things, random.Random(f"absent {seed} {number}"))
    own = {"objects": case.objects, "numbers": case.number, "absent": absent, "proof": proof}
    return drawn_row("quantity", number, case.prompts["en"], own)


def unasked(objects: Sequence[str], things: Mapping[str, Thing], chance: random.Random) -> list[str]:
    """Draw things that nobody asked for, of other groups than what is asked for: no detector finds a bird in a duck."""
    groups = {things[name].group for name in objects}
    others = [name for name, thing in things.items() if thing.group not in groups]
    return chance.sample(others, min(ABSENT, len(others)))


def in_words(equation: Equation, objects: tuple[str, ...]) -> str:
    """Return an equation as people write it: `4 cat + 2 duck = 12`."""
    terms = [f"{weight:+d} {thing}" for weight, thing in zip(equation.weights, objects, strict=True) if weight]
    return f"{' '.join(terms).removeprefix('+')} = {equation.total}"


if __name__ == "__main__":
    main("gir.draw_quantity", draw_quantity, Params, *sys.argv[1:])
