"""`gamut gap`: anyone's counts, nobody changes anybody, and hostile files are refused in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stages.command import gap
from stages.command.cli import app
from stages.gapeval.shared.fitting import released

ITEMS = [[2, 0, 0, 0], [2, 0, 0, 0], [0, 2, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
ROWS = [
    {"model": "mine [7B]", "category": "reasoning", "counts": [40, 30, 10, 20]},
    {"model": "mine [7B]", "category": "numerical", "counts": [2, 15, 6, 77]},
    {"model": "other", "category": "numerical", "counts": [4, 3, 2, 1], "items": ITEMS},
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(released, "STOPS", (released.STEPS,))
    monkeypatch.chdir(tmp_path)


def call(rows: Any, *arguments: str) -> tuple[int, str]:
    text = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    Path("rows.json").write_bytes(text)
    result = CliRunner().invoke(app, ["gap", "rows.json", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def gaps(rows: Any, *arguments: str) -> dict[tuple[str, str | None], dict[str, Any]]:
    code, said = call(rows, "--json", *arguments)
    assert code == 0, said
    return {(one["model"], one["category"]): one for one in json.loads(said)["gaps"]}


@pytest.mark.parametrize("mode", ["identified", "released"])
def test_every_gap_lies_in_its_interval_and_nobody_changes_anybody(mode: str) -> None:
    found = gaps(ROWS, "--mode", mode)
    assert [category for _, category in found] == ["reasoning", "numerical", None, "numerical", None]
    assert all(0 <= one["low"] <= one["gap"] <= one["high"] < 100 for one in found.values())
    row = found["mine [7B]", "reasoning"]
    assert [row[name] for name in ("succ", "und", "gen", "fail")] == [40, 70, 50, 20]
    assert gaps(ROWS[2:], "--mode", mode)["other", None] == found["other", None]
    assert gaps(ROWS[:2], "--mode", mode)["mine [7B]", None] == found["mine [7B]", None]


def test_the_example_of_the_docs_is_taken() -> None:
    page = (Path(__file__).parents[2] / "docs/gapeval.md").read_text()
    example = page.partition("```\n[{")[2].partition("\n```")[0]
    assert list(gaps(json.loads("[{" + example))) == [
        ("mine", "reasoning"), ("mine", "numerical"), ("mine", None)
    ]  # fmt: skip


def test_a_category_of_the_name_none_is_not_taken_for_all_of_them() -> None:
    found = gaps([{"model": "mine", "category": "None", "counts": [1, 2, 3, 4]}])
    assert found["mine", "None"]["succ"] == 10 and "succ" not in found["mine", None]


def test_order_of_rows_and_items_changes_nothing_identified() -> None:
    turned = [row | ({"items": row["items"][::-1]} if "items" in row else {}) for row in reversed(ROWS)]
    assert gaps(turned) == gaps(ROWS)


def test_items_make_an_interval_wider_where_their_samples_are_alike() -> None:
    items = [[10, 0, 0, 0]] * 4 + [[0, 10, 0, 0]] * 4 + [[0, 0, 0, 10]] * 4
    row = {"model": "m", "category": "c", "counts": [40, 40, 0, 40]}
    [apart, together] = [gaps([one])["m", "c"] for one in (row, row | {"items": items})]
    assert together["high"] - together["low"] > 1.5 * (apart["high"] - apart["low"])


def test_the_table_says_what_it_rests_on() -> None:
    code, said = call(ROWS)
    assert code == 0 and "mine [7B]" in said and "overall" in said and "2 rows: no items are named" in said
    assert max(map(len, said.split("\ngap:")[0].splitlines())) <= 80
    assert re.search(r" [\d.]+ +[\d.]+–[\d.]+ +[+-][\d.]+ +[+-][\d.]+ to [+-][\d.]+\n", said)  # no interval is broken
    assert "models have unlike categories" in said and "unlike categories" not in call(ROWS[:2])[1]
    code, said = call([ROWS[0] | {"counts": [0.4, 0.3, 0.1, 0.2]}], "--mode", "released")
    assert code == 0 and "spread" in said and "no ranking should rest on it" in said


def row_with(**changes: Any) -> list[Any]:
    return [ROWS[0] | changes]


REFUSED: dict[str, tuple[Any, str]] = {
    "no JSON": (b"[", "is no JSON"),
    "not UTF-8": (b"\xff\xfe", "is no JSON"),
    "not a number": (b'[{"model": "m", "category": "c", "counts": [NaN, 1, 1, 1]}]', "NaN is no number"),
    "infinite": (b'[{"model": "m", "category": "c", "counts": [1e999, 1, 1, 1]}]', "rows.0.counts.0"),
    "too long a number": (
        b'[{"model": "m", "category": "c", "counts": [' + b"9" * 5000 + b", 1, 1, 1]}]",
        "is no JSON",
    ),
    "negative": (row_with(counts=[-1, 1, 1, 1]), "rows.0.counts.0: -1"),
    "a bool": (row_with(counts=[True, 1, 1, 1]), "rows.0.counts.0: True"),
    "huge": (row_with(counts=[10**12, 1, 1, 1]), "rows.0.counts.0"),
    "text": (row_with(counts=["1", 1, 1, 1]), "rows.0.counts.0"),
    "blank name": (row_with(model="  "), "rows.0.model"),
    "half a character": (row_with(model="\ud800"), "rows.0.model"),
    "three counts": (row_with(counts=[1, 1, 1]), "rows.0.counts"),
    "nothing counted": (row_with(counts=[0, 0, 0, 0]), "nothing was counted"),
    "shares": (row_with(counts=[0.4, 0.3, 0.1, 0.2]), "whole numbers are wanted"),
    "wrong key": (row_with(count=[1, 1, 1, 1]), "did you mean 'counts'?"),
    "no model": ([{"category": "c", "counts": [1, 1, 1, 1]}], "rows.0.model: this key is missing"),
    "repeated key": (b'[{"model": "m", "model": "n", "category": "c", "counts": [1, 1, 1, 1]}]', "stands twice"),
    "repeated row": ([ROWS[0], ROWS[0]], "'reasoning' twice"),
    "other items": (row_with(items=[[1, 0, 0, 0]]), "do not add up to counts"),
    "unlike items": (row_with(items=[[40, 30, 10, 19], [0, 0, 0, 1]]), "same number of samples"),
    "an object": ({"rows": ROWS}, "a list of objects is wanted"),
    "nothing": ([], "rows"),
    "nested deeply": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "too many": ([ROWS[0] | {"category": str(number)} for number in range(1_001)], "rows"),
    "too large": (b" " * 10_000_000, "larger than"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_files_are_refused_in_one_line(case: str) -> None:
    rows, expected = REFUSED[case]
    code, said = call(rows)
    assert code == 1 and expected in said and len(said.splitlines()) == 1 and len(said) < 600, said


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_what_is_no_file_is_refused_in_one_line(name: str) -> None:
    result = CliRunner().invoke(app, ["gap", name])
    assert result.exit_code == 1 and len(result.output.splitlines()) == 1, result.output


def test_names_of_others_are_shown_harmlessly() -> None:
    code, said = call(row_with(model="[bold]\x1b[31mred\nline"))
    assert code == 0 and "\x1b[31m" not in said and "[bold]" in said


def test_help_has_examples() -> None:
    said = CliRunner().invoke(app, ["gap", "--help"], env={"COLUMNS": "200"}).output
    assert "--mode released" in said and "Examples" in said
    assert '"counts": [both, text only, picture only, neither]' in " ".join(said.split())  # brackets are no markup
    assert gap.LARGEST < 10_000_000
