"""Numbers, lists and tables in words, for whoever reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def amount(number: int, thing: str) -> str:
    """`1 thing`, `2 things`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first `most` of some names, and how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; whole numbers with separators."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells))
