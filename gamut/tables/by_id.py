"""Rows of a table by their ids, read when they are asked for: of a row group of pictures, one row is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa

from gamut.project.errors import UserError
from gamut.tables.columns import Row, place
from gamut.tables.reading import open_parquet, parquet_errors_in_one_line

BUFFER = 1 << 16
"""Bytes of a column that are read at once; without it, all of a row group's are."""
KEPT = 4
"""Row groups that are read side by side, as by the units that a worker of a cluster has under way."""


class RowsById:
    """Reads columns of one row by its id. Rows that are asked for in the table's order are read once each; a step
    back begins their row group anew.
    """

    def __init__(self, folder: Path, columns: Sequence[str]) -> None:
        self.folder, self.columns = folder, list(columns)
        self.places: dict[str, dict[str, tuple[int, int]]] = {}
        self.under_way: dict[tuple[str, int], tuple[int, Iterator[pa.RecordBatch]]] = {}

    def __call__(self, row_id: str) -> Row:
        shard = place(row_id)[0]
        path = self.folder / f"{shard}.parquet"
        if shard not in self.places:
            self.places[shard] = places_of(path)
        if row_id not in self.places[shard]:
            raise UserError(f"{path}: there is no row {row_id}: was it written anew meanwhile? Run `dvc repro` again")
        group, position = self.places[shard][row_id]
        following, rows = self.under_way.pop((shard, group), (0, None))
        if rows is None or following > position:
            following, rows = 0, row_by_row(path, group, self.columns)
        with parquet_errors_in_one_line(path):
            row: Row = next(islice(rows, position - following, None)).to_pylist()[0]
        self.under_way[shard, group] = position + 1, rows
        if len(self.under_way) > KEPT:
            del self.under_way[next(iter(self.under_way))]
        return row


def places_of(path: Path) -> dict[str, tuple[int, int]]:
    with open_parquet(path) as file, parquet_errors_in_one_line(path):
        return {
            row_id: (group, position)
            for group in range(file.num_row_groups)
            for position, row_id in enumerate(file.read_row_group(group, columns=["id"])["id"].to_pylist())
        }


def row_by_row(path: Path, group: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    with open_parquet(path, BUFFER) as file:
        yield from file.iter_batches(1, row_groups=[group], columns=list(columns), use_threads=False)
