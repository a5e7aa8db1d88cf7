"""The stage: what it writes of a small board, twice the same bytes, without a NaN; and what it says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from stages.gapeval.report import report
from stages.gapeval.shared.parameters import Params
from stages.project.errors import UserError
from stages.project.files import write_json
from stages.project.parameters import check
from tests import fakes
from tests.gapeval.proposing import PROPOSE
from tests.gapeval.reports.gap_boards import of_gap, one_sided, unified

IDS = {"a": "org/a", "b": "bagel-7b", "c": "c-3", "d": "omni-d", "e": "gpt-image-1", "mute": "gpt-x"}
FOLDER = Path("metrics/gapeval/v1")
WRITTEN = ("table.csv", "table_long.csv", "table.md", "heat_map.csv", "heat_map.webp", "relations.json")


def params_of(*judges: str) -> Params:
    models = {name: {"kind": "openai", "id": id} for name, id in (("gemini", "google/gemini-3"), ("gpt", "gpt-5"))}
    models["world"] = {"kind": "sandbox"}
    contestants = {name: {"class": "unified", "model": {"kind": "openai", "id": id}} for name, id in IDS.items()}
    contestants["mute"]["class"] = "generation"
    asking: dict[str, Any] = {"width": 64, "height": 64, "max_failures": 0}
    block = {"edition": "v1", "judges": [*judges], "controls_of": [], "answer": asking, "judge": {"max_failures": 0}}
    block["propose"] = PROPOSE
    return check(Params, fakes.values(gapeval=block, models=models, contestants=contestants), Path("params.yaml"))


def write_boards() -> None:
    gaps = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0, "e": 50.0}
    board = of_gap("gemini", gaps) | of_gap("gpt", gaps | {"e": 41.0})
    for n, name in enumerate(gaps):
        board |= unified(name, (50, 60 + n, 70, 20 + n), (0, 20 + n, 10, 80))
    board |= one_sided("gen", "mute", 33, judge="gemini", reasoning=33) | {"both_sides.gpt.trial.passed": 1}
    write_json(FOLDER / "board.json", board)
    write_json(
        FOLDER / "a.json", {"both_sides.gemini.numerical.fail": 12.5, "spec.und.gemini": "a digest"}
    )  # not shown
    other: dict[str, float] = {}
    for name, value in {"a": 90.0, "b": 85.0, "c": 60.0, "d": 50.0, "mute": 10.0}.items():
        start = f"other.v1.en.world.{name}"
        other |= {f"{start}.overall": value, f"{start}.overall_scored": value, f"{start}.rank_best": 1}
    write_json(Path("datasets/boards/other.json"), other)
    write_json(Path("datasets/boards/gapeval.json"), {f"gapeval.v1.{key}": value for key, value in board.items()})
    write_json(Path("datasets/boards/gone.left_out.json"), {"gone.left_out": "its edition is not there"})


def digests() -> dict[str, str]:
    return {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in WRITTEN}


def test_all_is_written_and_the_same_twice(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_boards()
    report(params_of("gemini", "gpt"))
    first, said = digests(), capsys.readouterr().out
    report(params_of("gemini", "gpt"))
    assert digests() == first
    found = json.loads((FOLDER / "relations.json").read_text(), parse_constant=pytest.fail)
    assert found["judges.gemini.gpt.contestants"] == 5 and 0.9 < found["judges.gemini.gpt.pearson"] < 1
    # Gemini less gpt is 0 but for e, of gpt's family, where it is 9: gpt gives its own 9 less. Nobody is of gemini's.
    assert found["judges.gemini.gpt.gpt.preference"] == -9 and found["judges.gemini.gpt.gpt.kin"] == 1
    assert found["judges.gemini.gpt.gpt.others"] == 4 and found["judges.gemini.gpt.gemini.kin"] == 0
    assert found["boards.gemini.other.v1.en.world.overall.contestants"] == 4  # e has no rank there, mute no gap here
    assert found["boards.gemini.other.v1.en.world.overall.spearman"] == -1
    assert -1 <= found["boards.gemini.other.v1.en.world.overall.pearson"] < -0.9
    assert not [key for key in found if "gapeval" in key or "gone" in key]
    assert "gapeval.report: gaps by gemini and by gpt: pearson 0.9" in said
    assert "gpt against gemini, gaps of its own family: -9.0 points" in said and "of its family: e" in said
    assert "gemini against gpt, its own family: cannot be told" in said
    assert "gap by gemini with other.v1.en.world.overall: pearson -0.9" in said and "nan" not in said.lower()
    rows = (FOLDER / "table.csv").read_text().splitlines()
    assert len(rows) == 1 + 6 + 5 and rows[6].startswith("gemini,Generation alone,mute,")


def test_a_judge_that_failed_its_trial_is_held_against_no_board(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_boards()
    board = json.loads((FOLDER / "board.json").read_text()) | {"both_sides.gemini.trial.passed": 0}
    write_json(FOLDER / "board.json", board)
    write_json(
        FOLDER / "a.json", {"both_sides.gemini.numerical.fail": 12.5, "spec.und.gemini": "a digest"}
    )  # not shown
    report(params_of("gemini"))
    assert json.loads((FOLDER / "relations.json").read_text()) == {}
    said = capsys.readouterr().out
    assert "the gap by gemini, which failed its trial, is held against no other board" in said
    assert "gemini failed its trial: these numbers rank nobody." in (FOLDER / "table.md").read_text()


def test_a_board_of_nobody_makes_empty_reports(project: Path) -> None:
    write_json(FOLDER / "board.json", {})
    report(params_of("gemini", "gpt"))
    assert json.loads((FOLDER / "relations.json").read_text())["judges.gemini.gpt.contestants"] == 0
    assert len((FOLDER / "table.csv").read_text().splitlines()) == 1


def test_a_damaged_board_is_named(project: Path) -> None:
    write_boards()
    Path("datasets/boards/other.json").write_text("[")
    with pytest.raises(UserError, match=r"datasets/boards/other\.json: no metrics"):
        report(params_of("gemini"))
