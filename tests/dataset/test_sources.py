"""Captions from files of every kind: each row is a row, with a status, or the file's fault is told in one line."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.dataset.reading.rows import rows_of
from gamut.dataset.shared.source_blocks import Columns, FileSource
from gamut.project.errors import UserError
from gamut.tables.columns import Row


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    path = project / "datasets" / "sources"
    path.mkdir(parents=True)
    return path


def source(kind: str, caption: str = "caption", source_id: str | None = None, limit: int | None = None) -> FileSource:
    columns = Columns(caption=caption, source_id=source_id)
    return FileSource(kind="file", wave="w", path=f"datasets/sources/a.{kind}", columns=columns, limit=limit)


def rows(kind: str, content: str | bytes | pa.Table, **options: Any) -> list[Row]:
    path = Path(f"datasets/sources/a.{kind}")
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = list(rows_of(source(kind, **options)))
    assert [row["id"] for row in found] == [f"w-{n:08d}" for n in range(len(found))]
    assert {row["status"] for row in found} <= {"ok", "invalid_input"}
    assert all((row["status"] == "ok") == (row["reason"] is None) for row in found)
    return found


def captions(kind: str, content: str | bytes | pa.Table, **options: Any) -> list[str | None]:
    return [row["caption"] if row["status"] == "ok" else None for row in rows(kind, content, **options)]


def refused(kind: str, content: str | bytes | pa.Table, **options: Any) -> str:
    with pytest.raises(UserError) as error:
        rows(kind, content, **options)
    assert str(error.value).startswith(f"datasets/sources/a.{kind}: ") and "\n" not in str(error.value)
    return str(error.value).removeprefix(f"datasets/sources/a.{kind}: ")


def parquet(values: list[Any], name: str = "caption", kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({name: pa.array(values, kind or pa.string())})


PLAIN = ["a red cube", "two blue balls"]
KINDS: list[tuple[str, Any]] = [
    ("parquet", parquet(PLAIN)),
    ("csv", "caption\na red cube\ntwo blue balls\n"),
    ("tsv", "caption\na red cube\ntwo blue balls\n"),
    ("jsonl", '{"caption": "a red cube"}\n{"caption": "two blue balls"}\n'),
]


@pytest.mark.parametrize(("kind", "content"), KINDS)
def test_every_kind(kind: str, content: Any) -> None:
    assert captions(kind, content) == PLAIN
    assert captions(kind, content, limit=1) == PLAIN[:1]
    assert captions(kind, content, limit=99) == PLAIN
    row = rows(kind, content)[0]
    assert row == {
        "id": "w-00000000",
        "wave": "w",
        "route": "as_is",
        "source": f"datasets/sources/a.{kind}",
        "source_id": None,
        "caption": "a red cube",
        "image": None,
        "image_reason": None,
        "status": "ok",
        "reason": None,
    }


@pytest.mark.parametrize(("kind", "content"), KINDS[1:])
def test_endings_and_marks(kind: str, content: str) -> None:
    assert captions(kind, content.replace("\n", "\r\n")) == PLAIN
    assert captions(kind, content.rstrip("\n")) == PLAIN
    assert captions(kind, codecs.BOM_UTF8 + content.encode()) == PLAIN


@pytest.mark.parametrize(
    ("kind", "content"),
    [("parquet", parquet([])), ("csv", "caption\n"), ("tsv", "caption"), ("csv", ""), ("tsv", ""), ("jsonl", "")],
)
def test_files_without_rows(kind: str, content: Any) -> None:
    assert rows(kind, content) == []


# Missing and damaged


def test_a_missing_file() -> None:
    with pytest.raises(UserError, match=r"^the file datasets/sources/a\.csv \(wave 'w' in params\.yaml\) does not "):
        list(rows_of(source("csv")))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("parquet", parquet(PLAIN, "Captions")),
        ("csv", "Captions,x\n1,2\n"),
        ("tsv", "x\tCaptions\n1\t2\n"),
        ("csv", "Captions,x\n"),
    ],
)
def test_a_missing_column_is_told_with_the_nearest(kind: str, content: Any) -> None:
    assert refused(kind, content, caption="captions") == "there is no column 'captions'; did you mean 'Captions'?"


def test_a_missing_key() -> None:
    assert refused("jsonl", '{"text": "a"}\n') == "there is no column 'caption'; known are: text"


def test_what_is_not_parquet() -> None:
    pq.write_table(parquet(PLAIN), "whole.parquet")
    whole = Path("whole.parquet").read_bytes()
    for content in (b"", b"caption\na red cube\n", whole[:-10], whole[: len(whole) // 2]):
        assert refused("parquet", content).startswith("this is not a readable Parquet file (")


def test_parquet_text_that_is_not_utf8() -> None:
    data = [None, pa.array([0, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfe")]
    assert refused("parquet", pa.table({"caption": pa.Array.from_buffers(pa.string(), 1, data)}))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("csv", "caption,x,caption\na,1,b\n"),
        ("tsv", "caption\tx\tcaption\na\t1\tb\n"),
        ("parquet", pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["caption", "caption"])),
    ],
)
def test_two_columns_of_one_name_are_said(kind: str, content: Any) -> None:
    assert refused(kind, content) == "2 columns are called 'caption': rename all but one"


def test_columns_that_are_not_read_may_share_a_name() -> None:
    assert captions("csv", "caption,,\na,1,2\n") == ["a"]
    twins = pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([2])], ["caption", "x", "x"])
    assert captions("parquet", twins) == ["a"]


def test_two_keys_of_one_name_spoil_their_row_alone() -> None:
    lines = [
        '{"caption": "a", "caption": "b"}',
        '{"caption": "c", "x": 1, "x": 2}',
        '{"caption": "d", "capt\\u0069on": 1}',
    ]
    found = rows("jsonl", "\n".join([*lines, '{"caption": "e"}']))
    assert [row["caption"] for row in found] == [None, "c", None, "e"]
    assert [row["reason"] for row in found] == [
        *("line 1 has the key 'caption' twice", None, "line 3 has the key 'caption' twice", None)
    ]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n", "\n\n\n\n"])
def test_blank_lines_at_the_end_of_tsv_are_no_rows(end: str) -> None:
    assert captions("tsv", f"caption\tx\na\t1\nb\t2{end}") == ["a", "b"]
    assert captions("tsv", f"caption\na\n\nb{end}") == ["a", None, "b"]  # ids come from places: a gap stays
    assert captions("tsv", f"x\tcaption\n1\ta\n\t{end}") == ["a", None]  # two empty cells are a row


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_text_that_is_not_utf8(kind: str) -> None:
    assert refused(kind, b"caption\n\xff\n") == "this is not UTF-8 text (invalid start byte): convert it first"
    assert refused(kind, "caption\na\n".encode("utf-16")).startswith("this is not UTF-8 text (invalid start byte)")


# Rows that cannot be used


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("parquet", parquet(["a", None, "", "b"])),
        ("csv", 'caption,x\na,1\n,2\n"",3\nb,4\n'),
        ("tsv", "caption\tx\na\t1\n\t2\n\t3\nb\t4\n"),
        ("jsonl", '{"caption":"a"}\n{"caption":null}\n{"x":1}\n{"caption":"b"}\n'),
    ],
)
def test_captions_that_are_not_there(kind: str, content: Any) -> None:
    found = rows(kind, content)
    assert [row["caption"] for row in found] == ["a", None, None, "b"]
    assert [row["reason"] for row in found] == [None, *["column 'caption' is empty"] * 2, None]


def test_what_is_not_text() -> None:
    content = "\n".join(json.dumps({"caption": value}) for value in (7, 7.5, True, ["a"], {"a": 1}, "a"))
    assert [row["reason"] for row in rows("jsonl", content)] == [
        *(f"column 'caption' holds {kind}, not text" for kind in ("int", "float", "bool", "list", "dict")),
        None,
    ]


def test_bad_lines_of_jsonl_stay_rows() -> None:
    content = '{"caption":"a"}\n{"caption":\n[1]\n\n"x"\n{"caption":"\\ud800"}\n{"caption":"b"}'
    found = rows("jsonl", content)
    assert [row["caption"] for row in found] == ["a", None, None, None, None, "b"]
    assert found[1]["reason"].startswith("line 2 is not JSON: ")
    assert found[2]["reason"] == "line 3 is not a JSON object"
    assert found[4]["reason"].startswith("line 6 is not JSON: "), "the blank fourth line is no row"


@pytest.mark.parametrize(("kind", "gap"), [("csv", ","), ("tsv", "\t")])
def test_a_wrong_number_of_cells(kind: str, gap: str) -> None:
    lines = [gap.join(cells) for cells in (("caption", "x"), ("a", "1"), ("b",), ("c", "3", "4"), ("d", "5"))]
    found = rows(kind, "\n".join(lines))
    assert [row["caption"] for row in found] == ["a", None, None, "d"]
    assert [row["reason"] for row in found][1:3] == [f"has {n} cells where the header has 2" for n in (1, 3)]


def test_ids_must_be_unique() -> None:
    found = rows("csv", "id,caption\n1,a\n2,b\n1,c\n2,\n", source_id="id")
    assert [(row["source_id"], row["caption"], row["reason"]) for row in found] == [
        ("1", "a", None),
        ("2", "b", None),
        ("1", "c", "source id '1' is taken by an earlier row"),
        ("2", None, "column 'caption' is empty"),
    ]
    numbers = pa.table({"caption": ["a", "b", "c"], "id": pa.array([1, None, None])})
    assert [row["status"] for row in rows("parquet", numbers, source_id="id")] == ["ok"] * 3


# Captions that are odd and right


ODD = [
    "x" * 1_000_000,
    "tab\x0bbell\x07\x1b[31m\x7f",
    "NUL \x00 byte",
    "🧊👩‍🚀é",
    "\u2028 line \u0085 signs",
    'say "hi"',
    "a, b; c",
]


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
def test_odd_captions_come_through(kind: str) -> None:
    content: Any = parquet(ODD)
    if kind == "jsonl":
        content = "\n".join(json.dumps({"caption": caption}, ensure_ascii=False) for caption in ODD)
    if kind == "csv":
        cells = ['"' + caption.replace('"', '""') + '"' for caption in ODD]
        content = "caption\n" + "\n".join(cells)
    assert captions(kind, content) == ODD


def test_odd_captions_of_tsv() -> None:
    # nothing is quoted there: quotes are part of the text
    assert captions("tsv", "caption\n" + "\n".join(ODD) + '\n"quoted"\n"half\n') == [*ODD, '"quoted"', '"half']


@pytest.mark.parametrize("content", ['caption,x\n"a"b,1\n', 'caption,x\n"open,1\n', '"caption"x,y\na,b\n'])
def test_broken_csv(content: str) -> None:
    assert refused("csv", content).startswith("this cannot be read as CSV, in or before line ")
