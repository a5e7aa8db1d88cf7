"""Released folders: nothing outside is read, nothing is left out unseen, whatever lies in them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gamut.evaluation.curating.entries import NoItemError
from gamut.evaluation.curating.findings import Findings
from gamut.evaluation.curating.folders import FolderReading
from gamut.evaluation.defining.editions import Item
from gamut.project.errors import UserError
from gamut.project.plain_text import natural_order
from tests.evaluation.small_pictures import ORIGIN, png
from tests.fakes import encoded

ROOT = Path("published")


def reading(path: Path = ROOT) -> FolderReading[Item]:
    return FolderReading(path, "the one of the items", None)


def write_files(file: str, content: Any) -> Path:
    """Write a file into the folder; what is no bytes as JSON."""
    path = ROOT / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def outside(file: str, content: bytes) -> None:
    """Put a link out of the folder into it."""
    Path("elsewhere").mkdir(exist_ok=True)
    path = Path("elsewhere", Path(file).name).resolve()
    path.write_bytes(content)
    (ROOT / file).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / file).symlink_to(path)


def told(found: FolderReading[Item]) -> list[tuple[str, str, str]]:
    return [(one.field, one.defect, one.found) for one in found.findings]


def test_what_is_no_folder_is_one_line(project: Path) -> None:
    with pytest.raises(UserError, match=r"^published is not a folder: name the one of the items$"):
        reading()
    with pytest.raises(UserError, match=r"^--images x: pictures are in the released folder itself: leave it out$"):
        FolderReading[Item](project, "it", Path("x"))


def test_names_come_in_order_and_what_cannot_be_printed_is_told_once(project: Path) -> None:
    for name in ("a_10", "a_9", ".hidden", "b\nc"):
        (ROOT / name).mkdir(parents=True)
    for name in ("10.PNG", "9.jpg", "notes.txt"):
        write_files(f"a_9/{name}", b"")
    found = reading()
    assert found.below() == found.folders() == ["a_9", "a_10"] and found.below("gone") == []
    assert found.pictures("a_9") == ["a_9/9.jpg", "a_9/10.PNG"]
    assert told(found) == [("'published/b\\nc'", "key", "its name cannot be printed: rename it")]
    assert sorted(["data_10", "data_9", "b", "data_1a2"], key=natural_order) == ["b", "data_1a2", "data_9", "data_10"]


def test_folders_behind_links_out_are_not_looked_into(project: Path) -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/a.png").write_bytes(png(1))
    ROOT.mkdir()
    (ROOT / "linked").symlink_to(Path("elsewhere").resolve())
    found = reading()
    assert found.below("linked") == found.pictures("linked") == []
    assert told(found) == [("linked", "key", "it leads out of the folder: replace it by a copy")]


ENTRIES = {
    "broken": (b'{"category": "counting"', 'one.json: \'{"category": "counting"\': not JSON'),
    "a list of texts": (b'["a"]', "an object, or a list of one object, is expected"),
    "no UTF-8": (b'{"category": "\xff"}', "not JSON"),
    "NaN": (b'{"category": NaN}', "not JSON"),
    "twice": (b'{"a": 1, "a": 2}', "one.json: 'a': the key occurs twice in an object"),
    "nested": (b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}", "not JSON"),
    "large": (b" " * 10_000_001, "one.json: 10000001: at most 10,000,000 bytes are read"),
}


@pytest.mark.parametrize(("content", "why"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_that_cannot_be_read_is_named(project: Path, content: bytes, why: str) -> None:
    write_files("a/one.json", content)
    with pytest.raises(NoItemError) as error:
        reading().entry("a/one.json", Findings(1))
    assert why in str(error.value)
    assert reading().content("a/one.json") in (content[:10_000].decode(errors="replace"), json_or_none(content), "")


def json_or_none(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def test_an_entry_is_an_object_or_the_first_of_a_list(project: Path) -> None:
    write_files("one.json", b"\xef\xbb\xbf" + b'[{"a": 1}, {}]')
    said = Findings(1)
    assert reading().entry("one.json", said) == {"a": 1}
    assert [(one.defect, one.found, one.fix) for one in said] == [("count", "2 objects", "the first")]
    with pytest.raises(NoItemError, match=r"^gone\.json: None: the file does not exist"):
        reading().entry("gone.json", said)
    outside("two.json", b"{}")
    with pytest.raises(NoItemError, match=r"^two\.json: None: it is a link out of the folder: replace it by a copy"):
        reading().entry("two.json", said)
    assert reading().content("two.json") == ""


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.write_bytes(b'{"1": {}}'), "is not a list: a list of JSON objects is expected"),
        (lambda path: path.write_bytes(b"[" * 300_000 + b"]" * 300_000), "not JSON"),
        (lambda path: outside("list.json", b"[]"), "it is a link out of the folder: replace it by a copy"),
        (Path.mkdir, "is not a file: name a file with a list of JSON objects"),
        (os.mkfifo, "is not a file: name a file with a list of JSON objects"),
    ],
)
def test_a_list_that_cannot_be_read_stops_the_import(project: Path, make: Callable[[Path], object], why: str) -> None:
    ROOT.mkdir()
    make(ROOT / "list.json")
    found = reading()
    assert found.listed("list.json") == []
    [unread] = found.imported().unread
    assert unread.startswith(f"list.json: {why}") and "\n" not in unread
    assert [one[:2] for one in told(found)] == [("list.json", "type")]


def test_a_list_is_read_in_order_of_ids(project: Path) -> None:
    write_files("list.json", [{"id": "b"}, {"id": 10}, {"id": 9}])
    assert reading().listed("list.json") == [{"id": 9}, {"id": 10}, {"id": "b"}]
    assert reading().listed("gone.json") is None


def test_a_picture_that_cannot_be_used_is_told(project: Path) -> None:
    outside("a.png", png(1))
    said = Findings(1)
    for file in ("a.png", "gone.png", "../elsewhere/a.png"):
        assert reading().picture(file, "one", "input", "images", said) is None
    assert {one[1:3] for one in said} == {("images", "picture")} and len(said) == 3
    assert "'a.png' lies outside of published: copy the picture there" in str(said[0].found)


def test_a_picture_for_print_is_kept_byte_for_byte(project: Path) -> None:
    data = encoded(Image.new("CMYK", (40, 30), (0, 200, 200, 0)), "JPEG")
    write_files("a.jpg", data)
    found = reading()
    picture = found.picture("a.jpg", "one", "reference", "images", Findings(1))
    assert picture is not None and (picture.name, picture.role, picture.origin) == ("one", "reference", "a.jpg")
    assert found.imported().pictures[picture.sha256] == data


def test_where_it_comes_from_stands_beside_the_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ROOT.mkdir()
    assert reading().imported().origin is None and reading().imported(ORIGIN).origin == ORIGIN
    Path("published.origin.json").write_text(ORIGIN.model_dump_json())
    assert reading().imported().origin == ORIGIN
    monkeypatch.chdir(ROOT)
    assert reading(Path()).imported().origin == ORIGIN
