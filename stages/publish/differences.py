"""What differs between two versions: which rows were added, removed or changed, and in which columns.

Files that both versions have are never opened. Of every other file each cell is hashed, 100 rows at a time, and hashes
stay while the file and the one of the same name in the other version are compared: until the end only those of rows
that are not in both. So files of the same names, however many, take the memory of one pair.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stages.evaluation.defining.editions import Item, read_items
from stages.project.errors import UserError
from stages.tables.columns import ROWS_PER_SLICE
from stages.tables.reading import readable

MISSING = ...
"""Stands in a cell that a row does not have at all, which a null is not."""
JSON_KINDS = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
KEY = "\0"
"""Names the ids of rows, as texts, in a table of hashes: no column of rows is called so."""
NO_ROWS = pa.table({KEY: pa.array([], pa.string())})
Kinds = Mapping[str, Collection[str]]
"""Types of the values of every column, nulls apart: one of Parquet, maybe more of JSON."""


@dataclass(frozen=True)
class Part:
    """A file of rows. `open` brings it here; it is called once at most, and the file is done with before the next is
    opened.
    """

    name: str
    sha256: str
    rows: int
    open: Callable[[], Path]


class Counts(NamedTuple):
    added: int
    removed: int
    changed: int


@dataclass(frozen=True)
class Differences:
    """How a second version differs from a first. Columns that one version lacks or has in another type (`retyped`:
    first and second type) change no row. `files`: how many differ in their bytes.
    """

    first_rows: int
    second_rows: int
    added: Sequence[str] = field(default_factory=list)
    removed: Sequence[str] = field(default_factory=list)
    changed: Sequence[str] = field(default_factory=list)
    changed_cells: Mapping[str, int] = field(default_factory=dict)
    added_columns: Sequence[str] = field(default_factory=list)
    removed_columns: Sequence[str] = field(default_factory=list)
    retyped: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    files: int = 0

    @property
    def same(self) -> bool:
        """Whether both have the same rows in the same columns, in whatever files and order."""
        return not (
            self.added or self.removed or self.changed or self.added_columns or self.removed_columns or self.retyped
        )

    @property
    def waves(self) -> dict[str, Counts]:
        """The counts of every wave (or track of an edition) in which anything differs, in order of their names."""
        added, removed, changed = (Counter(map(wave_of, ids)) for ids in (self.added, self.removed, self.changed))
        return {wave: Counts(added[wave], removed[wave], changed[wave]) for wave in sorted(added | removed | changed)}


def wave_of(row_id: str) -> str:
    """Return the track of `imagination/0`, the wave of `text-00000007`, "" for an id without either."""
    return row_id.partition("/")[0] if "/" in row_id else row_id.rpartition("-")[0]


def differences(first: Sequence[Part], second: Sequence[Part]) -> Differences:
    """Compare two versions; rows are matched by id, in whatever files they stand. UserError for an id that stands
    twice.
    """
    ours, theirs = Side("first", first, second), Side("second", second, first)
    changes, only_ours, only_theirs = [NO_ROWS], [NO_ROWS], [NO_ROWS]
    for name in dict.fromkeys([*ours.unlike, *theirs.unlike]):
        one, other = ours.read(name), theirs.read(name)
        changes.append(changed_rows(one, other))
        only_ours.append(rows_not_in(one, other))
        only_theirs.append(rows_not_in(other, one))
    ours.require_unique()
    theirs.require_unique()
    one, other = together(only_ours), together(only_theirs)  # a row may stand in a file of another name
    changes.append(changed_rows(one, other))

    added, removed, retyped = columns_between(ours.kinds, theirs.kinds)
    changed, apart = together(changes), {KEY, *added, *removed, *retyped}
    cells = {name: changed[name].fill_null(False) for name in changed.column_names if name not in apart}
    any_cell = reduce(pc.or_, cells.values(), pa.chunked_array([pa.repeat(False, len(changed))]))
    counts = {name: pc.sum(unlike).as_py() or 0 for name, unlike in cells.items()}
    return Differences(
        first_rows=sum(part.rows for part in first),
        second_rows=sum(part.rows for part in second),
        added=sorted(rows_not_in(other, one)[KEY].to_pylist()),
        removed=sorted(rows_not_in(one, other)[KEY].to_pylist()),
        changed=sorted(changed[KEY].filter(any_cell).to_pylist()),
        changed_cells={name: counts[name] for name in sorted(counts) if counts[name]},
        added_columns=added,
        removed_columns=removed,
        retyped=retyped,
        files=len({*ours.unlike, *theirs.unlike}),
    )


def together(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables, promote_options="default")


def rows_not_in(one: pa.Table, other: pa.Table) -> pa.Table:
    return one.filter(pc.invert(pc.is_in(one[KEY], value_set=other[KEY])))


def changed_rows(one: pa.Table, other: pa.Table) -> pa.Table:
    """Return ids of rows that are not the same in both, and for each column whether it is another; a column that one
    lacks is.
    """
    there = pc.index_in(one[KEY], value_set=other[KEY])
    one, other = one.filter(pc.is_valid(there)), other.take(there.drop_null())
    names = dict.fromkeys([*one.column_names, *other.column_names])
    unlike = {name: column(one, name) != column(other, name) for name in names if name != KEY}
    whole = pa.table({KEY: one[KEY]} | {name: pa.array(cells) for name, cells in unlike.items()})
    return whole.filter(pa.array(np.logical_or.reduce([*unlike.values(), np.zeros(len(one), np.bool_)])))


def column(table: pa.Table, name: str) -> Any:
    if name not in table.column_names:
        return np.full(len(table), hashed(MISSING), np.int64)
    return table[name].fill_null(hashed(MISSING)).to_numpy()


def unlike(parts: Sequence[Part], others: Sequence[Part]) -> list[Part]:
    """Return the files of a version that the other does not have: no other one is ever opened."""
    common = {part.sha256 for part in others}
    return [part for part in parts if part.sha256 not in common]


class Side:
    """One of the two versions: its files that the other does not have, and what was found in those read so far."""

    def __init__(self, which: str, parts: Sequence[Part], others: Sequence[Part]) -> None:
        self.which = which
        names = Counter(part.name for part in parts)
        contents = Counter(part.sha256 for part in parts if part.rows)
        for part in parts:
            if names[part.name] > 1 or contents[part.sha256] > 1:
                raise UserError(f"{part.name}: the {which} version has this file twice: its rows cannot be told apart")
        self.unlike = {part.name: part for part in unlike(parts, others)}
        self.kinds: dict[str, set[str]] = defaultdict(set)
        self.ids: dict[str, pa.ChunkedArray] = {}

    def read(self, name: str) -> pa.Table:
        part = self.unlike.get(name)
        if part is None:
            return NO_ROWS
        read = read_edition if name.endswith(".jsonl") else read_parquet
        rows = read(part.open(), self.kinds)
        if len(rows) != part.rows:
            raise UserError(
                f"{name}: the {self.which} version says that it has {part.rows:,} rows, and it has {len(rows):,}"
            )
        self.ids[name] = rows[KEY]
        return rows

    def require_unique(self) -> None:
        ids = pa.chunked_array((chunk for ids in self.ids.values() for chunk in ids.chunks), pa.string())
        if pc.count_distinct(ids).as_py() == len(ids):
            return
        counts = ids.value_counts()
        twice = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")[0].as_py()
        names = " and ".join(name for name, ids in self.ids.items() if pc.index(ids, twice).as_py() >= 0)
        raise UserError(f"{names}: id {twice!r} stands twice in the {self.which} version: its rows cannot be matched")


def read_parquet(path: Path, kinds: dict[str, set[str]]) -> pa.Table:
    """Hash every cell of a Parquet file, and add the types of its columns to `kinds`."""
    with readable(path), pq.ParquetFile(path, pre_buffer=False) as file:  # else its images all stay in memory
        schema = file.schema_arrow
        if "id" not in schema.names:
            raise UserError(f"{path}: there is no column id: its rows cannot be matched")
        for field_ in schema:
            kinds[field_.name] |= set() if pa.types.is_null(field_.type) else {str(field_.type)}
        read = [NO_ROWS]
        for batch in file.iter_batches(batch_size=ROWS_PER_SLICE):
            cells = {name: hashes(cells.to_pylist()) for name, cells in zip(schema.names, batch.columns, strict=True)}
            read.append(pa.table({KEY: batch["id"].cast(pa.string())} | cells))
        rows = together(read).combine_chunks()
    if rows[KEY].null_count:
        raise UserError(f"{path}: there are rows without an id in it, which cannot be matched")
    return rows


def read_edition(path: Path, kinds: dict[str, set[str]]) -> pa.Table:
    """Hash every value of an edition's items, and add the kinds of values of each key to `kinds`."""
    items = item_values(path)
    for item in items:
        for name, value in item.items():
            kinds[name] |= set() if value is None else {JSON_KINDS[type(value)]}
    names = dict.fromkeys(name for item in items for name in item)
    cells = {name: hashes([item.get(name, MISSING) for item in items]) for name in names}
    return pa.table({KEY: pa.array([str(item["id"]) for item in items], pa.string())} | cells)


def item_values(path: Path) -> list[dict[str, Any]]:
    """Return the items of an edition as plain values, the keys that each has alone."""
    return [item.model_dump(mode="json", exclude_unset=True) for item in read_items(path, Item)]


def hashes(values: Sequence[Any]) -> pa.Array:
    return pa.array(map(hashed, values), pa.int64())


def hashed(value: Any) -> int:
    """64 bits of a value: in this process the same for equal values, and by a chance of 2^-64 for unlike ones."""
    if isinstance(value, bytes):
        return hash(value)
    if isinstance(value, dict):
        value = {key: hashed(value[key]) for key in sorted(value)}
    elif isinstance(value, list):
        value = [hashed(one) for one in value]
    return hash(repr(value))  # not of the value: -1 and -2 have the same hash, and 1 and True


def columns_between(first: Kinds, second: Kinds) -> tuple[list[str], list[str], dict[str, tuple[str, str]]]:
    """Return columns added, removed, and of another type (no type of value in common; nulls have none)."""
    if not first or not second:
        return [], [], {}
    retyped = {
        name: (" or ".join(sorted(first[name])), " or ".join(sorted(second[name])))
        for name in first
        if name in second and first[name] and second[name] and not set(first[name]) & set(second[name])
    }
    return [name for name in second if name not in first], [name for name in first if name not in second], retyped
