"""Tables of scores as a terminal shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from gamut.project.plain_text import harmless_text

WIDE = 1000
"""Characters: more than any table has."""
NAME = 15
"""Characters of a name or heading that stay on one line if a table is too wide."""


def print_cells(title: str, notes: Sequence[str], head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print texts as a table, with numbers on the right."""
    caption = escape("\n".join(map(harmless_text, notes))) or None
    table = Table(title=escape(title) or None, title_justify="left", caption=caption, caption_justify="left")
    for name, column in zip(head, zip(*rows, strict=True), strict=True) if rows else ():
        numbers = all(cell[:1].isdigit() or cell[:1] in "+-–" for cell in column)
        table.add_column(name, justify="right" if numbers else "left", no_wrap=numbers, overflow="fold")
    for row in rows:
        table.add_row(*(escape(harmless_text(cell)) for cell in row))
    print_table(table)


def print_table(table: Table) -> None:
    """Print a whole table: in parts if the terminal is too narrow, and with its full width into a file."""
    console = Console()
    width = Console(width=WIDE).measure(table).maximum
    if width <= console.width or not console.is_terminal:
        Console(width=max(width, console.width)).print(table)
        return
    for part in table_parts(table, console.width):
        Console(width=max(least_width(part), console.width)).print(part)
    if table.caption:
        console.print(table.caption, style="table.caption")


def table_parts(table: Table, width: int) -> Iterator[Table]:
    """Yield tables of at most so many characters, if columns allow it. Each repeats the columns of names."""
    if least_width(whole := narrow_table(table, table.columns, WIDE)) <= width:
        whole.title = table.title
        yield whole
        return
    names = list(takewhile(lambda column: column.justify != "right", table.columns))
    left, title = table.columns[len(names) :], table.title
    while True:
        more = [narrow_table(table, [*names, *left[:n]], NAME) for n in range(1, max(2, len(left) + 1))]
        count = max((n for n, part in enumerate(more, 1) if least_width(part) <= width), default=1)
        more[count - 1].title = title
        yield more[count - 1]
        left, title = left[count:], None
        if not left:
            return


def least_width(table: Table) -> int:
    return Console(width=WIDE).measure(table).minimum


def narrow_table(table: Table, columns: Sequence[Column], most: int) -> Table:
    found = Table(title_justify=table.title_justify, box=SIMPLE_HEAD, pad_edge=False, show_footer=table.show_footer)
    found.collapse_padding = True
    for column in columns:
        name = break_name(str(column.header), most)
        lines = [line for cell in (name, *column.cells) for line in str(cell).split("\n")]
        whole = max(map(cell_len, lines)) if column.no_wrap else None
        found.add_column(name, column.footer, justify=column.justify, no_wrap=column.no_wrap, min_width=whole)
    for row, cells in zip(table.rows, zip(*(column.cells for column in columns), strict=True), strict=True):
        shown = (break_name(cell, most) if isinstance(cell, str) and " " not in cell else cell for cell in cells)
        found.add_row(*shown, end_section=row.end_section)
    return found


def break_name(name: str, most: int) -> str:
    lines = [""]
    for word in re.findall(r"[^._\n]*[._]+|[^._\n]+|\n", name):
        if word == "\n" or (lines[-1] and len(lines[-1]) + len(word) > most):
            lines.append("")
        lines[-1] += word.strip("\n")
    return "\n".join(lines)
