"""What differs between two versions: which rows were added, removed or changed, and in which columns.

Files that both versions have are never opened. Of every other file each cell is hashed, 100 rows at a time, and hashes
stay while the file and the one of the same name in the other version are compared: until the end only those of rows
that are not in both. What stays of 6 million rows in 1,200 files of the same names is 1.5 GB, were each row changed
2.3 GB; in files of other names, where every hash has to be kept, 9 GB.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
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


@dataclass(frozen=True)
class Part:
    """A file of rows of a version: its name in the project's folder (`.parquet` or `.jsonl`), sha256, number of rows.

    `open` brings the file here and says where it lies. It is called once at most, and the file is done with before the
    next is opened.
    """

    name: str
    sha256: str
    rows: int
    open: Callable[[], Path]


class Counts(NamedTuple):
    """Rows that were added, removed and changed."""

    added: int
    removed: int
    changed: int


@dataclass(frozen=True)
class Differences:
    """How a second version differs from a first.

    Ids are sorted, numbers among them as texts. Columns that only one version has, and columns of another type
    (`retyped`: column → first and second type), change no row; `changed_cells` counts, for each of the others that has
    any, the changed cells of rows that both versions have. `files`: how many files differ in their bytes.
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
        """Return whether both have the same rows in the same columns, in whatever files and order."""
        return not (
            self.added or self.removed or self.changed or self.added_columns or self.removed_columns or self.retyped
        )

    @property
    def waves(self) -> dict[str, Counts]:
        """Return the counts of every wave (or track of an edition) in which anything differs, in order of
        their names.
        """
        added, removed, changed = (Counter(map(wave_of, ids)) for ids in (self.added, self.removed, self.changed))
        return {wave: Counts(added[wave], removed[wave], changed[wave]) for wave in sorted(added | removed | changed)}


def wave_of(row_id: str) -> str:
    """Return where a row belongs: the track of `imagination/0`, the wave of `text-00000007`; "" for an id without
    either.
    """
    return row_id.partition("/")[0] if "/" in row_id else row_id.rpartition("-")[0]


def differences(first: Sequence[Part], second: Sequence[Part]) -> Differences:
    """Compare two versions, row by row and column by column; rows are matched by id, in whatever files they stand.

    A UserError in one line for a file that cannot be read, or an id that stands twice in the files that are opened.
    """
    ours, theirs = Side("first", first, second), Side("second", second, first)
    changes: list[Changes] = []
    for name in dict.fromkeys([*ours.unlike, *theirs.unlike]):
        one, other = ours.read(name), theirs.read(name)
        changes.append(changes_between(one, other))
        ours.rest.append(one.without(other))
        theirs.rest.append(other.without(one))
    ours.require_unique()
    theirs.require_unique()
    one, other = joined(ours.rest), joined(theirs.rest)
    changes.append(changes_between(one, other))

    added, removed, retyped = columns_between(ours.kinds, theirs.kinds)
    changed, cells = counted(changes, {*added, *removed, *retyped})
    return Differences(
        first_rows=sum(part.rows for part in first),
        second_rows=sum(part.rows for part in second),
        added=sorted(other.ids.filter(other.not_in(one)).to_pylist()),
        removed=sorted(one.ids.filter(one.not_in(other)).to_pylist()),
        changed=sorted(changed),
        changed_cells=dict(sorted(cells.items())),
        added_columns=added,
        removed_columns=removed,
        retyped=retyped,
        files=len({*ours.unlike, *theirs.unlike}),
    )


@dataclass(frozen=True)
class Hashes:
    """Rows: their ids (texts), and for every column a hash of each row's cell."""

    ids: pa.Array
    cells: dict[str, npt.NDArray[np.int64]]

    def column(self, name: str) -> npt.NDArray[np.int64]:
        """Return the hashes of a column, which the rows may not have."""
        return self.cells[name] if name in self.cells else np.full(len(self.ids), hashed(MISSING), np.int64)

    def not_in(self, other: Hashes) -> pa.BooleanArray:
        """For each row whether `other` does not have it."""
        return pc.invert(pc.is_in(self.ids, value_set=other.ids))

    def without(self, other: Hashes) -> Hashes:
        """Return the rows that `other` does not have."""
        own = self.not_in(other)
        chosen = own.to_numpy(zero_copy_only=False)
        return Hashes(self.ids.filter(own), {name: cells[chosen] for name, cells in self.cells.items()})


NO_ROWS = Hashes(pa.array([], pa.string()), {})


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
        self.ids: dict[str, pa.Array] = {}
        self.rest: list[Hashes] = []

    def read(self, name: str) -> Hashes:
        """Return the rows of one of its files; none where it has no such file."""
        part = self.unlike.get(name)
        if part is None:
            return NO_ROWS
        read = read_edition if name.endswith(".jsonl") else read_parquet
        rows = read(part.open(), self.kinds)
        if len(rows.ids) != part.rows:
            raise UserError(
                f"{name}: the {self.which} version says that it has {part.rows:,} rows, and it has {len(rows.ids):,}"
            )
        self.ids[name] = rows.ids
        return rows

    def require_unique(self) -> None:
        """Raise UserError for an id that stands twice in the files that were read."""
        ids = pa.chunked_array(self.ids.values(), pa.string())
        if pc.count_distinct(ids).as_py() == len(ids):
            return
        counts = ids.value_counts()
        twice = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")[0].as_py()
        names = " and ".join(name for name, ids in self.ids.items() if pc.index(ids, twice).as_py() >= 0)
        raise UserError(f"{names}: id {twice!r} stands twice in the {self.which} version: its rows cannot be matched")


Kinds = Mapping[str, Collection[str]]
"""Types of the values of every column, nulls apart: one of Parquet, maybe more of JSON."""


def read_parquet(path: Path, kinds: dict[str, set[str]]) -> Hashes:
    """Hash every cell of a Parquet file, and add the types of its columns to `kinds`."""
    with readable(path), pq.ParquetFile(path, pre_buffer=False) as file:  # else its images all stay in memory
        schema = file.schema_arrow
        if "id" not in schema.names:
            raise UserError(f"{path}: there is no column id: its rows cannot be matched")
        for column in schema:
            kinds[column.name] |= set() if pa.types.is_null(column.type) else {str(column.type)}
        ids, cells = [], {name: [np.empty(0, np.int64)] for name in schema.names}
        for batch in file.iter_batches(batch_size=ROWS_PER_SLICE):
            ids.append(batch["id"].cast(pa.string()))
            for name, column in zip(schema.names, batch.columns, strict=True):
                cells[name].append(hashes(column.to_pylist()))
        if any(chunk.null_count for chunk in ids):
            raise UserError(f"{path}: there are rows without an id in it, which cannot be matched")
    return Hashes(together(ids), {name: np.concatenate(chunks) for name, chunks in cells.items()})


def read_edition(path: Path, kinds: dict[str, set[str]]) -> Hashes:
    """Hash every value of an edition's items, and add the kinds of values of each key to `kinds`."""
    items = item_values(path)
    for item in items:
        for name, value in item.items():
            kinds[name] |= set() if value is None else {JSON_KINDS[type(value)]}
    names = dict.fromkeys(name for item in items for name in item)
    ids = pa.array([str(item["id"]) for item in items], pa.string())
    return Hashes(ids, {name: hashes([item.get(name, MISSING) for item in items]) for name in names})


def item_values(path: Path) -> list[dict[str, Any]]:
    """Return the items of an edition as plain values, the keys that each has alone."""
    return [item.model_dump(mode="json", exclude_unset=True) for item in read_items(path, Item)]


def hashes(values: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return a hash of each value."""
    return np.fromiter(map(hashed, values), np.int64, len(values))


def hashed(value: Any) -> int:
    """64 bits of a value: in this process the same for equal values, and by a chance of 2^-64 for unlike ones."""
    if isinstance(value, bytes):
        return hash(value)
    if isinstance(value, dict):
        value = {key: hashed(value[key]) for key in sorted(value)}
    elif isinstance(value, list):
        value = [hashed(one) for one in value]
    return hash(repr(value))  # not of the value: -1 and -2 have the same hash, and 1 and True


def together(ids: Sequence[pa.Array]) -> pa.Array:
    """Return ids in one array."""
    return pa.concat_arrays([NO_ROWS.ids, *ids])


def joined(parts: Sequence[Hashes]) -> Hashes:
    """Return rows of many files as one; the parts are used up."""
    cells: dict[str, npt.NDArray[np.int64]] = {}
    for name in dict.fromkeys(name for part in parts for name in part.cells):
        cells[name] = np.concatenate([part.column(name) for part in parts])
        for part in parts:
            part.cells.pop(name, None)
    return Hashes(together([part.ids for part in parts]), cells)


class Changes(NamedTuple):
    """Changed rows: ids, names of columns, and for each row and column whether it was changed."""

    ids: pa.Array
    columns: Sequence[str]
    unlike: npt.NDArray[np.bool_]


def changes_between(one: Hashes, other: Hashes) -> Changes:
    """Return the rows that both have, with another cell in any column; a column that one of them lacks is unlike."""
    found = pc.index_in(one.ids, value_set=other.ids)
    here = np.flatnonzero(found.is_valid())
    there = found.drop_null().to_numpy()
    columns = list(dict.fromkeys([*one.cells, *other.cells]))
    unlike = np.empty((len(here), len(columns)), np.bool_)
    for number, name in enumerate(columns):
        unlike[:, number] = one.column(name)[here] != other.column(name)[there]
    changed = unlike.any(axis=1)
    return Changes(one.ids.take(here[changed]), columns, unlike[changed])


def columns_between(first: Kinds, second: Kinds) -> tuple[list[str], list[str], dict[str, tuple[str, str]]]:
    """Return columns added, removed, and of another type, as far as files were read of both versions.

    A type is another when the two versions have no type of value in common; nulls have none.
    """
    if not first or not second:
        return [], [], {}
    retyped = {
        name: (" or ".join(sorted(first[name])), " or ".join(sorted(second[name])))
        for name in first
        if name in second and first[name] and second[name] and not set(first[name]) & set(second[name])
    }
    return [name for name in second if name not in first], [name for name in first if name not in second], retyped


def counted(changes: Iterable[Changes], apart: Collection[str]) -> tuple[Iterator[str], Counter[str]]:
    """Return the ids of changed rows, and the changed cells of every column, of all columns but those that stand
    `apart`.
    """
    ids: list[pa.Array] = []
    cells: Counter[str] = Counter()
    for change in changes:
        compared = [number for number, name in enumerate(change.columns) if name not in apart]
        unlike = change.unlike[:, compared]
        ids.append(change.ids.filter(pa.array(unlike.any(axis=1))))
        for number, count in zip(compared, unlike.sum(axis=0).tolist(), strict=True):
            cells[change.columns[number]] += count
    return (row_id for chunk in ids for row_id in chunk.to_pylist()), +cells
