"""Tables and the words of others as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamut.project.plain_text import harmless_text


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = [[f"{cell:,}" if isinstance(cell, int) else in_cell(str(cell)) for cell in row] for row in (head, *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (cells[0], ["---"] * len(head), *cells[1:]))


def in_cell(markdown: str) -> str:
    """Markdown that does not end a table's cell: its bars have an odd number of backslashes before them."""
    return re.sub(r"(\\*)\|", lambda bar: bar[1] + "\\" * (1 + len(bar[1]) % 2) + "|", harmless_text(markdown))


def escape_markdown(text: str) -> str:
    """Return a text of others as one line of Markdown that shows it: no code, HTML, links or pictures."""
    return re.sub(r"`|\\(?=[!-/:-@\[-`{-~])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:])", r"\\\g<0>", harmless_text(text))


def code_span(text: str) -> str:
    """Return a text of others as code within a line of Markdown, whatever backticks it has."""
    text = harmless_text(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    blank = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{blank}{text}{blank}{fence}"
