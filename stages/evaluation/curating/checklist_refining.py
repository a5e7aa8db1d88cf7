"""A checklist without duplicates: inverted questions are marked, compound ones named."""

from __future__ import annotations

from collections.abc import Sequence

from stages.evaluation.checklists import compound, duplicates, inverted
from stages.evaluation.curating.checklist_lines import Line, written
from stages.tables.columns import Row

COUNTED = ("written", "removed", "inverted", "compound", "keywords_wanted", "keywords_covered")


def refined(keywords: Sequence[str], questions: Sequence[Row]) -> Row:
    """Return the `checklist` of questions (`question`, `about`, `keyword`) in lines, `remarks` on what a person should
    look at, and counts. Nothing is split or turned round.
    """
    asked = [Line(one["about"], one["question"], inverted(one["question"]), one["keyword"]) for one in questions]
    repeated = {later for _, later in duplicates([f"[{line.about}] {line.question}" for line in asked])}
    kept = [line for number, line in enumerate(asked) if number not in repeated]
    double = [number for number, line in enumerate(kept, start=1) if compound(line.question)]
    lacking = [keyword for keyword in keywords if keyword not in {line.keyword for line in asked}]
    remarks = [
        *(f"question {number} asks more than one thing" for number in double),
        *(f"no question is about {keyword!r}" for keyword in lacking),
        *(f"removed, as it is asked before: {written(asked[number])}" for number in sorted(repeated)),
    ]
    counts = (
        *(len(asked), len(repeated), sum(line.inverted for line in kept), len(double)),
        *(len(keywords), len(keywords) - len(lacking)),
    )
    lines = {"checklist": "\n".join(map(written, kept)), "remarks": "\n".join(remarks)}
    return lines | dict(zip(COUNTED, counts, strict=True))
