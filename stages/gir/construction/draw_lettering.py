"""Puzzles of what is written, as cases of an edition (section 3.2)."""

import sys
from pathlib import Path

from stages.gir.construction.lettering import letterings, read_pools
from stages.gir.construction.tables import drawn_row, seed_for, slots_of
from stages.gir.shared.parameters import Params
from stages.project.stage import main


def draw_lettering(params: Params, edition: str) -> None:
    """Draw the cases of an edition."""
    propose = params.gir.propose
    cases = letterings(seed_for(params, edition), propose.drafts.text, read_pools(Path(propose.pools)))
    rows = [drawn_row("text", number, case.prompt, {"lettering": case.text}) for number, case in enumerate(cases)]
    slots_of(params, edition).write("draw_lettering", rows)


if __name__ == "__main__":
    main("gir.draw_lettering", draw_lettering, Params, *sys.argv[1:])
