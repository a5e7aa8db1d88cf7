"""What observers found, as shapes that are drawn on pictures; whatever else stands there is text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gamut.evaluation.defining.editions import EditionPicture, Item
from gamut.report.benchmarks.checks import MOST_SHAPES, Findings, Mask, Shape, draw_findings, masks_of, read_findings
from gamut.report.site.pages import templates
from gamut.report.site.thumbnails import Thumbnail
from tests.report.page_tree import Element, tree

SHOWN = Thumbnail("pictures/a.jpg", 200, 100, 400, 200)
"""Of 400 x 200 pixels: letters are 400 / 20 = 20 high."""


def boxes(*several: tuple[str, float, Sequence[float]]) -> Findings:
    """What one picture's boxes are read as."""
    [one] = read_findings(json.dumps([several]))
    return one


def as_page(tmp_path: Path, found: Findings, shown: Thumbnail | None = SHOWN) -> Element:
    """What was found, as a page has it."""
    path = tmp_path / "found.html"
    path.write_text(str(templates().get_template("drawn.html").module.found_in([draw_findings(found, shown)], "../")))
    return tree(path)


def test_boxes_and_lines_are_shapes() -> None:
    things, lines = '[["a <b>", 0.5, [1, 2, 30.5, 40]]]', '[["STOP", 0.9, [[0, 0], [9, 1], [9, 5], [0, 4]]]]'
    assert read_findings(f"[{things}, {lines}, []]") == [
        Findings([Shape("a <b>", 0.5, ((1, 2), (30.5, 2), (30.5, 40), (1, 40)))]),
        Findings([Shape("STOP", 0.9, ((0, 0), (9, 1), (9, 5), (0, 4)))]),
        Findings([]),
    ]
    assert read_findings(f"[{things}]")[0].shapes[0].points == "1,2 30.5,2 30.5,40 1,40"


@pytest.mark.parametrize(
    "found",
    [
        '{"dimensions": 768}',
        '[["a", 0.5, [1, 2, 3]]]',
        '[["a", Infinity, [1, 2, 3, 4]]]',
        f'[["a", 0.5, [1, 2, 3, 1{"0" * 400}]]]',
        '[["a", 0.5, ["1", 2, 3, "</svg>"]]]',
        json.dumps([["a", 0.5, [[1, 2]] * 65]]),
        '[["a", 0.5, [1, 2, 3, 4]], "more"]',
    ],
)
def test_what_cannot_be_drawn_is_text(found: str) -> None:
    [one] = read_findings(f"[{found}]")
    assert one.shapes == () and one.text == found


def test_what_is_no_list_of_pictures_is_text() -> None:
    for found in ("7", '{"a": 1}', "[" * 100_000, "no JSON"):
        assert read_findings(found) == [Findings((), found)]
    assert read_findings(None) == []
    for depth in range(900, 1000):  # what can just be read may be too deep to be written
        assert read_findings("[" * depth + "]" * depth)[0].text


@pytest.mark.parametrize(
    ("box", "written_at"),
    [
        ((40, 60, 90, 150), (40, 55, "start")),  # above its left corner, a quarter of a letter apart
        ((300, 60, 390, 150), (390, 55, "end")),  # begins right of the middle: it goes to the left
        ((0, 0, 400, 200), (0, 20, "start")),  # no room above: within, a letter below the edge
        ((0, 25, 90, 90), (0, 20, "start")),
        ((500, 900, 600, 990), (400, 200, "end")),  # lies outside of it
    ],
)
def test_labels_stand_where_they_can_be_read(box: Sequence[float], written_at: tuple[float, float, str]) -> None:
    [tag] = draw_findings(boxes(("a car", 0.875, box)), SHOWN).tags
    assert (tag.x, tag.y, tag.anchor) == written_at


def test_things_of_one_label_have_one_colour() -> None:
    labels = ("cat", "dog", "cat", "cow", *"abcde")
    found = draw_findings(boxes(*((label, 0.5, (0, 0, 9, 9)) for label in labels)), SHOWN)
    assert [tag.colour for tag in found.tags] == [0, 1, 0, 2, 3, 4, 5, 6, 0]


def test_the_surest_are_drawn_in_the_order_in_which_they_were_found(tmp_path: Path) -> None:
    """Of 520 things every second is sure, of which 260 the first 60 are drawn: 0, 2, 4 … 118."""
    found = boxes(*((f"n{n}", (0.9, 0.1)[n % 2], (0, 0, 9, 9)) for n in range(520)))
    assert [one.label for one in found.shapes] == [f"n{n}" for n in range(0, 2 * MOST_SHAPES, 2)] and found.left == 460
    page = as_page(tmp_path, found)
    assert len([*page.all("polygon")]) == len([*page.all("text")]) == len([*page.all("li")]) == MOST_SHAPES
    assert page.words.endswith("… and 460 more, with less confidence")


@pytest.mark.parametrize("label", ["</svg><script>alert(1)</script>\u202e", '" onload="x' + "x" * 10_000])
def test_hostile_labels_are_text(tmp_path: Path, label: str) -> None:
    page = as_page(tmp_path, boxes((label, 0.5, (10, 50, 90, 90))))
    assert [one.tag for one in page.one("svg").all()] == ["polygon", "text"]
    assert {name for one in page.all() for name in one.attributes if name.startswith("on")} == set()
    assert page.one("svg").one("text").text == "1"
    shown = page.one("li").words
    assert "\u202e" not in shown and len(shown) < 500 and shown.endswith("0.5 (10, 50) to (90, 90)")


@pytest.mark.parametrize("shown", [None, Thumbnail(why="is truncated")])
def test_without_its_picture_what_was_found_is_listed(tmp_path: Path, shown: Thumbnail | None) -> None:
    page = as_page(tmp_path, boxes(("cat", 0.5, (10, 50, 90, 90))), shown)
    assert page.words == "cat 0.5 (10, 50) to (90, 90)" and not [*page.all("svg")]


def picture(name: str, role: str) -> EditionPicture:
    sha256 = name.encode().hex().ljust(64, "0")
    return EditionPicture.model_validate(
        {"name": name, "role": role, "sha256": sha256, "media_type": "image/png", "width": 8, "height": 8}
    )


def test_a_mask_lies_over_the_inputs_of_its_size() -> None:
    """As they stand upright, which a stored width and height may not say."""
    images = (
        picture("a", "input"),
        picture("b", "input"),
        picture("m", "mask"),
        picture("n", "mask"),
        picture("s", "solution"),
    )
    small, wide, lost = Thumbnail("s", 4, 4, 8, 8), Thumbnail("w", 8, 4, 16, 8), Thumbnail(why="is truncated")
    shown = dict(zip((one.sha256 for one in images), (small, wide, small, lost, small), strict=True))
    assert masks_of(Item(id=1, prompt="x", images=images), shown) == [Mask("m", small, [("a", small)])]
    shown |= {images[2].sha256: Thumbnail("t", 3, 3, 9, 9)}
    assert masks_of(Item(id=1, prompt="x", images=images), shown)[0].inputs == []
