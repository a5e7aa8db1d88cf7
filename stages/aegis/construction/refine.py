"""Checklists without duplicates; inverted questions are marked (section 3.3)."""

import sys

from stages.aegis.construction.tables import slots_of
from stages.aegis.shared.parameters import Params
from stages.evaluation.curating.checklist_lines import refined
from stages.project.stage import main


def refine(params: Params, edition: str) -> None:
    """Refine every checklist."""
    slots = slots_of(params, edition)
    rows = slots.usable("extract", "check")
    slots.write(
        "refine", [{"id": row["id"], "status": "ok"} | refined(row["keywords"], row["questions"]) for row in rows]
    )


if __name__ == "__main__":
    main("aegis.refine", refine, Params, *sys.argv[1:])
