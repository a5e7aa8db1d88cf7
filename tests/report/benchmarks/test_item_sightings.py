"""What observers found, as shapes; whatever else stands there is text."""

from __future__ import annotations

import pytest

from stages.report.benchmarks.sightings import Looked, Shape, looked


def test_boxes_and_lines_are_shapes() -> None:
    boxes, lines = '[["a <b>", 0.5, [1, 2, 30.5, 40]]]', '[["STOP", 0.9, [[0, 0], [9, 1], [9, 5], [0, 4]]]]'
    assert looked(f"[{boxes}, {lines}, []]") == [
        Looked([Shape("a <b>", 0.5, ((1, 2), (30.5, 2), (30.5, 40), (1, 40)))]),
        Looked([Shape("STOP", 0.9, ((0, 0), (9, 1), (9, 5), (0, 4)))]),
        Looked([]),
    ]
    assert looked(f"[{boxes}]")[0].shapes[0].points == "1,2 30.5,2 30.5,40 1,40"


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
