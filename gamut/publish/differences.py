"""What differs between two versions: which rows were added, removed or changed, and in which columns.

Files that both versions have are never opened. In every other file each cell is hashed, 100 rows at a time; only the
hashes stay in memory, 8 bytes per cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gamut.project.errors import UserError
from gamut.tables.columns import ROWS_PER_SLICE, wave_of
from gamut.tables.reading import parquet_errors_in_one_line

KEY = "\0"
"""The column of row ids, as texts, in a table of hashes: no column of rows has this name."""
NO_ROWS = pa.table({KEY: pa.array([], pa.string())})
Types = Mapping[str, str]
"""Types of columns by name; empty if no file was opened."""


@dataclass(frozen=True)
class Part:
    """A file of rows. `open` brings it here; only one file is open at a time."""

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
    """How a second version differs from a first. A column that one version lacks, or that has another type (`retyped`:
    first and second type), changes no row. `files` is the number of files with different bytes.
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
        """Whether both have the same rows in the same columns, in any files and order."""
        return not (
            self.added or self.removed or self.changed or self.added_columns or self.removed_columns or self.retyped
        )

    @property
    def kinds(self) -> dict[str, Sequence[str]]:
        """The ids of added, removed and changed rows."""
        return {"added": self.added, "removed": self.removed, "changed": self.changed}

    @property
    def waves(self) -> dict[str, Counts]:
        """The counts of every wave with differences, in order of their names."""
        waves = [Counter(wave_of(row_id.partition(" ")[0]) for row_id in ids) for ids in self.kinds.values()]
        return {wave: Counts(*(counts[wave] for counts in waves)) for wave in sorted(set().union(*waves))}


def find_differences(first: Sequence[Part], second: Sequence[Part], by: Sequence[str] = ("id",)) -> Differences:
    """Compare two versions; rows are matched `by` these columns, in any files. UserError for a row named twice."""
    common = {part.sha256 for part in first} & {part.sha256 for part in second}
    unlike, others = ([part for part in parts if part.sha256 not in common] for parts in (first, second))
    (one, types), (other, other_types) = hash_rows("first", unlike, by), hash_rows("second", others, by)
    both = sorted(types.keys() & other_types.keys())
    retyped = {name: (types[name], other_types[name]) for name in both if types[name] != other_types[name]}
    there = pc.index_in(one[KEY], value_set=other[KEY])
    before, after = one.filter(pc.is_valid(there)), other.take(there.drop_null())
    compared = (name for name in both if name not in retyped)
    changed = {name: before[name].to_numpy() != after[name].to_numpy() for name in compared}
    in_any = np.logical_or.reduce([np.zeros(len(before), np.bool_), *changed.values()])
    return Differences(
        first_rows=sum(part.rows for part in first),
        second_rows=sum(part.rows for part in second),
        added=ids_not_in(other, one),
        removed=ids_not_in(one, other),
        changed=sorted(before[KEY].filter(pa.array(in_any)).to_pylist()),
        changed_cells={name: int(rows.sum()) for name, rows in changed.items() if rows.any()},
        added_columns=[name for name in other_types if types and name not in types],
        removed_columns=[name for name in types if other_types and name not in other_types],
        retyped=retyped,
        files=len({part.name for part in (*unlike, *others)}),
    )


def ids_not_in(one: pa.Table, other: pa.Table) -> list[str]:
    return sorted(one[KEY].filter(pc.invert(pc.is_in(one[KEY], value_set=other[KEY]))).to_pylist())


def hash_rows(which: str, parts: Sequence[Part], by: Sequence[str]) -> tuple[pa.Table, Types]:
    """Return the names of rows with the hash of each cell, and the types of columns, which all files of a version
    share. `which` names the version in messages.
    """
    tables, types = [NO_ROWS], dict[str, str]()
    for part in parts:
        # With buffering, all images of the file would stay in memory.
        with parquet_errors_in_one_line(path := part.open()), pq.ParquetFile(path, pre_buffer=False) as file:
            schema = file.schema_arrow
            types = {column.name: str(column.type) for column in schema}
            for rows in chain([schema.empty_table()], file.iter_batches(batch_size=ROWS_PER_SLICE)):
                hashes = {name: pa.array(map(value_hash, rows[name].to_pylist()), pa.int64()) for name in types}
                ids = zip(*(map(str, rows[name].to_pylist()) for name in by), strict=True)
                tables.append(pa.table({KEY: pa.array(map(" ".join, ids), pa.string())} | hashes))
    whole = pa.concat_tables(tables, promote_options="default")
    for row_id, times in Counter(whole[KEY].to_pylist()).most_common(1):
        if times > 1:
            raise UserError(f"id {row_id!r} occurs twice in the {which} version: its rows cannot be matched")
    return whole, types


def value_hash(value: Any) -> int:
    """Return a 64-bit hash, valid in this process: equal for equal values, and with chance 2^-64 for different ones."""
    if isinstance(value, bytes):
        return hash(value)
    if isinstance(value, dict):
        value = {key: value_hash(value[key]) for key in sorted(value)}
    elif isinstance(value, list):
        value = [value_hash(one) for one in value]
    return hash(repr(value))  # not of the value: -1 and -2 have the same hash, and 1 and True
