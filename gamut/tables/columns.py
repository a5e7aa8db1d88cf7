"""Ids, columns and groups of rows of tables, and Arrow's functions on columns.

Ids are `<wave>-<8 digits>`: the ordinal is the row's position in its source block. The ordinal alone says in which
shard (5,000 rows) and in which work slice (100 rows) a row lives, in every table. A slice is also a row group, as in
the published dataset (5,000 rows and 50 row groups a shard). Of several pictures of a prompt the first has the prompt's
id, the others end in `_1`, `_2` and so on, up to `_f`.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import _compute


class _NotInstalled:
    """An import finder for which these packages are not installed."""

    names = ("pandas", *(f"pyarrow._{system}fs" for system in ("azure", "gcs", "h", "s3")))

    @classmethod
    def find_spec(cls, name: str, *_: object) -> None:
        if name in cls.names:
            raise ModuleNotFoundError(name)


# For its first array pyarrow imports pandas, to detect a Series, which takes each stage a quarter of a second. Our
# arrays are made of lists, and a conversion to or from pandas imports it then. pyarrow.parquet also imports
# file systems of four clouds; our files are local.
sys.meta_path.insert(0, _NotInstalled)
pa.array([])
importlib.import_module("pyarrow.parquet")
sys.meta_path.remove(_NotInstalled)


def rows_of(variable: str, usual: int) -> int:
    """Read how many rows a shard or slice holds. Raise ValueError unless it is a whole number above 0."""
    text = os.environ.get(variable) or str(usual)
    if not re.fullmatch("[1-9][0-9]*", text):
        raise ValueError(f"{variable}={text}: a whole number above 0 is expected")
    return int(text)


# The variables are only for tests: ids must be read with the sizes with which they were written.
ROWS_PER_SHARD = rows_of("GAMUT_ROWS_PER_SHARD", 5_000)
ROWS_PER_SLICE = rows_of("GAMUT_ROWS_PER_SLICE", 100)

Row = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])


def table_schema(columns: str, *more: pa.Field) -> pa.Schema:
    """Return a schema of columns with blanks between them: `name` is text, `name:float32` of that type, `name:[string]`
    a list, `name:image` a picture.
    """
    pairs = (column.partition(":") for column in columns.split())
    return pa.schema([*(pa.field(name, type_named(kind)) for name, _, kind in pairs), *more])


def published_schema(fields: Sequence[pa.Field]) -> pa.Schema:
    """Return a schema with the Hub's metadata, so that `datasets` and the dataset viewer show images."""
    features = {
        field.name: {"_type": "Image"} if field.type == IMAGE else {"dtype": str(field.type), "_type": "Value"}
        for field in fields
    }
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


def type_named(kind: str) -> pa.DataType:
    if kind.startswith("["):
        return pa.list_(type_named(kind[1:-1]))
    return IMAGE if kind == "image" else pa.type_for_alias(kind or "string")


REPLIES = pa.list_(pa.struct(table_schema("fingerprint finish content input_tokens:int32 output_tokens:int32")))

ASKED = list(table_schema("status reason model", pa.field("replies", REPLIES)))
"""Columns of every asked row: status, why it is not `ok` (or what is odd about one that is), and the provenance: model
id and the replies as they came. A reply that is an image has no content there: a usable one is the row's own image."""

ANSWERED_BY = ("model", "replies")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return all values of each key, with keys and values in their first order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def make_id(wave: str, ordinal: int) -> str:
    return f"{wave}-{ordinal:08d}"


def sample_id(row_id: str, sample: int) -> str:
    """Return the id of a picture of a prompt. Its number is one hexadecimal digit, so that ids stay in order."""
    return f"{row_id}_{sample:x}" if sample else row_id


def prompt_id(row_id: str) -> str:
    """Return the id that a picture's row has in the tables up to its prompt."""
    return row_id[:-2] if row_id[-2:-1] == "_" else row_id


def place(row_id: str) -> tuple[str, int]:
    """Return the shard's name, and the slice's number within it."""
    wave, _, digits = prompt_id(row_id).rpartition("-")
    ordinal = int(digits)
    return f"{wave}-{ordinal // ROWS_PER_SHARD:05d}", ordinal % ROWS_PER_SHARD // ROWS_PER_SLICE


def wave_of(name: str) -> str:
    """Return the wave of an id or of a shard."""
    return name.rpartition("-")[0]


def compute(function: str, *arguments: Any) -> Any:
    """Call one of Arrow's functions by name. The import of `pyarrow.compute` wraps all 286 of them, which takes as long
    as the rest of a step.
    """
    return _compute.call_function(function, list(arguments))


def sum_of(column: pa.ChunkedArray) -> int:
    """Return the sum of a column; for booleans, how many are true."""
    return int(compute("sum", column).as_py() or 0)


def count_values(column: pa.ChunkedArray) -> dict[Any, int]:
    """Return how often each value occurs in a column, null too."""
    return {one["values"]: one["counts"] for one in compute("value_counts", column).to_pylist()}


def count_distinct(column: pa.ChunkedArray) -> int:
    return int(compute("count_distinct", column).as_py())
