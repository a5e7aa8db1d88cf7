"""The gap over both scores: points, curve and ground by hand, and the picture by its pixels."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from stages.evaluation.scoring.board_picture import MARGIN
from stages.gapeval.reports.heat_map import FEWEST, HEAD, REACH, Point, at_independence, lag, points, rows
from stages.gapeval.reports.heat_map_picture import (
    CORNERS,
    HEADING,
    LEFT,
    SIDE,
    colour,
    draw_heat_map,
    ground,
)
from stages.gapeval.reports.table import lines
from stages.gapeval.shared.items import CATEGORIES
from tests.gapeval.reports.gap_boards import contestant, one_sided, unified
from tests.paths import ROOT


def point(und: float, gen: float, gap: float, name: str = "a", category: str = "numerical") -> Point:
    return Point("gpt", name, category, und, gen, gap)


def at(score: float, gap: float) -> Point:
    return point(score, score, gap)


def test_a_point_has_both_scores_and_a_gap() -> None:
    board = unified("a", (50, 60, 70, 20), (0, 20, 10)) | one_sided("und", "b", 30, reasoning=30)
    table = lines(board, "gpt", {"a": contestant(), "b": contestant("understanding")}, "gapeval")
    assert points(table) == [point(60, 70, 20, category="world_knowledge")]


def test_the_curve_by_hand() -> None:
    # From 50: 47 weighs 1 - 3/15 = .8, 50 weighs 1, 59 weighs 1 - 9/15 = .4; 65 is 15 away and out of reach.
    given = [at(47, 90), at(50, 60), at(59, 30), at(65, 0)]
    assert lag(given, 50) == pytest.approx((0.8 * 90 + 60 + 0.4 * 30) / 2.2)
    assert lag(given, 40) is None and lag(given[:2], 50) is None and lag([], 50) is None
    of_three = [at(47, 90), at(50, 60), at(80, 30)]
    assert [row[HEAD.index("lag")] for row in rows(of_three)] == ["", "", ""]
    assert [*rows(given)][1] == ("gpt", "a", "numerical", 50, 50, 60, 50, round((0.8 * 90 + 60 + 0.4 * 30) / 2.2, 3))


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=12), st.floats(0, 100))
def test_the_curve_lies_among_its_points(given: list[tuple[float, float]], score: float) -> None:
    told = lag([at(*one) for one in given], score)
    near = [gap for where, gap in given if abs(where - score) < REACH]
    assert (told is None) == (len(near) < FEWEST)
    assert told is None or min(near) - 1e-9 <= told <= max(near) + 1e-9


def test_the_ground_by_hand() -> None:
    # 80 % and 50 %: logits 1.386 and 0 lie 1.386 apart, whose gap before both wrong (.1) and both right (.4) is
    # 1.386 / 2.386, of logit ln 1.386; 2.7 * .1 - 1.05 * .4 = -.15 less.
    logit = math.log(math.log(4)) - 0.15
    assert at_independence(np.array(80.0), np.array(50.0)) == pytest.approx(100 / (1 + math.exp(-logit)))
    assert at_independence(np.array(50.0), np.array(80.0)) == at_independence(np.array(80.0), np.array(50.0))
    assert at_independence(np.array(30.0), np.array(30.0)) < 0.001  # equal abilities


def test_the_ground_rises_with_the_distance_from_the_diagonal() -> None:
    colours = ground().astype(int).sum(axis=2)
    assert ground().shape == (100, 100, 3)
    assert colours[:, 0].argmax() == 99 and colours[99].argmax() == 0  # lightest where both are nearly 0
    assert (np.diag(colours[::-1]) == colours.max()).all()


def drawn(path: Path, given: list[Point]) -> Image.Image:
    draw_heat_map(path, "GapEval", {"gpt": given}, {"gpt": "gpt failed its trial"})
    return Image.open(path).convert("RGB")


def test_points_have_their_own_colour_and_place(tmp_path: Path) -> None:
    given = [point(80, 20, 0, category=category, name=category) for category in CATEGORIES[:1]]
    given += [point(20, 80, 100, category=category) for category in CORNERS]
    picture = drawn(tmp_path / "map.webp", given)
    top, left = MARGIN + 42 + HEADING, MARGIN + LEFT
    beside = 6  # pixels: beside the number
    where = left + round(0.8 * SIDE) + beside, top + round(0.8 * SIDE)
    assert picture.getpixel(where) == colour(0) == (250, 243, 221)
    where = left + round(0.2 * SIDE) + beside, top + round(0.2 * SIDE) + 2
    assert picture.getpixel(where) == colour(100) == (84, 20, 74)
    drawn(tmp_path / "again.webp", given)
    assert (tmp_path / "map.webp").read_bytes() == (tmp_path / "again.webp").read_bytes()


def test_a_map_without_points_is_a_map(tmp_path: Path) -> None:
    assert drawn(tmp_path / "map.webp", []).height < drawn(tmp_path / "many.webp", many()).height
    draw_heat_map(tmp_path / "none.webp", "GapEval", {}, {})


def many() -> list[Point]:
    return [point(one, 100 - one, one, name=f"contestant_{one}") for one in range(0, 101, 5)]


@pytest.mark.parametrize("name", ["gap_map", "gap_lag"])
def test_templates_read_columns_of_the_file(name: str) -> None:
    template = (ROOT / f".dvc/plots/{name}.json").read_text(encoding="utf-8")
    assert json.loads(template)["data"]["values"] == "<DVC_METRIC_DATA>"
    made = {*re.findall(r'"as": "(\w+)"', template), "rev"}
    read = {*re.findall(r"datum\.(\w+)", template), *re.findall(r'"field": "(\w+)"', template)}
    assert read <= {*HEAD, *made}
