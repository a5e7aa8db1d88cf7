"""The rows of one work slice, read without the others: whatever row groups a writer made of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.tables.columns import ROWS_PER_SLICE, make_id
from stages.tables.reading import slice_rows

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
