"""What sources yield before it is checked, and the columns it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stages.dataset.shared.parameters import Columns
from stages.project.errors import UserError, nearest

ROWS_AT_ONCE = 16
"""How many rows of Parquet are read at once: they may be images of megabytes each."""


class Found(NamedTuple):
    """One row as a source holds it: nothing is checked, anything may be missing or of a wrong type."""

    caption: object = None
    image: object = None
    source_id: object = None


FoundRow = Found | str
"""A row as found, or a sentence that says why it cannot be read."""
Cells = dict[str, Any] | str
"""A row by column, or such a sentence."""


def mapped(columns: Columns) -> list[str]:
    """Return names of the columns that are read, each once."""
    names = (columns.caption, columns.image, columns.source_id)
    return list(dict.fromkeys(name for name in names if name is not None))


def picked(columns: Columns, row: Mapping[str, Any]) -> Found:
    """Return what a row holds in the columns that are read; NaN, which pandas puts where nothing is, is nothing."""
    names = (columns.caption, columns.image, columns.source_id)
    values = (None if name is None else row.get(name) for name in names)
    return Found(*(None if isinstance(value, float) and math.isnan(value) else value for value in values))


def require_columns(where: Path | str, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raise UserError, which opens with `where`, for the first wanted column that is not known, or known twice."""
    known = list(known)
    for name in wanted:
        if name not in known:
            raise UserError(f"{where}: there is no column {name!r}{nearest(name, known)}")
        if known.count(name) > 1:
            raise UserError(f"{where}: {known.count(name)} columns are called {name!r}: rename all but one")
