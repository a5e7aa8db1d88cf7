"""The distinct seed prompts that the writer is shown, spread over the families as evenly as possible (FLUX-Reason-6M,
2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from gamut.dataset.shared.joins import table_of
from gamut.pipeline.steps import Decides, StepParameters, say_decisions, start
from gamut.project import places
from gamut.project.errors import UserError
from gamut.project.parameters import NearDuplicates
from gamut.project.validation import Strict
from gamut.tables.columns import Row, make_id, place, table_schema
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from gamut.texts.near_duplicate_search import find_near_duplicates


class Seeds(Strict):
    """How many seed prompts are kept, spread evenly over the families."""

    count: Annotated[int, Field(ge=1)]


SCHEMA = table_schema("id family prompt kept:bool reason duplicate_of")


def seeds(params: StepParameters) -> None:
    columns = ["family", "position", "prompt", "status"]
    # families take turns
    candidates = sorted(read_rows(table_of("brainstorm"), columns), key=lambda row: row["position"])
    rows = decide(candidates, params.seeds.count, params.near_duplicates.similarity)
    kept = sum(row["kept"] for row in rows)
    if candidates and kept < params.seeds.count:
        raise UserError(
            f"only {kept} of {len(rows)} seed prompts can be used, but seeds.count needs {params.seeds.count}: "
            "raise brainstorm.prompts_per_family in params.yaml, or lower seeds.count"
        )
    with TableWriter(table_of("seeds"), SCHEMA) as table:
        table.write(place(make_id("seeds", 0))[0], rows)
    say_decisions(table_of("seeds"))


def decide(candidates: Sequence[Row], count: int, similarity: float) -> list[Row]:
    """Keep the first `count` seed prompts that resemble no earlier one; the others get the reason why not."""
    usable = [number for number, row in enumerate(candidates) if row["status"] == "ok"]
    prompts = [candidates[number]["prompt"] for number in usable]
    found = find_near_duplicates(prompts, similarity, places.TREE_FOLDER / "scratch" / "seeds")
    rows = [
        {"id": make_id("seeds", number), "family": row["family"], "prompt": row["prompt"]}
        | {"kept": False, "reason": f"brainstorm_{row['status']}", "duplicate_of": None}
        for number, row in enumerate(candidates)
    ]
    kept = 0
    for position, number in enumerate(usable):
        reason, of = found.reason(position), found.of[position]
        if reason is None:
            kept += 1
            reason = "surplus" if kept > count else None
        duplicate_of = rows[usable[of]]["id"] if of >= 0 else None
        rows[number] |= {"kept": reason is None, "reason": reason, "duplicate_of": duplicate_of}
    return rows


STEP = Decides(
    "seeds",
    run=seeds,
    reads="datasets/brainstorm",
    schema=SCHEMA,
    parameters={"seeds": Seeds, "near_duplicates": NearDuplicates},
    of="seed prompt",
)

if __name__ == "__main__":
    start(STEP)
