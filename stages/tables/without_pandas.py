"""Keep pyarrow from importing pandas, which takes a quarter of a second of each stage.

At the first array that it makes, pyarrow imports pandas in order to see whether it was given a Series. Ours are made of
lists. Who converts a table from or to pandas nevertheless has it imported then; before that, a Series given to
`pyarrow.array` is taken for any other sequence.
"""

from __future__ import annotations

import sys

import pyarrow as pa


class _Hidden:
    """A finder to which no pandas is installed."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def hide_pandas_from_pyarrow() -> None:
    """Have pyarrow make its first array while pandas cannot be found."""
    sys.meta_path.insert(0, _Hidden)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_Hidden)
