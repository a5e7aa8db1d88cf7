"""The report of a small board: relations with the paper's Table 3 once more, released gaps, points of the map."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.parameters import Contestant
from gamut.project.errors import UserError
from gamut.project.files import write_json, write_whole
from gamut.project.validation import check_values
from stages.gapeval import released as by_release
from stages.gapeval.relations import flat_values, gaps, ranking_values, relate, relation_text, relations
from stages.gapeval.released import MAP_COLUMNS, released_gap, released_gaps, values_by_contestant
from stages.gapeval.shared.benchmark import Params
from stages.gapeval.shared.items import CATEGORIES
from tests import fakes
from tests.paths import ROOT

NAMES = ("bagel", "onecat", "uniworld", "unipic2", "show_o2", "omnigen2", "gemini_flash_image", "gpt_image_1")
GEMINI = dict(zip(NAMES, (72.96, 60.67, 66.64, 73.39, 72.33, 88.87, 62.65, 47.47), strict=True))
GPT = dict(zip(NAMES, (71.52, 54.73, 63.47, 68.97, 67.83, 89.74, 62.91, 50.61), strict=True))
"""Table 3 of the paper."""
FOLDER = Path("metrics/gapeval/v1")
GOOD, POOR = (60, 90, 65), (25, 50, 50)
"""Right in both settings, in words, as a picture."""


def test_two_judges_as_printed() -> None:
    both = relate(GEMINI, GPT)
    keys = flat_values("judges.gemini.gpt", both)
    assert keys["judges.gemini.gpt.contestants"] == 8 and keys["judges.gemini.gpt.pearson"] == 0.966
    assert (keys["judges.gemini.gpt.pearson_lo"], keys["judges.gemini.gpt.pearson_hi"]) == pytest.approx(
        (0.82, 0.99), abs=0.005
    )
    assert {f"judges.gemini.gpt.spearman{end}" for end in ("", "_lo", "_hi")} <= keys.keys()
    assert re.fullmatch(
        r"pearson 0\.97 \(0\.82 to 0\.99\), spearman 0\.\d\d \(.*\); 8 contestants", relation_text(both)
    )


def test_what_cannot_be_told() -> None:
    three = dict([*GPT.items()][:3])
    assert relate(GEMINI, three) == (3, {}) and flat_values("x", relate(GEMINI, three)) == {"x.contestants": 3}
    assert relation_text(relate(GEMINI, three)) == "not reported for 3, at least 4 contestants are expected"
    alike = relate(GEMINI, dict.fromkeys(NAMES, 50.0))
    assert alike.n == 8 and not alike.estimates
    assert relation_text(alike) == "not reported, all 8 contestants are equal in one of the two"
    exact = relate(GEMINI, {name: 2 * value for name, value in GEMINI.items()})
    assert flat_values("x", exact) == {"x.contestants": 8, "x.pearson": 1, "x.spearman": 1}
    assert relation_text(exact) == "pearson 1.00, spearman 1.00; 8 contestants"


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=9))
def test_no_relation_is_nan(given: list[tuple[int, int]]) -> None:
    first, second = ({str(n): float(pair[setting]) for n, pair in enumerate(given)} for setting in (0, 1))
    keys = flat_values("x", relate(first, second))
    assert keys.pop("x.contestants") == len(given) and all(-1 <= value <= 1 for value in keys.values())


def test_another_board_gives_what_it_ranks_by_of_those_it_ranks() -> None:
    start = "prism.v1.0.en.gpt"  # an edition may have dots
    board = {
        f"{start}.bagel.overall": 71.0,
        f"{start}.bagel.overall_scored": 71.5,
        f"{start}.bagel.rank_best": 1,
        f"{start}.bagel.style": 60.0,
        f"{start}.onecat.overall": 50.0,
        f"{start}.onecat.overall_scored": 51.0,
        f"{start}.onecat.coverage": 0.4,  # and no rank: too little was judged
        f"{start}.control_blank.overall": 1.0,
        f"{start}.control_blank.overall_scored": 1.0,
        "prism.v1.0.transfer.gpt.bagel.both": 40.0,
        "prism.v1.0.transfer.gpt.bagel.both_scored": 40.0,
        "prism.v1.0.transfer.gpt.bagel.rank_best": 2,
    }
    assert ranking_values(board, NAMES) == {
        f"{start}.overall": {"bagel": 71.0},
        "prism.v1.0.transfer.gpt.both": {"bagel": 40.0},
    }
    assert ranking_values(board, ["onecat", "en"]) == {}


def contestant(**own: object) -> Contestant:
    return Contestant.model_validate({"class": "unified", "model": {"kind": "sandbox"}, **own})


def of_gap(judge: str, of: dict[str, float]) -> dict[str, float]:
    """The gaps of contestants by a judge, each with an interval of 2 to either setting."""
    ends = {"": 0.0, "_lo": -2.0, "_hi": 2.0}
    return {f"both_settings.{judge}.{name}.gap{end}": gap + by for name, gap in of.items() for end, by in ends.items()}


def test_who_counts_where_contestants_are_the_units() -> None:
    contestants = {"a": contestant(), "b": contestant(variant_of="a"), "c": contestant(), "d": contestant()}
    board = of_gap("gpt", {"a": 10, "b": 20, "control_blank": 90}) | {"both_settings.gpt.c.gap": 30.0}
    assert gaps(board, "gpt", contestants) == {"a": 10}  # of c too little was judged, of d nothing


def metrics_of(*categories: tuple[float, ...], judge: str = "gpt") -> dict[str, float]:
    """What a contestant's metrics have: succ, und, gen, and a gap of 20, of each category."""
    return {
        f"both_settings.{judge}.{category}.{score}": value
        for category, values in zip(CATEGORIES, categories, strict=False)
        for score, value in zip(("succ", "und", "gen", "gap"), (*values, 20), strict=True)
    }


def test_the_paper_s_order_stands_beside_ours(project: Path) -> None:
    """Who is right more often has the larger gap by the release, the lowest first. One lacks a category."""
    metrics = {"good": metrics_of(*[GOOD] * 4), "poor": metrics_of(*[POOR] * 4), "part": metrics_of(GOOD)}
    for name, own in metrics.items():
        write_json(FOLDER / f"contestants/{name}.json", own)
    values = values_by_contestant(params_of("gpt", contestants=[*metrics]), "gpt")
    found = dict(released_gaps(values))
    assert (found["good.place"], found["poor.place"]) == (2, 1) and not [key for key in found if "part" in key]
    shares = np.array([[[0.6, 0.3, 0.05, 0.05]] * 4])  # of good: both right, text alone, picture alone, neither
    assert found["good.overall"] == pytest.approx(100 * released_gap(shares).mean(), abs=1e-3)
    assert dict(released_gaps({"part": values["part"]})) == {}


def params_of(*judges: str, contestants: Sequence[str] = "abcde") -> Params:
    models = {name: {"kind": "openai", "id": name} for name in ("gemini", "gpt")} | {"world": {"kind": "sandbox"}}
    measured = {name: {"class": "unified", "model": {"kind": "openai", "id": name}} for name in contestants}
    asking: dict[str, Any] = {"width": 64, "height": 64, "max_failures": 0}
    block = {"edition": "v1", "judges": [*judges], "controls_of": [], "answer": asking, "judge": {"max_failures": 0}}
    return check_values(Params, fakes.values(gapeval=block, models=models, contestants=measured), Path("params.yaml"))


@pytest.fixture
def boards(project: Path) -> dict[str, float]:
    of_gemini = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0, "e": 50.0}
    board = of_gap("gemini", of_gemini) | of_gap("gpt", of_gemini | {"e": 41.0})
    write_json(FOLDER / "board.json", board)
    write_json(FOLDER / "contestants/a.json", metrics_of(GOOD, judge="gemini") | {"spec.und.gemini": "a digest"})
    for benchmark in ("other", "deleted"):
        other: dict[str, float] = {}
        for name, value in {"a": 90.0, "b": 85.0, "c": 60.0, "d": 50.0}.items():
            start = f"{benchmark}.v1.en.world.{name}"
            other |= {f"{start}.overall": value, f"{start}.overall_scored": value, f"{start}.rank_best": 1}
        write_json(Path(f"datasets/boards/{benchmark}.json"), other)
    write_whole(Path("stages/other/dvc.yaml"), b"stages: {}\n")  # deleted has none any more
    write_json(Path("datasets/boards/gapeval.json"), {f"gapeval.v1.{key}": value for key, value in board.items()})
    write_json(Path("datasets/boards/gone.left_out.json"), {"gone.left_out": "its edition is not there"})
    return board


def test_rounded_shares_may_sum_to_more_than_one() -> None:
    """Right are 10 of 12 in both settings, 11 in either: .83333 + .08334 + .08334 is above 1, and neither is 0. Where
    both are alike the fit itself is off by tenths of a point.
    """

    def gaps_of(succ: float, either: float) -> dict[str, float]:
        shares = {"succ": succ, "und": either, "gen": either}
        values = {(category, name): share for category in CATEGORIES for name, share in shares.items()}
        return dict(released_gaps({"one": values}))

    assert gaps_of(83.333, 91.667) == pytest.approx(gaps_of(1000 / 12, 1100 / 12), abs=0.5)


def test_all_is_written_and_said(boards: dict[str, float], capsys: pytest.CaptureFixture[str]) -> None:
    by_release.released(params_of("gemini", "gpt"))
    relations(params_of("gemini", "gpt"))
    found, said = json.loads(Path("metrics/relations/gapeval.json").read_text()), capsys.readouterr().out
    assert found["judges.gemini.gpt.contestants"] == 5 and 0.9 < found["judges.gemini.gpt.pearson"] < 1
    assert found["boards.gemini.other.v1.en.world.overall.contestants"] == 4  # e has no rank there
    assert found["boards.gemini.other.v1.en.world.overall.spearman"] == -1
    assert not [key for key in found if "gapeval" in key or "gone" in key or "deleted" in key]
    assert "gapeval.relations: gaps by gemini and gpt: pearson 0.9" in said
    assert "gap by gemini with other.v1.en.world.overall: pearson -0.9" in said and "nan" not in said.lower()
    points = (FOLDER / "gap_map.csv").read_text().splitlines()
    assert points == [",".join(MAP_COLUMNS), "gemini,a,world_knowledge,90,65,20"]
    assert json.loads((FOLDER / "released.json").read_text()) == {}


def test_a_judge_that_failed_its_validation_is_held_against_no_board(
    boards: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(FOLDER / "board.json", boards | {"both_settings.gemini.validation.passed": 0})
    relations(params_of("gemini"))
    assert json.loads(Path("metrics/relations/gapeval.json").read_text()) == {}
    assert "the gap by gemini is compared with no other board: gemini failed its validation" in capsys.readouterr().out


def test_a_board_of_nobody_makes_empty_reports(project: Path) -> None:
    write_json(FOLDER / "board.json", {})
    by_release.released(params_of("gemini", "gpt"))
    relations(params_of("gemini", "gpt"))
    assert json.loads(Path("metrics/relations/gapeval.json").read_text()) == {"judges.gemini.gpt.contestants": 0}


@pytest.mark.usefixtures("boards")
def test_a_damaged_board_is_named() -> None:
    Path("datasets/boards/other.json").write_text("[")
    with pytest.raises(UserError, match=r"datasets/boards/other\.json is not a metric file"):
        relations(params_of("gemini"))


def test_the_template_reads_columns_of_the_file() -> None:
    template = (ROOT / ".dvc/plots/gap_map.json").read_text(encoding="utf-8")
    assert json.loads(template)["data"]["values"] == "<DVC_METRIC_DATA>"
    made = {*re.findall(r'"as": "(\w+)"', template), "rev"}
    read = {*re.findall(r"datum\.(\w+)", template), *re.findall(r'"field": "(\w+)"', template)}
    assert read <= {*MAP_COLUMNS, *made}
