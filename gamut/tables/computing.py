"""Arrow's functions, called by name: `pyarrow.compute` wraps all 286 of them as it is imported, which takes each step
as long as all else that it does.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow import _compute


def computed(function: str, *arguments: Any) -> Any:
    return _compute.call_function(function, list(arguments))


def total(column: pa.ChunkedArray) -> int:
    """Return the sum of a column's numbers, or how often it says true."""
    return int(computed("sum", column).as_py() or 0)


def distinct(column: pa.ChunkedArray) -> int:
    return int(computed("count_distinct", column).as_py())
