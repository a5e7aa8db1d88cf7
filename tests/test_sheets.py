"""CSV files as people and spreadsheets write them: read, or refused in one line that says where and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.errors import UserError
from stages.sheets import refuse, sheet_rows


def rows(folder: Path, content: bytes) -> list[tuple[int, dict[str, str]]]:
    path = folder / "sheet.csv"
    path.write_bytes(content)
    return list(sheet_rows(path, ["id", "said"], ": put it there"))


def test_a_spreadsheets_mark_and_line_ends_and_more_columns(tmp_path: Path) -> None:
    content = '\ufeffid,more,said\r\n a ,1,"two\nlines, 两行"\r\nb\r\n'.encode()
    first = {"id": "a", "more": "1", "said": "two\nlines, 两行"}
    assert rows(tmp_path, content) == [(3, first), (4, {"id": "b", "more": "", "said": ""})]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id;said\na;b\n", ", line 1: semicolons separate its cells: save it with commas (CSV UTF-8)"),
        (b"id\tsaid\na\tb\n", ", line 1: tabs separate its cells: save it with commas (CSV UTF-8)"),
        (b"id\n", ": its first line has to name the columns id,said: no 'said'"),
        (b"", ": its first line has to name the columns id,said: no 'id'"),
        (b"id,said\na,b,c\n", ", line 2: it has more cells than the first line names"),
        (b"id,said\n\xff\n", ": not UTF-8 text (invalid start byte): convert it first"),
    ],
)
def test_no_such_sheet(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(UserError) as error:
        rows(tmp_path, content)
    assert str(error.value) == f"{tmp_path}/sheet.csv{words}"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.csv: no such file: put it there"):
        list(sheet_rows(tmp_path / "nowhere.csv", ["id"], ": put it there"))


def test_mistakes_are_a_line_each_and_many_are_cut(tmp_path: Path) -> None:
    refuse(tmp_path, [])
    with pytest.raises(UserError) as error:
        refuse(Path("x.csv"), [(number, "is odd") for number in range(2, 25)])
    lines = str(error.value).splitlines()
    assert lines[0] == "x.csv, line 2: is odd"
    assert lines[19:] == ["x.csv, line 21: is odd", "x.csv: 3 more lines have mistakes"]
