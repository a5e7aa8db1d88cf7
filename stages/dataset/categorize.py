"""Phase two of the filter, decided: each characteristic whose score reaches its threshold (FLUX-Reason-6M, section
2.3).
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from stages.dataset.shared.joins import decide_all, strings, table_of
from stages.dataset.shared.parameters import CHARACTERISTICS, Categorize, Params
from stages.project.stage import main
from stages.tables.columns import Row

SCHEMA = pa.schema(
    [*strings("id"), pa.field("categories", pa.list_(pa.string())), pa.field("text", pa.bool_()), *strings("reason")]
)


def categorize(params: Params) -> None:
    columns = ["id", "status", *(f"score_{name}" for name in CHARACTERISTICS)]
    decide_all(
        table_of("score"), table_of("categorize"), SCHEMA, columns, lambda _: partial(decide, lowest=params.categorize)
    )


def decide(row: Row, lowest: Categorize) -> Row:
    if row["status"] != "ok":
        return {"id": row["id"], "categories": [], "text": False, "reason": f"score_{row['status']}"}
    found = [name for name in CHARACTERISTICS if row[f"score_{name}"] >= getattr(lowest, name)]
    reason = None if found else "no_category"
    return {"id": row["id"], "categories": found, "text": "text" in found, "reason": reason}


if __name__ == "__main__":
    main("categorize", categorize, Params)
