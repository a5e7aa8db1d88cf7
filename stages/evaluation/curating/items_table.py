"""Items as a Parquet table, to be looked at: a column a field, and one for whatever else they have."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson
import pyarrow as pa

from stages.evaluation.defining.editions import Item
from stages.project.files import write_whole
from stages.tables.writing import parquet_writer

NAME = "items.parquet"
OTHERS = "others"
"""The column of what no field names, as JSON."""


def write(items: Sequence[Item], folder: Path) -> Path:
    """Write items, in order, below a folder; return where. Ids are texts; what items leave out is null."""
    table = table_of(items)
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch, NAME)
        with parquet_writer(whole, table.schema) as writer:
            writer.write_table(table)
        write_whole(folder / NAME, whole.read_bytes())
    return folder / NAME


def table_of(items: Sequence[Item]) -> pa.Table:
    fields = type(items[0]).model_fields if items else Item.model_fields
    rows = [item.model_dump(mode="json") for item in items]
    columns = {name: pa.array([row[name] for row in rows]) for name in fields if name != "id"}
    others = [orjson.dumps(item.model_extra, option=orjson.OPT_SORT_KEYS).decode() for item in items]
    return pa.table({"id": pa.array([str(item.id) for item in items], pa.string())} | columns | {OTHERS: others})
