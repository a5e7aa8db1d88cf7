"""Phase three of the filter, decided: which candidates become part of the dataset, and why the others do not.

Every kept prompt has exactly one row here. What people reject who look at the pictures is left out too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from stages.dataset.shared.joins import Rule, by_id, decide_all, strings, table_of
from stages.dataset.shared.parameters import Params, Select
from stages.dataset.shared.reviewed import EXCLUDED, read_reviews
from stages.project.stage import main
from stages.tables.columns import Row

SCHEMA = pa.schema(
    [*strings("id"), pa.field("kept", pa.bool_()), *strings("reason"), pa.field("categories", pa.list_(pa.string()))]
)


def select(params: Params) -> None:
    reviews = read_reviews()

    def rule_of(shard: str) -> Rule:
        admitted, categories, typography = (
            by_id(table, shard) for table in (table_of("admit"), table_of("categorize"), table_of("proofread"))
        )
        excluded = reviews.excluded(shard)
        return lambda candidate: decide(candidate, admitted, categories, typography, params.select, excluded)

    decide_all(table_of("synthesize"), table_of("select"), SCHEMA, ["id", "status"], rule_of)
    if told := reviews.told():
        print(f"select: {told}")


def decide(
    candidate: Row,
    admitted: Mapping[str, Row],
    categories: Mapping[str, Row],
    typography: Mapping[str, Row],
    lowest: Select,
    excluded: Collection[str] = (),
) -> Row:
    """Decide about a candidate by the first of the phases that it did not pass, and by people."""
    row_id = candidate["id"]
    labels = categories.get(row_id, {"categories": []})["categories"]
    reason: str | None
    if candidate["status"] != "ok":
        reason = f"synthesize_{candidate['status']}"
    elif not admitted[row_id]["admitted"]:
        reason = admitted[row_id]["reason"]
    elif categories[row_id]["reason"]:
        reason = categories[row_id]["reason"]
    elif "text" in labels:
        reason = typographic_fault(typography[row_id], lowest)
    else:
        reason = None
    if reason is None and row_id in excluded:
        reason = EXCLUDED
    return {"id": row_id, "kept": reason is None, "reason": reason, "categories": labels}


def typographic_fault(row: Row, lowest: Select) -> str | None:
    if row["status"] != "ok":
        return f"proofread_{row['status']}"
    for name in ("contrast", "letterforms", "sense"):
        if row[f"score_{name}"] < getattr(lowest, name):
            return f"typography_{name}"
    return None


if __name__ == "__main__":
    main("select", select, Params)
