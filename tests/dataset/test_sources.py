"""Captions from files of every kind: each row is a row, with a status, or the file's fault is told in one line."""

from __future__ import annotations

import codecs
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import stages.dataset.sources as sources_module
from stages.command import check
from stages.dataset.reading.waves import place_of
from stages.dataset.shared.joins import ROUTES, SOURCE_ROWS
from stages.dataset.shared.parameters import Columns, FileSource
from stages.dataset.sources import SCHEMA, rows_of, sources
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.reading import manifest, read_rows
from tests import fakes
from tests.paths import PARTI


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
    with pytest.raises(UserError, match=r"^datasets/sources/a\.csv: no such file \(wave 'w' in params\.yaml\): put it"):
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
        assert refused("parquet", content).startswith("not a readable Parquet file (")


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
    assert refused(kind, b"caption\n\xff\n") == "not UTF-8 text (invalid start byte): convert it first"
    assert refused(kind, "caption\na\n".encode("utf-16")).startswith("not UTF-8 text (invalid start byte)")


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
    assert refused("csv", content).startswith("not readable as CSV, in or before line ")


# The table


def make(**changes: Any) -> list[Row]:
    sources(fakes.params(**changes))
    return list(read_rows(SOURCE_ROWS))


def file_block(wave: str, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "file", "wave": wave, "path": f"datasets/sources/{name}", "columns": {"caption": "caption"}} | more


def test_the_table_has_every_row_of_every_wave(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.csv").write_text("caption\n" + "".join(f"cube {n}\n" for n in range(5_101)))
    (folder / "b.jsonl").write_text('{"caption": "ball"}\nnonsense\n')
    (folder / "c.tsv").write_text("caption\n")
    blocks = [file_block("a", "a.csv"), file_block("b-part01", "b.jsonl"), file_block("c", "c.tsv")]
    found = make(sources=blocks)
    assert len(found) == 5_103 and len({row["id"] for row in found}) == 5_103
    assert found[5_100] | {"caption": None} == dict.fromkeys(SCHEMA.names) | {
        "id": "a-00005100",
        "wave": "a",
        "route": "as_is",
        "source": "datasets/sources/a.csv",
        "status": "ok",
    }
    shards = [(shard["name"], shard["rows"]) for shard in manifest(SOURCE_ROWS)["shards"]]
    assert shards == [
        ("a-00000.parquet", 5_000),
        ("a-00001.parquet", 101),
        ("b-part01-00000.parquet", 2),
        ("c-00000.parquet", 0),
    ]
    assert manifest(SOURCE_ROWS)["statuses"] == {"invalid_input": 1, "ok": 5_102}
    assert capsys.readouterr().out.splitlines() == [
        "sources: wave a: 5,101 rows",
        "sources: wave b-part01: 2 rows, 1 unusable",
        "sources: wave c: 0 rows (datasets/sources/c.tsv is empty)",
    ]


def test_rows_to_be_imagined_have_only_their_ids() -> None:
    found = make(sources=[{"kind": "imagine", "wave": "dreams", "count": 101}])
    assert [row["id"] for row in found] == [f"dreams-{n:08d}" for n in range(101)]
    place = {"id": "dreams-00000100", "wave": "dreams", "route": "imagine", "source": "imagine", "status": "ok"}
    assert found[100] == dict.fromkeys(SCHEMA.names) | place


def test_a_new_wave_leaves_the_shards_before_it(folder: Path) -> None:
    (folder / "a.csv").write_text("caption\n" + "".join(f"cube {n}\n" for n in range(5_101)))
    first, second = file_block("a", "a.csv"), {"kind": "imagine", "wave": "b", "count": 3}
    make(sources=[first])
    before, routes_before = fakes.contents(SOURCE_ROWS), fakes.contents(ROUTES)
    make(sources=[first, second])
    after, routes_after = fakes.contents(SOURCE_ROWS), fakes.contents(ROUTES)
    assert sorted(set(after) - set(before)) == ["b-00000.parquet"]
    assert {name for name in before if before[name] != after[name]} == {"_manifest.json"}
    assert routes_before.keys() == {"as_is.json", "imagine.json", "mine_text.json", "rewrite.json"}
    assert {name for name in routes_before if routes_before[name] != routes_after[name]} == {"imagine.json"}


def test_what_was_read_is_not_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only where block, file, code and shard are as they were; the table is the same in any case."""
    (folder / "a.csv").write_text("caption\na red cube\n\n")
    first, second = file_block("a", "a.csv"), {"kind": "imagine", "wave": "b", "count": 3}
    code = {"stages/dataset/sources.py": "1", "datasets/world/sources": "of another kind"}

    def again(waves: list[dict[str, Any]], declared: dict[str, str]) -> list[str]:
        """The waves that were not read."""
        sources(fakes.params(sources=waves), lambda: declared)
        lines = capsys.readouterr().out.splitlines()
        return [line.split()[2].rstrip(":") for line in lines if line.endswith(", as read before")]

    assert again([first], code) == []
    whole = fakes.contents(SOURCE_ROWS)
    assert again([first], code) == ["a"] and fakes.contents(SOURCE_ROWS) == whole
    assert again([first, second], code) == ["a"]
    assert again([first, second], code | {"datasets/world/sources": "2"}) == ["a", "b"]
    assert again([first, second], code | {"stages/dataset/sources.py": "2"}) == []
    assert again([first | {"limit": 1}, second], code) == []
    assert again([first, second], code) == ["b"]
    (folder / "a.csv").write_text("caption\na blue cube\n\n")
    assert again([first], code) == []
    assert [row["caption"] for row in read_rows(SOURCE_ROWS)] == ["a blue cube"]
    shard = SOURCE_ROWS / "a-00000.parquet"
    pq.write_table(pq.read_table(shard), shard, compression="none")
    assert again([first], code) == []
    place_of("a").write_text("[]")
    assert again([first], code) == []


def kept_waves(capsys: pytest.CaptureFixture[str], block: dict[str, Any]) -> list[str]:
    """Read one wave, and return its captions behind whether it was read before."""
    found = make(sources=[block])
    return [str(" as read before" in capsys.readouterr().out), *(str(row["caption"]) for row in found)]


def test_a_file_behind_a_link_that_changes_is_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = folder / "photos" / ".elsewhere"
    elsewhere.mkdir(parents=True)
    (folder / "photos" / "more").symlink_to(elsewhere)
    (elsewhere / "a.jpg").write_bytes(fakes.jpeg())
    (elsewhere / "a.txt").write_text("a red cube")
    block = {"kind": "folder", "wave": "a", "path": "datasets/sources/photos"}
    assert kept_waves(capsys, block) == ["False", "a red cube"]
    assert kept_waves(capsys, block) == ["True", "a red cube"]
    (elsewhere / "a.txt").write_text("two blue balls")
    assert kept_waves(capsys, block) == ["False", "two blue balls"]


def test_a_file_of_the_same_size_and_time_is_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As an archive or `rsync --times` may put it there."""
    (folder / "photos").mkdir()
    (folder / "photos" / "a.jpg").write_bytes(fakes.jpeg())
    caption = folder / "photos" / "a.txt"
    block = {"kind": "folder", "wave": "a", "path": "datasets/sources/photos"}
    for text, there in (("a red cube", "False"), ("a red cube", "True"), ("a big cube", "False")):
        if there == "False":
            caption.write_text(text)
            os.utime(caption, ns=(10**18, 10**18))
        assert kept_waves(capsys, block) == [there, text]


def test_what_changes_while_it_is_read_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stage ends badly then; the file put back as it was, what was read of it meanwhile is no part of it."""
    path = folder / "a.csv"
    path.write_text("caption\na red cube\n")
    declared = iter(("1", "2", "3", "3"))  # of datasets/sources, by its files' times
    reading = sources_module.file_rows

    def edited(source: FileSource) -> Any:
        path.write_text("caption\na blue cube\n")
        found = list(reading(source))
        path.write_text("caption\na red cube\n")
        return iter(found)

    monkeypatch.setattr(sources_module, "file_rows", edited)
    sources(fakes.params(sources=[file_block("a", "a.csv")]), lambda: {"datasets/sources": next(declared)})
    assert [row["caption"] for row in read_rows(SOURCE_ROWS)] == ["a blue cube"]
    monkeypatch.undo()
    monkeypatch.chdir(folder.parents[1])
    sources(fakes.params(sources=[file_block("a", "a.csv")]), lambda: {"datasets/sources": next(declared)})
    assert [row["caption"] for row in read_rows(SOURCE_ROWS)] == ["a red cube"]


def test_a_trial_leaves_what_the_project_noted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.csv").write_text("caption\na red cube\n")
    make(sources=[file_block("a", "a.csv")])
    noted = place_of("a").read_bytes()
    trial = folder.parents[1] / ".dvc" / "tmp" / "try"
    (trial / "datasets" / "sources").mkdir(parents=True)
    (trial / "datasets" / "sources" / "a.csv").write_text("caption\na red cube\n")
    monkeypatch.chdir(trial)
    make(sources=[file_block("a", "a.csv", limit=1)])
    assert place_of("a").read_bytes() == noted


def test_parti_prompts(folder: Path) -> None:
    (folder / "parti.tsv").symlink_to(PARTI)
    block = file_block("parti", "parti.tsv", columns={"caption": "Prompt"})
    found = make(sources=[block])
    lines = PARTI.read_text(encoding="utf-8").splitlines()[1:]
    assert len(found) == 1_632
    assert [row["caption"] for row in found] == [line.split("\t")[0] for line in lines]
    assert {row["status"] for row in found} == {"ok"}
    assert make(sources=[block | {"limit": 10}]) == found[:10]


# What `gamut check` says of sources


def test_what_check_says_of_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    (folder / "parts").mkdir()
    hub = {"kind": "hub", "wave": "d", "repo": "org/name", "revision": "0" * 40, "split": "train"}
    blocks = [
        file_block("a", "a.csv"),
        file_block("b", "parts"),
        {"kind": "folder", "wave": "c", "path": "datasets/sources/pictures"},
        hub | {"columns": {"caption": "text"}},
        {"kind": "imagine", "wave": "e", "count": 1},
    ]
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub")
    for offline in (False, True):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
        found = list(check.sources(fakes.everything(sources=blocks)))
        assert [(finding.what, finding.found) for finding in found] == [
            ("datasets/sources/a.csv", False),
            ("datasets/sources/parts", True),
            ("datasets/sources/pictures", False),
            ("org/name", not offline),
        ]
        assert all(finding.needed for finding in found)
    assert found[2].remark == "rows of wave c: put it there, or `dvc pull` it"
    assert found[3].remark == "rows of wave d, streamed from https://hub (not looked up here): unset HF_HUB_OFFLINE"
