"""`gamut board`: boards as they were measured; every form holds the same numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.evaluation.defining.measures import averages, ends_of
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import Board, Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.statistics.ranks import RankInterval
from gamut.evaluation.scoring.tables import TIDY, tidy_rows, write_plots, write_tables
from gamut.project.files import write_csv
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS
from tests.command.test_compare import params
from tests.in_command import gamut

EN, ZH = (averages(setting, TRACKS, PRISM.measures) for setting in ("en", "zh"))
FOLDER = Path("metrics/prism/v1")


def standing(name: str, value: float, place: int | None, coverage: float = 1) -> Standing:
    """In every value as good; of tracks nobody knows how far it varies."""
    found = {one: Estimate(value, value - 2.25, value + 1, 14) for one in EN.shown}
    found |= {one: Estimate(value / 2, None, None, 2) for one in EN.profile}
    return Standing(name, found, coverage, rank=place and RankInterval(place, place), tie_group=place)


@pytest.fixture(autouse=True)
def boards(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    params("careful", "hasty")
    rows = [standing("careful", 80.0456, 1), standing("hasty", 3.25, 2, 0.5), standing(f"{CONTROL}blank", 1, None)]
    untrusted = [standing("careful", 50, None), standing("hasty", 60, None)]
    found = [
        Board(EN, "gpt", untrusted, False, ["gpt fails its validation and ranks nobody"]),
        *(Board(metric, "world", rows, remarks=["in our words"]) for metric in (EN, ZH)),
    ]
    ends = {one.name: ends_of(one, PRISM.measures) for one in (EN, ZH)}
    write_csv(FOLDER / "board.csv", TIDY, tidy_rows(found, ends))
    write_tables(FOLDER / "tables", "PRISM-Bench, edition v1", found)
    write_plots(FOLDER / "plots", found)


def shown(*arguments: str) -> str:
    code, said = gamut("board", *arguments)
    assert code == 0, said
    return said


def records(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shown(*arguments, "--format", "json"))
    return found


def test_a_line_a_benchmark_and_contestant() -> None:
    said = [line.strip("│ ").split(" │ ") for line in shown().splitlines() if "│" in line]
    by = "overall, en, judged by world"
    assert [[cell.strip() for cell in line] for line in said] == [
        ["PRISM-Bench", "1", "careful", "80.0 77.8–81.0", by],
        ["PRISM-Bench", "2", "hasty*", "3.3 1.0–4.3", by],
    ]
    assert [(one["contestant"], one["value"], one["trusted"]) for one in records()] == [
        *(("careful", 80.046, 1), ("hasty", 3.25, 1)),
    ]


def test_a_board_with_all_its_values() -> None:
    said = shown("prism")
    assert said.startswith("PRISM-Bench, edition v1, en, judged by world") and "blank" not in said
    assert all(axis in said for axis in ("overall", *AXES)) and "in our words" in said
    assert "* not all scored: every missing score of an asked item" in said
    assert shown("prism", "--metric", "zh").startswith("PRISM-Bench, edition v1, zh, judged by world")
    said = shown("prism", "--judge", "gpt")
    assert "gpt fails its validation" in said and said.splitlines()[4].split()[1:3] == ["│", "careful"]
    assert shown("prism", "--all").count("PRISM-Bench") == 3


def test_all_forms_hold_the_same_numbers() -> None:
    """Papers' forms are the files that the stage wrote; they round to one decimal what CSV and JSON have with three."""
    for form, ending in (("markdown", "md"), ("latex", "tex")):
        written = (FOLDER / f"tables/zh.world.{ending}").read_text("utf-8").splitlines()
        told = [line for line in shown("prism", "--metric", "zh", "--format", form).splitlines() if "* not" not in line]
        assert [line for line in told if line] == [line for line in written if line]
    [head, *lines] = csv.reader(io.StringIO(shown("prism", "--all", "--format", "csv")))
    as_json = records("prism", "--all")
    assert head == [*as_json[0]] and lines == [["" if one is None else str(one) for one in r.values()] for r in as_json]
    assert len(as_json) == 3 * 2 * len((*EN.shown, *EN.profile)), "two contestants on three boards"
    [row] = [line for line in shown("prism", "--format", "markdown").splitlines() if "careful" in line]
    values = {one["name"]: one["value"] for one in records("prism") if one["contestant"] == "careful"}
    told = [float(cell.split()[0]) for cell in row.split(" | ")[2:] if re.match(r"\d", cell)]
    assert told == [pytest.approx(values[name], abs=0.051) for name in EN.tabled]


def test_papers_forms_of_all_benchmarks() -> None:
    row = "| PRISM-Bench | 1 | careful | 80.0 77.8–81.0 | overall, en, judged by world |"
    assert row in shown("--format", "markdown")
    assert r"\begin{tabular}{lrlrl}" in shown("--format", "latex")


def test_a_judge_that_failed_is_named_so() -> None:
    params("careful", "hasty", judges=["gpt", "world"])
    assert "judged by gpt (failed its validation)" in shown().replace("\n", "")


def test_what_has_no_board_is_said_beside_those_that_are_there() -> None:
    (FOLDER / "board.csv").unlink()
    done = CliRunner().invoke(app, ["board", "--format", "json"])
    fix = "metrics/prism/v1/board.csv: no such file: `dvc repro stages/prism/dvc.yaml:board` computes it"
    assert (done.exit_code, done.stdout, done.stderr) == (0, "[]\n", f"prism: {fix}\n")
    assert gamut("board", "prism") == (1, f"{fix}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prsm"], "there is no benchmark 'prsm'; did you mean 'prism'?"),
        (["prism", "--metric", "fr"], "prism has no such board; its boards: --metric en --judge world, "),
        (["--all"], "--metric, --judge and --all need a benchmark: name one of aegis, "),
        (["--format", "excel"], "--format: there is no format 'excel'; known are: csv, json, latex, markdown, table"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], said: str) -> None:
    code, told = gamut("board", *arguments)
    assert code == 1 and told.startswith(said) and told.count("\n") == 1


def test_a_damaged_board_is_refused() -> None:
    path = FOLDER / "board.csv"
    path.write_text(path.read_text().replace("80.046", "eighty"))
    assert gamut("board", "prism") == (1, f"{path} is not a board: delete it and run `dvc repro` to write it again\n")


def test_without_what_ranks_it_names_the_benchmark() -> None:
    """As where each contestant lacks a task that the overall value counts."""
    lines = (FOLDER / "board.csv").read_text("utf-8").splitlines(keepends=True)
    (FOLDER / "board.csv").write_text("".join(line for line in lines if ",overall," not in line), "utf-8")
    assert "prism: no contestant has a value of overall: `gamut board prism` shows the others" in shown()
    assert "careful" in shown("prism")
