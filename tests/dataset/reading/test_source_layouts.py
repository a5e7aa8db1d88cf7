"""What folders, archives and tables of sources hold, in the ways in which others write them."""

from __future__ import annotations

import csv
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.command.estimate.flow import source_rows
from gamut.dataset.reading import folders
from gamut.dataset.reading.rows import rows_of
from gamut.dataset.reading.waves import mark_of, write_sources
from gamut.project.errors import UserError
from tests import fakes
from tests.dataset.reading.test_two_ways import BLUE, LINES, METADATA, RED, Files, tarred, zipped

TOP = Path("datasets/sources/x")
FOLDER: dict[str, Any] = {"kind": "folder", "route": "rewrite"}
CAPTIONS: dict[str, Any] = {"kind": "file", "columns": {"caption": "text"}}
BOTH: dict[str, Any] = {"kind": "file", "route": "rewrite", "columns": {"caption": "text", "image": "image"}}
NFC, NFD = (normalize(form, "é") for form in ("NFC", "NFD"))


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    (project / TOP).mkdir(parents=True)
    return project / TOP


def write_files(files: Files | dict[str, str]) -> None:
    for name, data in files.items():
        (TOP / name).parent.mkdir(parents=True, exist_ok=True)
        (TOP / name).write_bytes(data.encode() if isinstance(data, str) else data)


def rows(block: dict[str, Any], name: str = "") -> list[tuple[str | None, bool, str | None, str | None]]:
    """Caption, whether there is an image, id, and reason of every row."""
    given = {"wave": "w", "path": str(TOP / name), **block}
    found = list(rows_of(fakes.params(sources=[given]).sources[0]))
    return [(row["caption"], bool(row["image"]), row["source_id"], row["reason"]) for row in found]


def captions(name: str, content: str | bytes) -> list[str | None]:
    write_files({name: content} if isinstance(content, bytes) else {name: content.encode()})
    return [caption for caption, *_ in rows(CAPTIONS, name)]


def refused(block: dict[str, Any], name: str = "") -> str:
    with pytest.raises(UserError) as error:
        rows(block, name)
    assert "\n" not in str(error.value)
    return str(error.value).replace(f"{TOP}", "x")


# Tab-separated tables


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_tsv_as_pandas_writes_it(quoting: int) -> None:
    texts = ['a sign: "OPEN"', "two\nlines", "a\ttab", "a, b", "plain", '"', '"long" ' * 50_000]
    table = pd.DataFrame({"n": range(len(texts)), "text": texts})
    assert captions("a.tsv", table.to_csv(sep="\t", index=False, quoting=quoting)) == texts  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['1\tsay "hi"', '2\t5" wide'], ['say "hi"', '5" wide']),  # no cell opens with one
        (['1\t"Hi" is said', "2\tb"], ['"Hi" is said', "b"]),  # not closed at the cell's end
        (['1\t"Hello"', '2\t5" wide'], ['"Hello"', '5" wide']),  # who quotes would have quoted the second
        (['1\t"say ""hi"""', '2\t"b"'], ['say "hi"', "b"]),
    ],
)
def test_quotes_of_tsv(lines: list[str], expected: list[str | None]) -> None:
    assert captions("a.tsv", "\n".join(["n\ttext", *lines])) == expected


@pytest.mark.parametrize(
    "content",
    [
        'n\ttext\n1\t"Hello"\n2\tb\n',
        'text\n"one\ntwo"\nthree\n',
        'n\ttext\n1\t"say ""hi"""\n2\t5" wide\n',
        'n\ttext\n1\t"a poem:\nsecond\n',  # neither: the quote is not closed, and the second line lacks a cell
    ],
)
def test_tsv_that_can_be_read_in_two_ways(content: str) -> None:
    write_files({"a.tsv": content})
    assert "quotes in it may enclose cells or be part of the text: save it as .csv" in refused(CAPTIONS, "a.tsv")


# JSON


def test_json_of_every_shape() -> None:
    one, two = '{"text": "one"}', '{"text": "two", "n": [1, -Infinity, NaN]}'
    for name, content in {
        "a.jsonl": f"[\n{one},\n{two}\n]\n",
        "b.json": f"[{one}, {two}]",
        "c.jsonl": f"{json.dumps(json.loads(one), indent=2)}\n{json.dumps(json.loads(two), indent=2)}\n",
        "d.NDJSON": f"{one}\n{two}",
    }.items():
        assert captions(name, content) == ["one", "two"]
    write_files({"e.jsonl": f"[\n{one},\n"})
    assert refused(CAPTIONS, "e.jsonl").startswith("x/e.jsonl: this is neither JSON lines nor a JSON array (")


def test_half_a_character_in_a_column_that_is_not_read() -> None:
    assert captions("a.jsonl", '{"text": "one", "n": "\\ud83d"}\n{"text": "\\ud83d\\ude00"}') == ["one", "😀"]


def test_ids_as_they_are_written() -> None:
    ids = {"key": {"caption": "text", "source_id": "key"}}
    for kind, values, expected in [
        (pa.float64(), [1.0, None, 3.0, float("nan")], ["1", None, "3", None]),
        (pa.float64(), [0.5, 2.0**53, 1e20], ["0.5", "9007199254740992", "100000000000000000000"]),
        (pa.binary(), [b"ab", b"", b"\xff"], ["ab", None, "\\xff"]),
        (pa.int64(), [2**62 + 1, -7], ["4611686018427387905", "-7"]),
        (pa.string(), ["007", "7", "1.0"], ["007", "7", "1.0"]),
    ]:
        pq.write_table(pa.table({"text": ["t"] * len(values), "key": pa.array(values, kind)}), TOP / "a.parquet")
        found = rows({**CAPTIONS, "columns": ids["key"]}, "a.parquet")
        assert [(key, reason) for _, _, key, reason in found] == [(key, None) for key in expected]
    write_files({"a.jsonl": '{"text": "t", "key": 123456789012345678901234567890}\n{"text": "t", "key": [1]}'})
    found = rows({**CAPTIONS, "columns": ids["key"]}, "a.jsonl")
    assert [row[2:] for row in found] == [
        ("123456789012345678901234567890", None),
        (None, "the column of ids holds list, not an id"),
    ]


# Pictures and what stands beside them


def test_texts_beside_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    write_files({f"{name}.jpg": RED for name in ("1", "2", "3", "4", "5", NFD)})
    write_files({"1.caption": "one", "2.TXT": "two", "3.txt": " ", "3.Json": '{"caption": "three", "punsafe": NaN}'})
    write_files(
        {
            "6.json": '{"caption": "\\ud83d"}',
            "6.jpg": RED,
            "4.txt": "four",
            "4.caption": "not",
            f"{NFC}.txt": "é",
            "log.jsonl": "{}",
            "5.json": "[]",
        }
    )
    write_sources(fakes.params(sources=[{"wave": "w", "path": str(TOP), **FOLDER}]))
    found = rows(FOLDER)
    assert [caption for caption, *_ in found] == ["one", "two", "three", "four", None, None, "é"]
    assert found[5][3] == "the caption beside 6.jpg is not JSON (it is not JSON: half a character in 'caption')"
    assert capsys.readouterr().out == "sources: wave w: 7 rows, 1 unusable, 1 other file not read (log.jsonl)\n"


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_metadata_of_pictures(kind: str) -> None:
    table = pd.DataFrame(
        {"file_name": ["1.jpg", "d\\2.jpg", f"{NFC}.jpg"], "text": [float("nan")] * 3, "prompt": ["one", "two", "é"]}
    )
    write_files(
        {"a/1.jpg": RED, "a/d/2.jpg": BLUE, f"a/{NFD}.jpg": RED, "b/1.jpg": RED, "b/3.jpg": RED, "b/3.txt": "three"}
    )
    for name in ("a", "b"):
        path = TOP / name / f"metadata.{kind}"
        rest = table[: 3 if name == "a" else 1]
        {"csv": rest.to_csv, "parquet": rest.to_parquet}.get(kind, lambda *_, **__: None)(path, index=False)
        if kind == "jsonl":
            rest.to_json(path, orient="records", lines=True)
    assert rows(FOLDER) == [
        ("one", True, "a/1.jpg", None),
        ("two", True, "a/d/2.jpg", None),
        ("é", True, f"a/{NFD}.jpg", None),
        ("one", True, "b/1.jpg", None),
        ("three", True, "b/3.jpg", None),
    ]


def test_metadata_that_name_what_is_no_picture_here() -> None:
    names = ("1.jpg", "1.jpg", "none.jpg", "../1.jpg", "/etc/passwd", "http://host/1.jpg")
    write_files(
        {"a/1.jpg": RED, "1.jpg": BLUE, "a/metadata.csv": "file_name,text\n" + "".join(f"{n},t\n" for n in names)}
    )
    assert [row[1:] for row in rows(FOLDER)] == [
        (True, "1.jpg", None),
        (True, "a/1.jpg", None),
        (True, "a/1.jpg", "source id 'a/1.jpg' is taken by an earlier row"),
        (False, None, "metadata name the picture 'a/none.jpg', which does not exist"),
        *((False, None, f"metadata name {name!r}, which is not a path below their folder") for name in names[3:]),
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"metadata.csv": "file_name,label\n1.jpg,7\n"}, "metadata.csv: there is no column text or caption or prompt:"),
        ({"metadata.csv": "name,text\n1.jpg,one\n"}, "metadata.csv: there is no column 'file_name'"),
        ({"metadata.csv": "file_name,text\n", "metadata.jsonl": ""}, "the folder has another metadata file"),
    ],
)
def test_metadata_without_captions(files: dict[str, str], words: str) -> None:
    write_files({"1.jpg": RED})
    write_files(files)
    assert words in refused(FOLDER)


def test_a_line_of_metadata_without_a_name_is_an_unusable_row() -> None:
    write_files({"1.jpg": RED, "metadata.jsonl": '{"text": "none"}\n{"file_name": "1.jpg", "text": "one"}\n'})
    why = "metadata name None, which is not a path below their folder"
    assert rows(FOLDER) == [("one", True, "1.jpg", None), (None, False, None, why)]


def test_a_folder_called_as_a_caption_is_none() -> None:
    write_files({"1.jpg": RED, "1.txt/2.md": "no", "metadata.csv/x.md": "no", "metadata.jsonl": LINES})
    assert rows(FOLDER)[0] == (None, True, "1.jpg", None)


@pytest.mark.parametrize("packed", ["zip", "tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_archives_are_read_as_the_folder_that_was_packed(packed: str) -> None:
    write = zipped(METADATA) if packed == "zip" else tarred(METADATA, {"tgz": "gz"}.get(packed, packed[4:]))
    write_files({f"a.{packed}": write, ".hidden.zip": b"no"})
    expected = [("one", True, "a.jpg", None), ("two", True, "b.jpg", None)]
    assert rows(FOLDER, f"a.{packed}") == expected
    assert rows(FOLDER) == [(text, there, f"a.{packed}/{name}", None) for text, there, name, _ in expected]
    block = {**BOTH, "wave": "w", "path": str(TOP / f"a.{packed}")}
    with pytest.raises(UserError, match="how many rows w will have is not known"):
        source_rows(fakes.params(sources=[block]), {})


def test_hard_links_of_a_tar_are_the_files_in_it() -> None:
    out = io.BytesIO(tarred({"1.jpg": RED}))
    with tarfile.open(fileobj=out, mode="a") as archive:
        for name, kind, target in (
            ("2.jpg", tarfile.LNKTYPE, "./1.jpg"),
            ("3.jpg", tarfile.LNKTYPE, "3.jpg"),
            ("4.jpg", tarfile.LNKTYPE, "/etc/passwd"),
            ("5.jpg", tarfile.SYMTYPE, "/etc/passwd"),
        ):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = kind, target
            archive.addfile(link)
    write_files({"a.tar": out.getvalue()})
    assert rows(FOLDER, "a.tar") == [(None, True, "1.jpg", None), (None, True, "2.jpg", None)]


@pytest.mark.parametrize("block", [FOLDER, BOTH])
def test_an_archive_in_an_archive_is_said(block: dict[str, Any]) -> None:
    write_files({"a.zip": zipped({"./1.jpg": RED, "b.TAR": b"", ".c.zip": b""})})
    assert refused(block, "a.zip") == "x/a.zip/b.TAR is an archive in an archive: unpack the outer one"


def test_what_unpacks_to_more_than_any_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_BYTES", 2**20)
    write_files({"a.zip": zipped({"./1.jpg": bytes(2**20 + 1)})})
    assert refused(FOLDER, "a.zip") == "x/a.zip/1.jpg has more than 1 MiB, too much for a picture: remove it"


def test_damaged_archives() -> None:
    whole = zipped({"1.jpg": RED})
    place = whole.index(b"PK\1\2") + 10
    wrong = {
        "a.zip": b"PK",
        "b.tar": b"no" * 999,
        "c.tgz": tarred(METADATA, "gz")[:200],
        "d.zip": whole[:60] + b"?" + whole[61:],
        "d.of.others.zip": whole[:place] + b"\x09" + whole[place + 1 :],  # Deflate64, as Windows packs large files
    }
    for name, data in {**wrong, "e.jsonl.gz": b"\x1f\x8b", "f.csv.bz2": b"no", "g.tsv.xz": b"no"}.items():
        write_files({name: data})
        said = refused(FOLDER if name[0] < "e" else CAPTIONS, name)
        assert said.startswith(f"x/{name}") and said.endswith("): fetch or pack it again")


def test_pictures_by_their_paths() -> None:
    write_files({"p/1.jpg": RED, f"{NFD}.jpg": BLUE, "dir/2.jpg": RED})
    good = ["p/1.jpg", "./p\\1.jpg", f"{NFC}.jpg"]
    bad = ["../x/p/1.jpg", str((TOP / "p/1.jpg").resolve()), "none.jpg", "dir", "http://h/1.jpg", "x" * 9_999, "a\0b"]
    write_files({"a.jsonl": "".join(json.dumps({"text": "t", "image": name}) + "\n" for name in [*good, *bad])})
    assert [there for _, there, *_ in rows(BOTH, "a.jsonl")] == [True] * 3 + [False] * len(bad)
    [source] = fakes.params(sources=[{"wave": "w", "path": str(TOP / "a.jsonl"), **BOTH}]).sources
    before = mark_of(source, {})
    write_files({"p/1.jpg": BLUE})
    assert mark_of(source, {}) != before, "what was read of the table's pictures is read again"


@pytest.mark.parametrize("block", [FOLDER, BOTH])
def test_links_stay_in_the_folder(block: dict[str, Any], project: Path) -> None:
    (project / "secret").write_text("SECRET")
    (project / "pictures").mkdir()
    (project / "pictures/9.jpg").write_bytes(RED)
    write_files({"1.jpg": RED, "2.jpg": BLUE, "a.jsonl": '{"text": "t", "image": "3.jpg"}'})
    (TOP / "3.jpg").symlink_to("1.jpg")
    assert all(there for _, there, *_ in rows(block))
    kept = project / ".dvc/cache/files/md5/ab" / ("0" * 30)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(BLUE)
    (TOP / "3.jpg").unlink()
    (TOP / "3.jpg").symlink_to(kept)  # as DVC's cache.type symlink has it
    assert all(there for _, there, *_ in rows(block))
    links = (
        {"3.jpg": "pictures/9.jpg"} if block is BOTH else {"1.txt": "secret", "metadata.csv": "secret", "4": "pictures"}
    )
    for name, target in links.items():
        (TOP / name).unlink(missing_ok=True)
        (TOP / name).symlink_to(os.path.relpath(target, TOP))
        assert " is behind a link that leads out of x: put the file itself there" in refused(block)
        (TOP / name).unlink()


def test_a_link_to_itself_is_said() -> None:
    write_files({"1.jpg": RED})
    (TOP / "2.jpg").symlink_to("2.jpg")
    assert refused(FOLDER) == "x/2.jpg cannot be read (Too many levels of symbolic links): fix or remove it"


# Sources that give nothing


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"text": [["a"], ["b"]]}, "can be used (the first: column 'text' holds list, not text)"),
        ({"text": ["", None]}, "can be used (the first: there is neither a caption nor an image)"),
        (
            {"image": ["http://h/1.jpg", "http://h/2.jpg"]},
            "has an image (the first: column 'image' holds 'http://h/1.jpg'",
        ),
        ({"image": [[RED], [BLUE]]}, "has an image (the first: column 'image' holds list, not an image"),
    ],
)
def test_a_wave_without_anything_usable_stops(content: dict[str, list[Any]], words: str) -> None:
    pq.write_table(pa.table({"text": ["a", "b"], "image": pa.nulls(2, pa.binary())} | content), TOP / "a.parquet")
    assert refused(BOTH, "a.parquet").startswith(f"wave w: none of 2 rows of x/a.parquet {words}")


def test_some_of_it_is_enough() -> None:
    pq.write_table(pa.table({"text": [None, "b"], "image": pa.array([b"no", RED])}), TOP / "a.parquet")
    assert [reason for *_, reason in rows(BOTH, "a.parquet")] == ["there is neither a caption nor an image", None]
    pq.write_table(pa.table({"text": ["a"], "image": pa.nulls(1, pa.binary())}), TOP / "a.parquet")
    assert rows(BOTH, "a.parquet") == [("a", False, None, None)], "an empty column holds nothing wrong"
