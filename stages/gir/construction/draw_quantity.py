"""Puzzles of how many, as cases of an edition (section 3.2)."""

import sys
from pathlib import Path

from stages.gir.construction.equations import Equation
from stages.gir.construction.quantity import Quantity, quantities, read_pools
from stages.gir.construction.tables import drawn_row, seed_for, slots_of
from stages.gir.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def draw_quantity(params: Params, edition: str) -> None:
    """Draw the cases of an edition."""
    propose = params.gir.propose
    cases = quantities(seed_for(params, edition), propose.drafts.quantity, read_pools(Path(propose.pools)))
    slots_of(params, edition).write("draw_quantity", [row_of(number, case) for number, case in enumerate(cases)])


def row_of(number: int, case: Quantity) -> Row:
    """Return a case as a row."""
    proof = [in_words(one, case.objects) for one in case.equations]
    own = {"objects": case.objects, "numbers": case.number, "proof": proof}
    return drawn_row("quantity", number, case.prompts["en"], own)


def in_words(equation: Equation, objects: tuple[str, ...]) -> str:
    """Return an equation as people write it: `4 cat + 2 duck = 12`."""
    terms = [f"{weight:+d} {thing}" for weight, thing in zip(equation.weights, objects, strict=True) if weight]
    return f"{' '.join(terms).removeprefix('+')} = {equation.total}"


if __name__ == "__main__":
    main("gir.draw_quantity", draw_quantity, Params, *sys.argv[1:])
