"""Scores counted at the places of their scale."""

from __future__ import annotations

import pytest

from stages.evaluation.defining.measures import Scale
from stages.report.benchmarks.judgements import confusion, distribution, nearest, points_of


@pytest.mark.parametrize(
    ("scale", "values", "points"),
    [
        (Scale(0, 1), [0, 1, 1], [0, 1]),
        (Scale(0, 1), [0, 0.25], [n / 10 for n in range(11)]),
        (Scale(0, 10), [2.5], [*range(11)]),
        (Scale(-1, 1), [], [-1, 0, 1]),
        (Scale(1, 5), [], [1, 2, 3, 4, 5]),
        (Scale(0, 100), [50], [10 * n for n in range(11)]),
        (Scale(0, 0.5), [0], [n / 20 for n in range(11)]),
    ],
)
def test_places_are_whole_points_where_that_says_enough(scale: Scale, values: list[float], points: list[float]) -> None:
    assert points_of(scale, values) == pytest.approx(points)


def test_a_score_lies_at_the_nearest_place() -> None:
    points = [1.0, 2.0, 3.0]
    assert [nearest(points, value) for value in (0, 1, 1.49, 1.5, 2.9, 3, 7)] == [0, 0, 0, 1, 2, 2, 2]
    assert distribution(points, {1.2: 2, 0.9: 1, 3: 4}) == [3, 0, 4]
    assert confusion(points, {(1, 3): 2, (1.2, 3): 1, (2, 2): 5}) == [[0, 0, 3], [0, 5, 0], [0, 0, 0]]
