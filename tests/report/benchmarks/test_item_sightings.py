"""What observers found, as shapes that are drawn on pictures; whatever else stands there is text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from stages.report.benchmarks.sightings import LABEL, MOST, Looked, Shape, drawn, looked
from stages.report.site.pages import templates
from stages.report.site.thumbnails import Shown
from tests.report.html import Element, tree

SHOWN = Shown("pictures/a.jpg", 200, 100, 400, 200)
"""Of 400 x 200 pixels: letters are 400 / 20 = 20 high."""


def boxes(*several: tuple[str, float, Sequence[float]]) -> Looked:
    """What one picture's boxes are read as."""
    [one] = looked(json.dumps([several]))
    return one


def as_page(tmp_path: Path, found: Looked, shown: Shown | None = SHOWN) -> Element:
    """What was found, as a page has it."""
    path = tmp_path / "found.html"
    path.write_text(str(templates().get_template("drawn.html").module.found_in([drawn(found, shown)], "../")))
    return tree(path)


def test_boxes_and_lines_are_shapes() -> None:
    things, lines = '[["a <b>", 0.5, [1, 2, 30.5, 40]]]', '[["STOP", 0.9, [[0, 0], [9, 1], [9, 5], [0, 4]]]]'
    assert looked(f"[{things}, {lines}, []]") == [
        Looked([Shape("a <b>", 0.5, ((1, 2), (30.5, 2), (30.5, 40), (1, 40)))]),
        Looked([Shape("STOP", 0.9, ((0, 0), (9, 1), (9, 5), (0, 4)))]),
        Looked([]),
    ]
    assert looked(f"[{things}]")[0].shapes[0].points == "1,2 30.5,2 30.5,40 1,40"


@pytest.mark.parametrize(
    "found",
    [
        '{"dimensions": 768}',
        '[["a", 0.5, [1, 2, 3]]]',
        '[["a", 0.5, [1, 2, 3, NaN]]]',
        '[["a", Infinity, [1, 2, 3, 4]]]',
        f'[["a", 0.5, [1, 2, 3, 1{"0" * 400}]]]',
        '[["a", 0.5, ["1", 2, 3, "</svg>"]]]',
        '[["a", 0.5, [[1, 2], [3]]]]',
        json.dumps([["a", 0.5, [[1, 2]] * 65]]),
        '[["a", 0.5, [1, 2, 3, 4]], "more"]',
    ],
)
def test_what_cannot_be_drawn_is_text(found: str) -> None:
    [one] = looked(f"[{found}]")
    assert one.shapes == () and one.text == found


def test_what_is_no_list_of_pictures_is_text() -> None:
    for found in ("7", '{"a": 1}', "[" * 100_000, "no JSON"):
        assert looked(found) == [Looked((), found)]
    assert looked(None) == []
    for depth in range(900, 1000):  # what can just be read may be too deep to be written
        assert looked("[" * depth + "]" * depth)[0].text


@pytest.mark.parametrize(
    ("box", "written_at"),
    [
        ((40, 60, 90, 150), (40, 55, "start")),  # above its left corner, a quarter of a letter apart
        ((300, 60, 390, 150), (390, 55, "end")),  # begins right of the middle: it goes to the left
        ((0, 0, 400, 200), (0, 20, "start")),  # no room above: within, a letter below the edge
        ((0, 24, 90, 90), (0, 44, "start")),  # 24 < 1.25 letters
        ((0, 25, 90, 90), (0, 20, "start")),
        ((-80, -90, 40, 40), (0, 20, "start")),  # reaches out of the picture
        ((500, 900, 600, 990), (400, 200, "end")),  # lies outside of it
    ],
)
def test_labels_stand_where_they_can_be_read(box: Sequence[float], written_at: tuple[float, float, str]) -> None:
    [tag] = drawn(boxes(("a car", 0.875, box)), SHOWN).tags
    assert tag.text == "1 a car 0.88" and (tag.x, tag.y, tag.anchor) == written_at


def test_things_of_one_label_have_one_colour() -> None:
    labels = ("cat", "dog", "cat", "cow", *"abcde")
    found = drawn(boxes(*((label, 0.5, (0, 0, 9, 9)) for label in labels)), SHOWN)
    assert [tag.colour for tag in found.tags] == [0, 1, 0, 2, 3, 4, 5, 6, 0]


@pytest.mark.parametrize(
    ("left", "top", "texts"),
    [
        (120, 60, ["1 cat 0.5", "2 cat 0.5"]),
        (117, 60, ["1", "2 cat 0.5"]),  # the first would touch the second's number
        (0, 80, ["1 cat 0.5", "2 cat 0.5"]),
        (0, 79, ["1", "2"]),
    ],
)
def test_where_a_label_would_cover_another_its_number_stands(left: int, top: int, texts: list[str]) -> None:
    """A letter is 0.65 * 20 = 13 wide: "1 cat 0.5" goes from 0 to 117, and lines are 20 apart."""
    several = (("cat", 0.5, (0, 60, 9, 90)), ("cat", 0.5, (left, top, left + 9, top + 9)))
    assert [tag.text for tag in drawn(boxes(*several), SHOWN).tags] == texts


def test_a_label_that_would_leave_the_picture_is_left_out() -> None:
    narrow = Shown("pictures/a.jpg", 100, 100, 100, 100)  # a letter is 5 high and 3.25 wide
    [tag] = drawn(boxes(("x" * LABEL, 0.125, (45, 60, 50, 90))), narrow).tags  # 27 letters from 45 on, to 132.75
    assert tag.text == "1"


def test_the_surest_are_drawn_in_the_order_in_which_they_were_found(tmp_path: Path) -> None:
    """Of 520 things every second is sure, of which 260 the first 60 are drawn: 0, 2, 4 … 118."""
    found = boxes(*((f"n{n}", (0.9, 0.1)[n % 2], (0, 0, 9, 9)) for n in range(520)))
    assert [one.label for one in found.shapes] == [f"n{n}" for n in range(0, 2 * MOST, 2)] and found.left == 460
    page = as_page(tmp_path, found)
    assert len([*page.all("polygon")]) == len([*page.all("text")]) == len([*page.all("li")]) == MOST
    assert page.words.endswith("… and 460 more, of which it is less sure")


@pytest.mark.parametrize(
    "label", ["</svg><script>alert(1)</script>", '" onload="x', "x" * 10_000, "\u202eevil\n\n", ""]
)
def test_hostile_labels_are_text(tmp_path: Path, label: str) -> None:
    page = as_page(tmp_path, boxes((label, 0.5, (10, 50, 90, 90))))
    assert [one.tag for one in page.one("svg").all()] == ["polygon", "text"]
    assert {name for one in page.all() for name in one.attributes if name.startswith("on")} == set()
    assert len(page.one("svg").one("text").text) <= len("1  0.5") + LABEL
    shown = page.one("li").words
    assert "\u202e" not in shown and len(shown) < 500 and shown.endswith("0.5 (10, 50) to (90, 90)")


@pytest.mark.parametrize("shown", [None, Shown(why="is truncated")])
def test_without_its_picture_what_was_found_is_listed(tmp_path: Path, shown: Shown | None) -> None:
    page = as_page(tmp_path, boxes(("cat", 0.5, (10, 50, 90, 90))), shown)
    assert page.words == "cat 0.5 (10, 50) to (90, 90)" and not [*page.all("svg")]
