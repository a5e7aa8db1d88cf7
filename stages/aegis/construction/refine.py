"""Checklists without duplicates; inverted questions are marked (section 3.3)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import slots_of
from stages.evaluation.curating.checklist_lines import Line, duplicates, written
from stages.project.stage import main
from stages.tables.columns import Row

COUNTED = ("written", "removed", "inverted", "keywords_wanted", "keywords_covered")


def refined(keywords: Sequence[str], questions: Sequence[Row]) -> Row:
    """Return the `checklist` in lines, `remarks` for a person, and counts. Nothing is split or turned round."""
    asked = [Line(one["about"], one["question"], one["inverted"], one["keyword"]) for one in questions]
    repeated = {later for _, later in duplicates([f"[{line.about}] {line.question}" for line in asked])}
    kept = [line for number, line in enumerate(asked) if number not in repeated]
    lacking = [keyword for keyword in keywords if keyword not in {line.keyword for line in asked}]
    remarks = [
        *(f"no question is about {keyword!r}" for keyword in lacking),
        *(f"removed, as it is asked before: {written(asked[number])}" for number in sorted(repeated)),
    ]
    counts = (
        *(len(asked), len(repeated), sum(line.inverted for line in kept)),
        *(len(keywords), len(keywords) - len(lacking)),
    )
    lines = {"checklist": "\n".join(map(written, kept)), "remarks": "\n".join(remarks)}
    return lines | dict(zip(COUNTED, counts, strict=True))


def refine(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)
    rows = slots.usable("extract", "check")
    slots.write(
        "refine", [{"id": row["id"], "status": "ok"} | refined(row["keywords"], row["questions"]) for row in rows]
    )


if __name__ == "__main__":
    main("aegis.refine", refine, Params, *sys.argv[1:])
