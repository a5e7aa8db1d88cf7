"""Tables and foreign text as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamut.project.plain_text import harmless_text


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = [[f"{cell:,}" if isinstance(cell, int) else in_cell(str(cell)) for cell in row] for row in (head, *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (cells[0], ["---"] * len(head), *cells[1:]))


def in_cell(markdown: str) -> str:
    """Return Markdown that does not end a table's cell: each bar has an odd number of backslashes before it."""
    return re.sub(r"(\\*)\|", lambda bar: bar[1] + "\\" * (1 + len(bar[1]) % 2) + "|", harmless_text(markdown))


INLINE = re.compile(
    r"[`*]|(?<![^\W_])_|_(?![^\W_])"  # an underscore between letters is one
    r"|\\(?=[!-/:-@\[-`{-~])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:])"
)
BLOCK = re.compile(r"^(\s*)(?:(?=>|#+(?:\s|$)|-(?:[-\s]|$)|\+(?:\s|$)|~~~)|(\d+)(?=[.)](?:\s|$)))")
"""The start of a line that makes a quotation, heading, rule, list or block of code of it."""


def escape_markdown(text: str) -> str:
    """Return a foreign text as one line of Markdown that shows it without emphasis, code, HTML, links or lists."""
    return BLOCK.sub(r"\1\2\\", INLINE.sub(r"\\\g<0>", harmless_text(text)))


def code_span(text: str) -> str:
    """Return a foreign text as code within a line of Markdown, with any backticks in it."""
    text = harmless_text(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    blank = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{blank}{text}{blank}{fence}"
