"""CSV files as people and spreadsheets write them: read, or refused in one line that says where and why."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.errors import UserError
from gamut.project.files import write_csv


def rows(folder: Path, content: bytes) -> list[tuple[int, dict[str, str]]]:
    path = folder / "sheet.csv"
    path.write_bytes(content)
    return list(form_rows(path, ["id", "said"], ": put it there"))


def test_a_spreadsheets_mark_and_line_ends_and_more_columns(tmp_path: Path) -> None:
    content = '\ufeffid,more,said\r\n a ,1,"two\nlines, 两行"\r\nb\r\n'.encode()
    first = {"id": "a", "more": "1", "said": "two\nlines, 两行"}
    assert rows(tmp_path, content) == [(3, first), (4, {"id": "b", "more": "", "said": ""})]


PLAIN = "id,said\na,1\nb,两\nc,\n"
CELLS = [("a", "1"), ("b", "两"), ("c", "")]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (lambda text: text, [2, 3, 4]),
        (lambda text: "\ufeff" + text.replace("\n", "\r\n") + "\r\n\r\n", [2, 3, 4]),
        (lambda text: text.replace("\n", "\r"), [2, 3, 4]),
        (lambda text: text.removesuffix("\n"), [2, 3, 4]),
        (lambda text: text + ',\n" ",""\n,,,,\n', [2, 3, 4]),
        (lambda text: text.replace("\n", "\n\n"), [3, 5, 7]),
        (lambda text: text.replace("\n", " , \n").replace(",", " ,  "), [2, 3, 4]),
        (lambda text: text.replace("id,said", '"id","said"'), [2, 3, 4]),
    ],
)
def test_the_same_rows(tmp_path: Path, change: Callable[[str], str], lines: list[int]) -> None:
    found = rows(tmp_path, change(PLAIN).encode())
    assert found == [(line, {"id": a, "said": b}) for line, (a, b) in zip(lines, CELLS, strict=True)]


FORMULAS = [
    "=1+1", "+1+1", "-1+cmd|'/C calc'!A0", "@SUM(A1)", "＝1", "＋1", "－1", "＠x", '=HYPERLINK("http://x"&A1,"y")',
    "\t=1", "\r=1", " =1", "\u00a0=1", "\u200b=1", "'=1", '"=1', "''=1", "' - 1", "'-1", "- a list", "-", "+1 800 5",
    "\x00=1", "\x01=1", "\xad=1", "\u202e=1", "\u2066=1",
]  # fmt: skip
OTHERS = ["", "a=1", "'", "'twas", "''", "-0.5", "+2", "1e-9", "-.5e+3", "狗", "– 5", "https://x/?a=b"]


def test_no_spreadsheet_computes_what_others_wrote_and_every_text_is_read_again(tmp_path: Path) -> None:
    texts = [*FORMULAS, *(f"'{text}" for text in FORMULAS), *OTHERS]
    path = tmp_path / "sheet.csv"
    write_csv(path, ["id", "=said"], [(number, text) for number, text in enumerate(texts)])
    with path.open(newline="") as file:
        [names, *cells] = csv.reader(file, strict=True)
    assert names == ["id", "'=said"]
    assert [cell for _, cell in cells] == [text if text in OTHERS else f"'{text}" for text in texts]
    found = [row["=said"] for _, row in form_rows(path, ["id", "=said"], "")]
    assert found == [text.strip() for text in texts]
    write_csv(path, ["x"], [(-0.5,), (None,), (3,)])
    assert path.read_text() == 'x\n-0.5\n""\n3\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id,said,id\na,b,c\n", ", line 1: two columns are named 'id'"),
        (b"id,said,\na,b,\na,b,c\n", ", line 3: it has more cells than the first line names"),
        (b'id,said\na,"b\n', " cannot be read as CSV, in or before line 2: unexpected end of data"),
        (b"id;said\na;b\n", ", line 1: semicolons separate its cells: save it with commas (CSV UTF-8)"),
        (b"id\n", ": its first line must name the columns id,said: 'said' is missing"),
        (b"", ": its first line must name the columns id,said: 'id' is missing"),
        (b"id,said\n\xff\n", " is not UTF-8 text (invalid start byte): convert it first"),
    ],
)
def test_no_such_sheet(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(UserError) as error:
        rows(tmp_path, content)
    assert str(error.value) == f"{tmp_path}/sheet.csv{words}"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.csv: no such file: put it there"):
        list(form_rows(tmp_path / "nowhere.csv", ["id"], ": put it there"))


def test_mistakes_are_a_line_each_and_many_are_cut(tmp_path: Path) -> None:
    refuse_lines(tmp_path, [])
    with pytest.raises(UserError) as error:
        refuse_lines(Path("x.csv"), [(number, "is odd") for number in range(2, 25)])
    lines = str(error.value).splitlines()
    assert lines[0] == "x.csv, line 2: is odd"
    assert lines[19:] == ["x.csv, line 21: is odd", "x.csv: 3 more lines have mistakes"]
