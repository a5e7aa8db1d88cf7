"""Rows by their ids: any row in any order, one page of pictures in memory, and one line where a table is damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.project.errors import UserError
from gamut.tables import reading
from gamut.tables.columns import IMAGE, ROWS_PER_SLICE, Row, make_id
from gamut.tables.reading import RowsById, slice_rows
from gamut.tables.writing import TableWriter

SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("n", pa.int32()), pa.field("parts", pa.list_(IMAGE))])
SHARDS = {"en-0-00000": [*range(3), *range(100, 104)], "en-0-00001": [5000, 5007]}


def picture(number: int, size: int) -> bytes:
    return random.Random(number).randbytes(size)


def write(folder: Path, size: int = 8) -> dict[str, Row]:
    """Two shards, the first of two row groups, with gaps."""
    known = {}
    with TableWriter(folder, SCHEMA) as table:
        for shard, numbers in SHARDS.items():
            for hundred in sorted({number // 100 for number in numbers}):
                rows = [
                    {"id": f"en-0-{n:08d}", "n": n, "parts": [{"bytes": picture(n, size), "path": None}] * 2}
                    for n in numbers
                    if n // 100 == hundred
                ]
                known |= {row["id"]: {"n": row["n"], "parts": row["parts"]} for row in rows}
                table.write(shard, rows)
    return known


def test_every_row_is_found_in_whatever_order(tmp_path: Path) -> None:
    known = write(tmp_path / "t")
    read = RowsById(tmp_path / "t", ["n", "parts"])
    order = list(known) * 3
    random.Random(1).shuffle(order)
    assert all(read(row_id) == known[row_id] for row_id in [*known, *order])


def test_rows_in_order_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, begun = write(tmp_path / "t"), []
    real = reading.row_by_row

    def noted(path: Path, group: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
        begun.append((path.stem, group))
        return real(path, group, columns)

    monkeypatch.setattr(reading, "row_by_row", noted)
    read = RowsById(tmp_path / "t", ["n"])
    assert [read(row_id)["n"] for row_id in known] == [0, 1, 2, 100, 101, 102, 103, 5000, 5007]
    assert begun == [("en-0-00000", 0), ("en-0-00000", 1), ("en-0-00001", 0)]
    read("en-0-00000103")  # a step back: its row group is begun anew
    assert begun[3:] == [("en-0-00000", 1)]


def test_two_who_read_side_by_side_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "t")
    begun, real = [], reading.row_by_row
    monkeypatch.setattr(reading, "row_by_row", lambda *args: begun.append(args[1]) or real(*args))
    read = RowsById(tmp_path / "t", ["n"])
    assert [read(f"en-0-{n:08d}")["n"] for n in (0, 100, 1, 101, 2, 102)] == [0, 100, 1, 101, 2, 102]
    assert begun == [0, 1]


def test_one_row_of_pictures_is_in_memory(tmp_path: Path) -> None:
    parts = [{"bytes": picture(number, 1_100_000), "path": None} for number in range(2)]
    rows = [{"id": f"en-0-{number:08d}", "n": number, "parts": parts} for number in range(8)]
    with TableWriter(tmp_path / "t", SCHEMA) as table:
        table.write("en-0-00000", rows)  # 18 MB in one row group
    read, before = RowsById(tmp_path / "t", ["parts"]), pa.total_allocated_bytes()
    for row in rows:
        assert read(row["id"])["parts"] == parts
        assert pa.total_allocated_bytes() - before < 8_000_000


def test_a_row_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    write(tmp_path / "t")
    with pytest.raises(UserError, match=r"en-0-00000.parquet has no row en-0-00000050, perhaps it was replaced"):
        RowsById(tmp_path / "t", ["n"])("en-0-00000050")
    with pytest.raises(UserError, match=r"en-0-00009.parquet: no such file"):
        RowsById(tmp_path / "t", ["n"])("en-0-00045000")


def test_damage_is_said_in_one_line(tmp_path: Path) -> None:
    known = write(tmp_path / "t", 50_000)
    path = tmp_path / "t" / "en-0-00000.parquet"
    data = path.read_bytes()
    start, end = len(data) // 10, len(data) * 9 // 10
    path.write_bytes(data[:start] + bytes(end - start) + data[end:])
    read = RowsById(tmp_path / "t", ["parts"])
    with pytest.raises(UserError, match="not a readable Parquet file") as caught:
        for row_id in known:
            read(row_id)
    assert "\n" not in str(caught.value)


def test_large_pictures_have_pages_of_their_own_and_small_tables_their_bytes(tmp_path: Path) -> None:
    write(tmp_path / "small")
    rows = pq.read_table(tmp_path / "small" / "en-0-00001.parquet")
    one = tmp_path / "one.parquet"
    with pq.ParquetWriter(one, SCHEMA, compression="zstd", use_dictionary=False, write_page_index=True) as writer:
        writer.write_table(rows)  # with the usual batches of 1,024 values
    assert one.read_bytes() == (tmp_path / "small" / "en-0-00001.parquet").read_bytes()


ROWS = [{"id": make_id("w-0", n), "value": n} for n in range(3 * ROWS_PER_SLICE)]
SECOND = [row["value"] for row in ROWS[ROWS_PER_SLICE : 2 * ROWS_PER_SLICE]]


@pytest.mark.parametrize("group", [ROWS_PER_SLICE, ROWS_PER_SLICE // 4, 2 * ROWS_PER_SLICE, 7])
@pytest.mark.parametrize("statistics", [True, False])
def test_they_are_those_of_the_slice(tmp_path: Path, group: int, statistics: bool) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "s.parquet", group, write_statistics=statistics)
    assert [row["value"] for row in slice_rows(tmp_path, "s", 1)] == SECOND
    assert not [*slice_rows(tmp_path, "s", 3)]


def test_other_row_groups_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path, ROWS_PER_SLICE, compression="none", use_dictionary=False)
    start = pq.ParquetFile(path).metadata.row_group(2).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 20] = bytes(20)
    path.write_bytes(data)
    assert [row["value"] for row in slice_rows(tmp_path, "s", 1)] == SECOND


def test_columns_of_a_later_layout_are_left_out(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS[:2]), tmp_path / "s.parquet")
    assert [*slice_rows(tmp_path, "s", 0, ["id", "spec"])] == [{"id": row["id"]} for row in ROWS[:2]]
