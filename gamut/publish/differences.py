"""What differs between two versions: which rows were added, removed or changed, and in which columns.

Files that both versions have are never opened. Of every other file each cell is hashed, 100 rows at a time: until the
end only the hashes stay, 8 bytes a cell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gamut.project.errors import UserError
from gamut.tables.columns import ROWS_PER_SLICE
from gamut.tables.reading import readable

MISSING = ...
"""Stands in a cell that a row does not have at all, which a null is not."""
KEY = "\0"
"""Names the ids of rows, as texts, in a table of hashes: no column of rows is called so."""
NO_ROWS = pa.table({KEY: pa.array([], pa.string())})
Kinds = Mapping[str, Collection[str]]
"""Types of every column, nulls apart: more than one where files differ."""


@dataclass(frozen=True)
class Part:
    """A file of rows. `open` brings it here; the file is done with before the next is opened."""

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
        """The counts of every wave in which anything differs, in order of their names."""
        added, removed, changed = (Counter(map(wave_of, ids)) for ids in (self.added, self.removed, self.changed))
        return {wave: Counts(added[wave], removed[wave], changed[wave]) for wave in sorted(added | removed | changed)}


def wave_of(row_id: str) -> str:
    return row_id.rpartition("-")[0]


def find_differences(first: Sequence[Part], second: Sequence[Part]) -> Differences:
    """Compare two versions; rows are matched by id, in whatever files they stand. UserError for an id that stands
    twice.
    """
    common = {part.sha256 for part in first} & {part.sha256 for part in second}
    unlike, others = ([part for part in parts if part.sha256 not in common] for parts in (first, second))
    (one, kinds), (other, other_kinds) = hash_rows("first", unlike), hash_rows("second", others)
    added, removed, retyped = columns_between(kinds, other_kinds)
    there = pc.index_in(one[KEY], value_set=other[KEY])
    before, after = one.filter(pc.is_valid(there)), other.take(there.drop_null())
    compared = (name for name in sorted(kinds.keys() & other_kinds.keys()) if name not in retyped)
    changed = {name: column_hashes(before, name) != column_hashes(after, name) for name in compared}
    in_any = np.logical_or.reduce([np.zeros(len(before), np.bool_), *changed.values()])
    return Differences(
        first_rows=sum(part.rows for part in first),
        second_rows=sum(part.rows for part in second),
        added=ids_not_in(other, one),
        removed=ids_not_in(one, other),
        changed=sorted(before[KEY].filter(pa.array(in_any)).to_pylist()),
        changed_cells={name: int(rows.sum()) for name, rows in changed.items() if rows.any()},
        added_columns=added,
        removed_columns=removed,
        retyped=retyped,
        files=len({part.name for part in (*unlike, *others)}),
    )


def ids_not_in(one: pa.Table, other: pa.Table) -> list[str]:
    return sorted(one[KEY].filter(pc.invert(pc.is_in(one[KEY], value_set=other[KEY]))).to_pylist())


def column_hashes(table: pa.Table, name: str) -> NDArray[np.int64]:
    """Of rows from a file without the column the hash of MISSING."""
    if name not in table.column_names:
        return np.full(len(table), value_hash(MISSING), np.int64)
    found: NDArray[np.int64] = table[name].fill_null(value_hash(MISSING)).to_numpy()
    return found


def hash_rows(which: str, parts: Sequence[Part]) -> tuple[pa.Table, Kinds]:
    """Ids of rows with the hash of each cell, and the types of their columns. `which`: of the two versions."""
    kinds: dict[str, set[str]] = defaultdict(set)
    rows = pa.concat_tables([NO_ROWS, *(hash_parquet(part.open(), kinds) for part in parts)], promote_options="default")
    for row_id, times in Counter(rows[KEY].to_pylist()).most_common(1):
        if times > 1:
            raise UserError(f"id {row_id!r} stands twice in the {which} version: its rows cannot be matched")
    return rows, kinds


def hash_parquet(path: Path, kinds: dict[str, set[str]]) -> pa.Table:
    """Hash every cell of a Parquet file, and add the types of its columns to `kinds`."""
    with readable(path), pq.ParquetFile(path, pre_buffer=False) as file:  # else its images all stay in memory
        schema = file.schema_arrow
        if "id" not in schema.names:
            raise UserError(f"{path}: there is no column id: its rows cannot be matched")
        for field_ in schema:
            kinds[field_.name] |= set() if pa.types.is_null(field_.type) else {str(field_.type)}
        read = [NO_ROWS]
        for batch in file.iter_batches(batch_size=ROWS_PER_SLICE):
            columns = {name: hash_array(one.to_pylist()) for name, one in zip(schema.names, batch.columns, strict=True)}
            read.append(pa.table({KEY: batch["id"].cast(pa.string())} | columns))
        rows = pa.concat_tables(read, promote_options="default")
    if rows[KEY].null_count:
        raise UserError(f"{path}: there are rows without an id in it, which cannot be matched")
    return rows


def hash_array(values: Sequence[Any]) -> pa.Array:
    return pa.array(map(value_hash, values), pa.int64())


def value_hash(value: Any) -> int:
    """64 bits of a value: in this process the same for equal values, and by a chance of 2^-64 for unlike ones."""
    if isinstance(value, bytes):
        return hash(value)
    if isinstance(value, dict):
        value = {key: value_hash(value[key]) for key in sorted(value)}
    elif isinstance(value, list):
        value = [value_hash(one) for one in value]
    return hash(repr(value))  # not of the value: -1 and -2 have the same hash, and 1 and True


def columns_between(first: Kinds, second: Kinds) -> tuple[list[str], list[str], dict[str, tuple[str, str]]]:
    """Columns added, removed, and of another type: with no type of value in common (nulls have none)."""
    if not first or not second:
        return [], [], {}
    retyped = {
        name: (" or ".join(sorted(first[name])), " or ".join(sorted(second[name])))
        for name in first
        if name in second and first[name] and second[name] and not set(first[name]) & set(second[name])
    }
    return [name for name in second if name not in first], [name for name in first if name not in second], retyped
