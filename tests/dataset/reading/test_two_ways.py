"""The same files from the Hub and from the disk give the same rows: there is one reader."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.tables.columns import Row
from tests.dataset.reading.test_hub import BLUE, RED, block, client, hub, read  # noqa: F401
from tests.hub.server import Hub

Files = dict[str, bytes]
CAPTION = {"caption": "text"}
BOTH = {"caption": "text", "image": "image"}
LINES = b'{"file_name": "a.jpg", "text": "one"}\n{"file_name": "b.jpg", "text": "two"}\n'
METADATA: Files = {"metadata.jsonl": LINES, "a.jpg": RED, "b.jpg": BLUE}


def zipped(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: Files, packed: str = "") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{packed}") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


TABLES: list[tuple[str, bytes, list[str | None]]] = [
    (".csv", b"n,text\n0,nan\n1,None\n2,\n3,&amp;\n", ["nan", "None", None, "&amp;"]),
    (".jsonl.gz", gzip.compress(b'{"text": "one"}\n'), ["one"]),
    (".txt", b"one\n\ntwo\n\n", ["one", None, "two"]),
    (".zip", zipped({"x.csv": b"text\none\n"}), ["one"]),
]
PICTURES: list[tuple[str, dict[str, str], Files]] = [
    ("folder", BOTH, METADATA),
    (
        "webdataset",
        {"caption": "txt", "image": "jpg"},
        {"train.tar": tarred({"0.jpg": RED, "0.txt": b"one", "1.jpg": BLUE, "1.txt": b"two"})},
    ),
    (
        "notes",
        {"caption": "caption", "image": "image"},
        {"0.jpg": RED, "0.json": b'{"caption": "one"}', "1.jpg": BLUE, "1.json": b'{"caption": "two"}'},
    ),
    (
        "paths",
        BOTH,
        {"train.jsonl": LINES.replace(b"file_name", b"image").replace(b'"a', b'"p/a'), "p/a.jpg": RED, "b.jpg": BLUE},
    ),
]


@pytest.fixture
def both(
    hub: Hub,  # noqa: F811
    client: Callable[..., Any],  # noqa: F811
    project: Path,
) -> Iterator[Callable[[Files, dict[str, Any]], list[Row]]]:
    """Read files from the Hub and from the disk; return the rows, which are the same."""

    def rows(files: Files, given: dict[str, Any]) -> list[Row]:
        card = b"---\nconfigs:\n- config_name: default\n  data_files: '*.jsonl'\n---\n"
        with_card = {"README.md": card} if "train.jsonl" in files else {}
        far = client(read, block(hub.commit("org/both", files | with_card), "org/both", **given))
        folder = project / "datasets/sources/x"
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        near = read({"kind": "file", "wave": "w", "path": "datasets/sources/x", **given})
        assert not isinstance(far, str) and not isinstance(near, str), (far, near)
        assert [{**row, "source": None} for row in far] == [{**row, "source": None} for row in near]
        return near

    yield rows
    os.chdir(project)


@pytest.mark.parametrize(("ending", "content", "captions"), TABLES, ids=[kind for kind, _, _ in TABLES])
def test_tables(both: Any, ending: str, content: bytes, captions: list[str | None]) -> None:
    found = both({f"train{ending}": content}, {"columns": CAPTION, "route": "as_is"})
    assert [row["caption"] for row in found] == captions


@pytest.mark.parametrize(("layout", "columns", "files"), PICTURES, ids=[layout for layout, _, _ in PICTURES])
def test_pictures(both: Any, layout: str, columns: dict[str, str], files: Files) -> None:
    found = both(files, {"columns": columns, "route": "rewrite"})
    assert [(row["caption"], row["image"]["bytes"]) for row in found] == [("one", RED), ("two", BLUE)]
