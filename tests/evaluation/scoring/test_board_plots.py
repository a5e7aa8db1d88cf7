"""Boards as tables for `dvc plots` and as one picture: what is drawn is what is reported."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageColor, ImageDraw

from stages.evaluation.defining.measures import View
from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import NOTE, Board, Standing, unranked
from stages.evaluation.scoring.board_picture import (
    BARS,
    BLUE,
    GREY,
    LINE,
    MARGIN,
    NAMES,
    PITCH,
    RANKS,
    WIDTH,
    bands,
    draw_board,
    end_of,
    notes,
)
from stages.evaluation.scoring.estimates import Estimate
from stages.evaluation.scoring.plots import write_plots
from stages.evaluation.scoring.statistics.ranks import RankInterval
from tests.paths import ROOT

LEFT = MARGIN + RANKS + NAMES
"""Where bars begin."""


def standing(name: str, overall: float | None, group: int | None, **profile: float) -> Standing:
    """A row whose interval reaches 2 to either side, without one at 0."""
    found = {stratum: Estimate(value, None, None, 3) for stratum, value in profile.items()}
    if overall is not None:
        bounds = (overall - 2, overall + 2) if overall else (None, None)
        found["overall"] = Estimate(overall, *bounds, 6)
    rank = None if group is None else RankInterval(1, 2)
    return Standing(name, found, coverage=1.0, rank=rank, tie_group=group)


BOARD = [
    standing("careful", 80, 1, style=70.12345, entity=90),
    standing("average", 79, 1, style=75),
    standing("hasty", 40, 2, style=30, entity=50),
    standing("mute", None, None, style=20),
    standing(f"{CONTROL}blank", 0, None, style=1, entity=0),
]


def board(side: str, rows: list[Standing], *profile: str, highest: float | None = 100) -> Board:
    """A view of one side, ranked by overall."""
    return Board(View(side, (side,), (), {}, ("overall",), profile), "world", rows, highest)


def test_of_what_was_not_scored_it_is_said_once() -> None:
    whole, in_part = board("en", BOARD[:2]), board("en", [replace(row, coverage=0.5) for row in BOARD[:2]])
    assert not [line for line in notes([whole]) if "not all scored" in line]
    assert notes([in_part, in_part]).count(NOTE) == 1


BOARDS = [board("en", BOARD, "style", "entity"), board("zh", BOARD[:1], "style", "entity")]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_intervals_have_a_row_for_everybody_with_a_value(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS)
    assert lines(tmp_path / "intervals.csv") == [
        "contestant,side,judge,value,low,high,tie_group",
        "careful,en,world,80.0,78.0,82.0,1",
        "average,en,world,79.0,77.0,81.0,1",
        "hasty,en,world,40.0,38.0,42.0,2",
        "control_blank,en,world,0.0,,,",
        "careful,zh,world,80.0,78.0,82.0,1",
    ]


def test_profiles_have_a_row_for_every_value_of_contestants(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS[:1])
    assert lines(tmp_path / "profiles.csv") == [
        "contestant,side,judge,stratum,value",
        "careful,en,world,style,70.123",
        "careful,en,world,entity,90.0",
        "average,en,world,style,75.0",
        "hasty,en,world,style,30.0",
        "hasty,en,world,entity,50.0",
        "mute,en,world,style,20.0",
    ]


@pytest.mark.parametrize("name", ["intervals", "profiles"])
def test_templates_read_columns_that_are_written(tmp_path: Path, name: str) -> None:
    write_plots(tmp_path, BOARDS)
    columns = set(lines(tmp_path / f"{name}.csv")[0].split(","))
    template = (ROOT / f".dvc/plots/{name}.json").read_text(encoding="utf-8")
    assert "<DVC_METRIC_DATA>" in json.loads(template)["data"]["values"]
    made = set(re.findall(r'"as": "(\w+)"', template)) | {"rev"}
    read = set(re.findall(r"datum\.(\w+)", template)) | set(re.findall(r'"field": "(\w+)"', template))
    assert read <= columns | made


def drawn(tmp_path: Path, name: str = "board.webp") -> Image.Image:
    path = tmp_path / name
    draw_board(path, "A board", BOARDS)
    return Image.open(path).convert("RGB")


def runs(picture: Image.Image, colour: str, x: int) -> list[tuple[int, int]]:
    """Where a colour stands in a column of pixels: first and last row of each run."""
    wanted = ImageColor.getrgb(colour)
    rows = [y for y in range(picture.height) if picture.getpixel((x, y)) == wanted]
    starts = [y for y in rows if y - 1 not in rows]
    return [(y, next(end for end in range(y, picture.height) if end + 1 not in rows)) for y in starts]


def test_the_picture_is_lossless_and_the_same_each_time(tmp_path: Path) -> None:
    picture = drawn(tmp_path)
    assert picture.width == WIDTH and picture.height < 600
    drawn(tmp_path, "again.webp")
    assert (tmp_path / "again.webp").read_bytes() == (tmp_path / "board.webp").read_bytes()
    assert picture.getpixel((0, 0)) == (255, 255, 255)


def test_bars_are_as_long_as_values(tmp_path: Path) -> None:
    picture = drawn(tmp_path)
    # A fifth of the way three contestants of the first board and one of the second have a bar, halfway all but hasty
    # (40), and at 90 nobody. One pixel off the grid lines at 0, 25, 50...
    assert [len(runs(picture, BLUE, LEFT + round(BARS * share))) for share in (0.2, 0.45, 0.9)] == [4, 3, 0]
    # The control's 0 is a line of grey a pixel wide.
    assert len(runs(picture, GREY, LEFT)) == 1 and runs(picture, GREY, LEFT + 1) == []


def test_a_stroke_joins_those_who_cannot_be_told_apart(tmp_path: Path) -> None:
    # careful and average: two rows of 26 pixels, less 3 at either end; hasty and the one of the second board are alone.
    [(top, end)] = runs(drawn(tmp_path), BLUE, MARGIN)
    assert end - top + 1 == 2 * 26 - 6


def test_a_stroke_is_broken_where_others_stand_between(tmp_path: Path) -> None:
    groups = [2, 2, 1, 2, None, None]
    picture = Image.new("RGB", (WIDTH, len(groups) * PITCH), "white")
    bands(ImageDraw.Draw(picture), 0, [standing("one", 1, group) for group in groups])
    assert runs(picture, BLUE, MARGIN) == [(3, 2 * PITCH - 4)]  # the first two; neither one alone nor who has no group


def test_who_was_not_scored_in_full_is_marked(tmp_path: Path) -> None:
    rows = [replace(BOARD[0], coverage=coverage) for coverage in (1.0, 0.9)]
    pictures = []
    for row in rows:
        draw_board(tmp_path / "board.webp", "A board", [board("en", [row])])
        pictures.append(Image.open(tmp_path / "board.webp").convert("RGB"))
    whole, marked = pictures
    assert marked.height > whole.height  # a note more
    name = MARGIN + RANKS, 0, LEFT, 150
    assert ImageChops.difference(whole.crop(name), marked.crop(name)).getbbox()
    said = notes([board("en", rows)])
    assert said[:-1] == notes([board("en", rows[:1])]) and said[-1].startswith("* not all")


def test_bars_of_what_has_no_end_reach_to_the_highest_that_is_there(tmp_path: Path) -> None:
    assert end_of(board("across", BOARD, highest=None)) == 82 and end_of(board("across", BOARD)) == 100
    assert end_of(board("across", [], highest=None)) == 1
    draw_board(tmp_path / "board.webp", "A board", [board("across", BOARD, highest=None)])
    picture = Image.open(tmp_path / "board.webp").convert("RGB")
    assert len(runs(picture, BLUE, LEFT + round(BARS * 0.9))) == 2  # 80 and 79 of 82


def test_the_board_of_a_judge_that_failed_is_grey_and_says_why(tmp_path: Path) -> None:
    rows = unranked(BOARD[:3])
    lost = board("en", rows, "style")._replace(trusted=False, said=("the judge fails its trial and ranks nobody: why",))
    draw_board(tmp_path / "board.webp", "A board", [lost])
    picture = Image.open(tmp_path / "board.webp").convert("RGB")
    assert len(runs(picture, GREY, LEFT + 10)) == 3
    assert max(max(colour) - min(colour) for _, colour in picture.getcolors(1 << 20) or []) < 20  # nothing is blue
    draw_board(tmp_path / "told.webp", "A board", [lost._replace(said=())])
    assert Image.open(tmp_path / "told.webp").height == picture.height - LINE
