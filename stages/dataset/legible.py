"""Which source images hold text clear enough to be described (FLUX-Reason-6M, section 2.2, mining)."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from stages.dataset.shared.joins import decide_all, strings, table_of
from stages.dataset.shared.parameters import Legible, Params
from stages.project.stage import main
from stages.tables.columns import Row

SCHEMA = pa.schema([*strings("id"), pa.field("legible", pa.bool_()), *strings("reason")])


def legible(params: Params) -> None:
    """Decide about every image that was searched for text."""
    columns = ["id", "score_legibility", "status"]
    decide_all(
        table_of("find_text"), table_of("legible"), SCHEMA, columns, lambda _: partial(decide, lowest=params.legible)
    )


def decide(row: Row, lowest: Legible) -> Row:
    if row["status"] != "ok":
        reason = f"find_text_{row['status']}"
    elif row["score_legibility"] < lowest.legibility:
        reason = "legibility"
    else:
        reason = None
    return {"id": row["id"], "legible": reason is None, "reason": reason}


if __name__ == "__main__":
    main("legible", legible, Params)
