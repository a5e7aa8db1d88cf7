"""The seed prompts that the writer is shown: distinct ones, as evenly over the families as there are.

FLUX-Reason-6M, section 2.2, has 200. Every one that was left out keeps its reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from stages import settings
from stages.dataset.joins import BRAINSTORM, SEEDS, Decisions
from stages.errors import UserError
from stages.near_duplicates import find_near_duplicates
from stages.params import Params
from stages.stage import main
from stages.tables import Row, make_id, place, read_rows

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("family", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("kept", pa.bool_()),
        pa.field("reason", pa.string()),
        pa.field("duplicate_of", pa.string()),
    ]
)


def seeds(params: Params) -> None:
    """Decide about every seed prompt; a UserError when fewer are left than `seeds.count`."""
    columns = ["family", "position", "prompt", "status"]
    candidates = sorted(read_rows(BRAINSTORM, columns), key=lambda row: row["position"])  # families take turns
    rows = decide(candidates, params.seeds.count, params.near_duplicates.similarity)
    kept = sum(row["kept"] for row in rows)
    if candidates and kept < params.seeds.count:
        raise UserError(
            f"{kept} distinct seed prompts are left of {len(rows)}, seeds.count wants {params.seeds.count}: "
            "raise brainstorm.prompts_per_family in params.yaml, or lower seeds.count"
        )
    with Decisions(SEEDS, SCHEMA) as table:
        table.write(place(make_id("seeds", 0))[0], rows)


def decide(candidates: Sequence[Row], count: int, similarity: float) -> list[Row]:
    """Keep the first `count` seed prompts that resemble no earlier one; say of the others why not."""
    usable = [row["prompt"] for row in candidates if row["status"] == "ok"]
    found = find_near_duplicates([usable], similarity, settings.store_root() / "scratch" / "seeds")
    ids = [make_id("seeds", number) for number in range(len(candidates))]
    usable_ids = [row_id for row_id, row in zip(ids, candidates, strict=True) if row["status"] == "ok"]
    reasons: dict[str, tuple[str, str | None]] = {}
    for row_id, of, exact in zip(usable_ids, found.of, found.exact, strict=True):
        if of >= 0:
            reasons[row_id] = ("duplicate" if exact else "near_duplicate", usable_ids[of])
    distinct = [row_id for row_id in usable_ids if row_id not in reasons]
    reasons |= dict.fromkeys(distinct[count:], ("surplus", None))
    rows = []
    for row_id, row in zip(ids, candidates, strict=True):
        failed = (f"brainstorm_{row['status']}", None) if row["status"] != "ok" else (None, None)
        reason, duplicate_of = reasons.get(row_id, failed)
        decision = {"kept": reason is None, "reason": reason, "duplicate_of": duplicate_of}
        rows.append({"id": row_id, "family": row["family"], "prompt": row["prompt"]} | decision)
    return rows


if __name__ == "__main__":
    main("seeds", seeds)
