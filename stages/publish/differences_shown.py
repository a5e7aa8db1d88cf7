"""`gamut diff`: what differs between two versions, for a person or for a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stages.project.plain_text import amount, first_of, harmless
from stages.publish.differences import Differences

MOST_IDS = 20
"""So many ids of each kind stand in the JSON."""
EXAMPLES = 5
"""So many are shown to a person."""


def as_json(found: Differences) -> dict[str, Any]:
    """Return the differences in plain values: every count, and the first ids of each kind."""
    return {
        "same": found.same,
        "rows": {"first": found.first_rows, "second": found.second_rows},
        **{
            kind: {"count": len(ids), "ids": list(ids[:MOST_IDS])}
            for kind, ids in (("added", found.added), ("removed", found.removed), ("changed", found.changed))
        },
        "changed_cells": dict(found.changed_cells),
        "added_columns": list(found.added_columns),
        "removed_columns": list(found.removed_columns),
        "retyped_columns": {name: list(types) for name, types in found.retyped.items()},
        "waves": {wave: counts._asdict() for wave, counts in found.waves.items()},
        "files": found.files,
    }


def summary(found: Differences, first: str, second: str) -> str:
    """Return one sentence: `v0.1.0 → v0.2.0: 12 rows added, 3 removed, 7 changed of 297`."""
    both = f"{first} → {second}"
    if found.same:
        files = f", though {amount(found.files, 'file')} differ{'s' * (found.files == 1)}" if found.files else ""
        return f"{both}: nothing changed in {amount(found.first_rows, 'row')}{files}"
    rows = listed({"added": found.added, "removed": found.removed, "changed": found.changed}, "row")
    columns = {"added": found.added_columns, "removed": found.removed_columns, "of another type": list(found.retyped)}
    said = [f"{rows} of {found.first_rows:,}" if rows else f"{amount(found.first_rows, 'row')} as before"]
    said += [listed(columns, "column")] if any(columns.values()) else []
    return f"{both}: {'; '.join(said)}"


def listed(kinds: dict[str, Sequence[str]], noun: str) -> str:
    """Return kinds of which there are any, with their numbers: `1 row added, 2 changed`."""
    counts = [(len(ids), kind) for kind, ids in kinds.items() if ids]
    first = [f"{amount(count, noun)} {kind}" for count, kind in counts[:1]]
    return ", ".join(first + [f"{count:,} {kind}" for count, kind in counts[1:]])


def show(found: Differences, first: str, second: str) -> None:
    """Print the differences for a person: a sentence, columns, waves, and a few ids of each kind."""
    print(summary(found, first, second))
    columns = [(name, f"{count:,}") for name, count in by_count(found)]
    columns += [(name, "new column") for name in found.added_columns]
    columns += [(name, "column is gone") for name in found.removed_columns]
    columns += [(name, f"{one} → {other}, not compared") for name, (one, other) in found.retyped.items()]
    show_table(("column", "changed cells"), columns)
    kinds = {"added": found.added, "removed": found.removed, "changed": found.changed}
    if any(waves := found.waves):  # ids may name none
        place = "track" if any("/" in row_id for ids in kinds.values() for row_id in ids[:1]) else "wave"
        rows = [(wave, *(f"{count:,}" for count in counts)) for wave, counts in waves.items()]
        show_table((place, *kinds), rows)
    for kind, ids in kinds.items():
        if ids:
            print(harmless(f"{kind}: {first_of(ids, EXAMPLES)}"))


def by_count(found: Differences) -> list[tuple[str, int]]:
    return sorted(found.changed_cells.items(), key=lambda column: -column[1])


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table whose first column is text; nothing without rows."""
    if not rows:
        return
    table = Table()
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", overflow="fold")
    for name, *values in rows:
        table.add_row(*(escape(harmless(cell)) for cell in (name, *values)))
    Console(soft_wrap=False).print(table)
