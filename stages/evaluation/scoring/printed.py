"""Tables of scores as a terminal shows them."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

WIDE = 1000
"""Characters: more than any table has."""


def show(table: Table) -> None:
    """Print a table whole: rather lines that a narrow terminal breaks than columns without their content."""
    width = Console(width=WIDE).measure(table).maximum
    Console(width=max(width, Console().width)).print(table)
