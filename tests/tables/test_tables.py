"""Tables: whole or not at all, equal bytes for equal rows, every row in its place, damage told in one line."""

from __future__ import annotations

import errno
import hashlib
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables import reading, writing
from gamut.tables.columns import IMAGE, REPLIES, Row, make_id, place
from gamut.tables.writing import TableWriter
from tests.fakes import contents
from tests.paths import ROOT

SHARD = "w-part01-00000"
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("text", pa.string()),
        pa.field("level", pa.int8()),
        pa.field("share", pa.float64()),
        pa.field("kept", pa.bool_()),
        pa.field("labels", pa.list_(pa.string())),
        pa.field("image", IMAGE),
        pa.field("status", pa.string()),
        pa.field("replies", REPLIES),
    ]
)
REPLY = {"fingerprint": "f", "finish": "stop", "content": None, "input_tokens": 1, "output_tokens": 2}
ROWS: list[Row] = [
    {
        "id": make_id("w-part01", 0),
        "text": "é😀",
        "level": -1,
        "share": 0.5,
        "kept": True,
        "labels": ["a", ""],
        "image": {"bytes": b"\0\xff", "path": None},
        "status": "ok",
        "replies": [REPLY, REPLY | {"content": "x"}],
    },
    {"id": make_id("w-part01", 1), "text": "", "level": 7, "kept": False, "labels": [], "status": "ok", "replies": []},
    {"id": make_id("w-part01", 2), "status": "truncated", "labels": [None]},
]


def write(folder: Path, *calls: tuple[str, list[Row]], schema: pa.Schema = SCHEMA) -> Any:
    with TableWriter(folder, schema) as table:
        for shard, rows in calls:
            table.write(shard, rows)
    return reading.manifest(folder)


def rows_of(count: int, start: int = 0, wave: str = "w-part01") -> list[Row]:
    return [{"id": make_id(wave, n), "text": f"text {n}", "status": "ok"} for n in range(start, start + count)]


def complete(row: Row) -> Row:
    return dict.fromkeys(SCHEMA.names) | row


# Where rows live


@pytest.mark.parametrize(
    ("row_id", "shard", "number"),
    [
        ("w-part01-00000000", "w-part01-00000", 0),
        ("w-part01-00000099", "w-part01-00000", 0),
        ("w-part01-00000100", "w-part01-00000", 1),
        ("w-part01-00004999", "w-part01-00000", 49),  # 4,999 // 100 = 49
        ("w-part01-00005000", "w-part01-00001", 0),
        ("w-part01-00012345", "w-part01-00002", 23),  # 12,345 = 2 * 5,000 + 2,345
        ("w-part01-99999999", "w-part01-19999", 49),
        ("w-part01-100000000", "w-part01-20000", 0),
        ("a-00000007", "a-00000", 0),
    ],
)
def test_place(row_id: str, shard: str, number: int) -> None:
    assert place(row_id) == (shard, number)


COLUMNS = str(ROOT / "gamut/tables/columns.py")


def test_a_test_may_have_smaller_shards_and_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_ROWS_PER_SHARD", "12")
    monkeypatch.setenv("GAMUT_ROWS_PER_SLICE", "4")
    assert runpy.run_path(COLUMNS)["place"]("w-00000017") == ("w-00001", 1)
    monkeypatch.setenv("GAMUT_ROWS_PER_SHARD", "")
    assert runpy.run_path(COLUMNS)["place"]("w-00000017") == ("w-00000", 4)


@pytest.mark.parametrize("rows", ["0", "-1", "1.5", "1e3", "many", " 4"])
def test_shards_and_slices_of_no_size(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_ROWS_PER_SLICE", rows)
    with pytest.raises(ValueError, match=f"GAMUT_ROWS_PER_SLICE={rows}: a whole number above 0 is expected"):
        runpy.run_path(COLUMNS)


def test_sliced_cuts_at_multiples_of_a_hundred() -> None:
    rows = rows_of(3, 98) + rows_of(2, 350)
    assert [(shard, n, [r["id"][-3:] for r in group]) for shard, n, group in reading.cut_into_slices(SHARD, rows)] == [
        (SHARD, 0, ["098", "099"]),
        (SHARD, 1, ["100"]),
        (SHARD, 3, ["350", "351"]),
    ]


def test_slices_of_a_table(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, rows_of(100)), (SHARD, rows_of(5, 100)), ("w-part01-00001", []), ("x-00000", []))
    found = [(shard, number, len(rows)) for shard, number, rows in reading.slices(tmp_path / "t", ["id"])]
    assert found == [(SHARD, 0, 100), (SHARD, 1, 5), ("w-part01-00001", 0, 0), ("x-00000", 0, 0)]


# What is written


def test_rows_come_back(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, ROWS))
    assert list(reading.read_rows(tmp_path / "t")) == [complete(row) for row in ROWS]
    assert reading.read_shard(tmp_path / "t", SHARD, ["level"]) == [{"level": -1}, {"level": 7}, {"level": None}]


def test_the_manifest_says_what_is_there(tmp_path: Path) -> None:
    found = write(tmp_path / "t", (SHARD, ROWS), ("w-part01-00001", []))
    assert list(found) == ["rows", "statuses", "shards"]
    assert (found["rows"], found["statuses"]) == (3, {"ok": 2, "truncated": 1})
    assert [(shard["name"], shard["rows"]) for shard in found["shards"]] == [
        (f"{SHARD}.parquet", 3),
        ("w-part01-00001.parquet", 0),
    ]
    for shard in found["shards"]:
        assert shard["sha256"] == hashlib.sha256((tmp_path / "t" / shard["name"]).read_bytes()).hexdigest()
    assert found["shards"][1]["rows_sha256"] == hashlib.sha256().hexdigest()
    assert sorted(contents(tmp_path / "t")) == ["_manifest.json", "w-part01-00000.parquet", "w-part01-00001.parquet"]
    assert reading.shard_names(tmp_path / "t") == [SHARD, "w-part01-00001"]


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, (SHARD, ROWS), (SHARD, rows_of(3, 100)), ("w-part01-00001", rows_of(2, 5000)))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_images_are_not_compressed_and_text_is(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, ROWS))
    with pq.ParquetFile(tmp_path / "t" / f"{SHARD}.parquet") as file:
        group = file.metadata.row_group(0)
        codecs = {group.column(n).path_in_schema: group.column(n).compression for n in range(group.num_columns)}
    assert codecs.pop("image.bytes") == "UNCOMPRESSED"
    assert set(codecs.values()) == {"ZSTD"}


def test_an_empty_table(tmp_path: Path) -> None:
    found = write(tmp_path / "t", (SHARD, []))
    assert (found["rows"], found["statuses"], len(found["shards"])) == (0, {}, 1)
    assert list(reading.read_rows(tmp_path / "t")) == []
    assert list(reading.slices(tmp_path / "t")) == [(SHARD, 0, [])]


def test_a_column_that_the_schema_does_not_know(tmp_path: Path) -> None:
    with pytest.raises((ValueError, KeyError, UserError)):
        write(tmp_path / "t", (SHARD, [{"id": make_id("w-part01", 0), "status": "ok", "levle": 7}]))


# Digests of rows


def digest(rows: list[Row], schema: pa.Schema = SCHEMA) -> str:
    return writing.rows_digest(pa.Table.from_pylist(rows, schema=schema)).hex()


def test_rows_digest_of_a_small_table_by_hand() -> None:
    # Each column: its head, a byte a row for null, then lengths (int32, -1 for null) and bytes, or the values.
    schema = pa.schema([pa.field("a", pa.string()), pa.field("n", pa.int8()), pa.field("b", pa.bool_())])
    body = b"a:string:3;" + b"\0\1\0" + b"".join(n.to_bytes(4, "little", signed=True) for n in (2, -1, 0)) + b"hi"
    body += b"n:int8:3;" + b"\0\0\1" + b"\x05\xff\x00"
    body += b"b:bool:3;" + b"\0\1\0" + b"\1\0\0"
    rows = [{"a": "hi", "n": 5, "b": True}, {"a": None, "n": -1, "b": None}, {"a": "", "n": None, "b": False}]
    assert digest(rows, schema) == hashlib.sha256(body).hexdigest()


def test_rows_digest_is_pinned() -> None:
    assert digest(ROWS) == "660fc1e9090cb0beac9d9a38f37294f8482b1b6035a341d7cc10141011c21899"


def test_rows_digest_does_not_see_chunks_or_offsets() -> None:
    table = pa.Table.from_pylist(ROWS * 3, schema=SCHEMA)
    chunked = pa.concat_tables([table.slice(0, 2), table.slice(2, 5), table.slice(7)])
    assert chunked.column("id").num_chunks == 3
    assert writing.rows_digest(chunked) == writing.rows_digest(table)
    padded = pa.concat_tables([table.slice(4, 1), table]).combine_chunks().slice(1)
    assert writing.rows_digest(padded) == writing.rows_digest(table)


def test_a_shards_digest_is_over_its_row_groups(tmp_path: Path) -> None:
    # So it holds for equal rows in equal slices: how rows are cut into calls is part of it.
    one = write(tmp_path / "one", (SHARD, ROWS))["shards"][0]["rows_sha256"]
    read = pq.read_table(tmp_path / "one" / f"{SHARD}.parquet").cast(SCHEMA)
    assert one == hashlib.sha256(writing.rows_digest(read)).hexdigest()
    two = write(tmp_path / "two", (SHARD, ROWS[:1]), (SHARD, ROWS[1:]))["shards"][0]["rows_sha256"]
    assert two == hashlib.sha256(bytes.fromhex(digest(ROWS[:1])) + bytes.fromhex(digest(ROWS[1:]))).hexdigest() != one


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("text", "", None),
        ("text", "a", "b"),
        ("level", 0, None),
        ("kept", False, None),
        ("share", 0.0, None),
        ("labels", [], None),
        ("labels", [], [None]),
        ("labels", [""], [None]),
        ("labels", ["a", "b"], ["ab"]),
        ("image", None, {"bytes": None, "path": None}),
        ("image", {"bytes": b"", "path": None}, {"bytes": None, "path": None}),
        ("image", {"bytes": b"a", "path": None}, {"bytes": b"b", "path": None}),
        ("image", {"bytes": b"a", "path": None}, {"bytes": b"a", "path": "p"}),
        ("replies", [], None),
        ("replies", [REPLY], [REPLY, REPLY]),
        ("replies", [REPLY], [REPLY | {"output_tokens": 3}]),
    ],
)
def test_rows_digest_sees_every_difference(name: str, one: Any, two: Any) -> None:
    assert digest([{name: one}]) != digest([{name: two}])
    assert digest([{name: one}, {name: two}]) != digest([{name: two}, {name: one}])


# Whole or not at all


def test_an_error_leaves_the_old_table(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, ROWS))
    before = contents(tmp_path / "t")
    with pytest.raises(RuntimeError), TableWriter(tmp_path / "t", SCHEMA) as table:
        table.write(SHARD, rows_of(100))
        raise RuntimeError
    assert contents(tmp_path / "t") == before


def test_an_error_leaves_no_half_table(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), TableWriter(tmp_path / "t", SCHEMA) as table:
        table.write(SHARD, rows_of(100))
        raise RuntimeError
    assert not (tmp_path / "t").exists()
    with pytest.raises(UserError, match="there is no finished table here"):
        reading.manifest(tmp_path / "t")
    assert write(tmp_path / "t", (SHARD, ROWS))["rows"] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_a_row_of_a_wrong_type_leaves_the_old_table(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, ROWS))
    before = contents(tmp_path / "t")
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        write(tmp_path / "t", (SHARD, rows_of(3)), (SHARD, [{"id": 7}]))
    assert contents(tmp_path / "t") == before


def test_a_new_table_leaves_nothing_of_the_old(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, ROWS), ("w-part01-00001", []))
    write(tmp_path / "t", ("x-00000", []))
    assert sorted(contents(tmp_path / "t")) == ["_manifest.json", "x-00000.parquet"]


def test_a_full_disk_is_an_error_with_its_number(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError) as error, TableWriter(tmp_path / "t", SCHEMA) as table:
        (table.temporary / f"{SHARD}.parquet").symlink_to(full)
        table.write(SHARD, ROWS)
    assert error.value.errno == errno.ENOSPC
    assert not (tmp_path / "t").exists()


# Damage


def test_what_is_not_parquet_is_told_in_one_line(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, rows_of(200)))
    path = tmp_path / "t" / f"{SHARD}.parquet"
    whole = path.read_bytes()
    for content in (b"", b"id,text\n1,2\n", whole[:-1], whole[: len(whole) // 2], whole[:-8] + b"\0" * 8):
        path.write_bytes(content)
        with pytest.raises(UserError) as error:
            reading.read_shard(tmp_path / "t", SHARD)
        assert str(error.value).startswith(f"{path}: not a readable Parquet file (")
        assert "\n" not in str(error.value)


def test_a_missing_file_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.parquet: no such file$"):
        reading.open_parquet(tmp_path / "gone.parquet")


def test_a_damaged_page_is_told_in_one_line(tmp_path: Path) -> None:
    write(tmp_path / "t", (SHARD, rows_of(100)))
    path = tmp_path / "t" / f"{SHARD}.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:4] + bytes(300) + data[304:])
    with pytest.raises(UserError, match=r"00000\.parquet"):
        reading.read_shard(tmp_path / "t", SHARD)


@pytest.mark.parametrize("content", ["", "{", '{"rows": 1'])
def test_a_damaged_manifest_is_told_in_one_line(tmp_path: Path, content: str) -> None:
    write(tmp_path / "t", (SHARD, ROWS))
    (tmp_path / "t" / "_manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"_manifest\.json is damaged .*: run `dvc checkout"):
        reading.shard_names(tmp_path / "t")


def test_json_is_written_as_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "m.json"
    write_json(path, {"b": 1, "a": "é"})
    assert path.read_text() == '{\n  "b": 1,\n  "a": "é"\n}\n'
    with pytest.raises(ValueError):
        write_json(path, {"a": float("nan")})
    assert json.loads(path.read_text()) == {"b": 1, "a": "é"}


def test_tables_are_made_without_pandas_which_is_there_for_who_asks() -> None:
    """Its import would take a quarter of a second of each stage."""
    code = (
        "import sys, pyarrow as pa, gamut.tables.columns\n"
        "table = pa.table({'a': [1, 2]})\n"
        "assert 'pandas' not in sys.modules\n"
        "assert table.to_pandas()['a'].sum() == 3\n"
        "frame = table.to_pandas()\n"
        "assert pa.Table.from_pandas(frame) == table and pa.array(frame['a']).to_pylist() == [1, 2]"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
