"""The gap over both scores (Fig. 3 of the paper), and how it goes with their mean: the lag curve.

Every point is a contestant in one category. The curve is a local mean of the points' gaps over half the sum of their
scores; points of one contestant are not independent, and it has no interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.estimates import rounded
from stages.gapeval.reports.standings import GAP, GEN, UND
from stages.gapeval.reports.table import Line
from stages.gapeval.shared.fitting import formula
from stages.gapeval.shared.items import CATEGORIES

Floats = NDArray[np.float64]
HEAD = ("judge", "contestant", "category", "und", "gen", "gap", "score", "lag")
REACH = 15.0
"""Points of the score on either side within which others count for the curve, the less the further off."""
FEWEST = 3
"""Points within reach: of fewer there is no curve."""


class Point(NamedTuple):
    """A contestant's scores in one category, in percent."""

    judge: str
    contestant: str
    category: str
    und: float
    gen: float
    gap: float

    @property
    def score(self) -> float:
        """Return the mean of both scores."""
        return (self.und + self.gen) / 2


def points(table: Iterable[Line]) -> list[Point]:
    """Return a point for each contestant and category with both scores and a gap."""
    found = []
    for line in table:
        for category in CATEGORIES:
            own = [line.values.get((category, score)) for score in (UND, GEN, GAP)]
            numbers = [one.value for one in own if one is not None]
            if len(numbers) == len(own):
                found.append(Point(line.judge, line.contestant, category, *numbers))
    return found


def lag(given: Sequence[Point], score: float) -> float | None:
    """Return the curve at a score, 0..100: the mean gap of the points within REACH of it, weighed by how near they are;
    None where they are fewer than FEWEST.
    """
    near = [(1 - abs(one.score - score) / REACH, one.gap) for one in given if abs(one.score - score) < REACH]
    if len(near) < FEWEST:
        return None
    return sum(weight * gap for weight, gap in near) / sum(weight for weight, _ in near)


def rows(given: Sequence[Point]) -> Iterator[tuple[object, ...]]:
    """Yield the points of one judge under HEAD, with the curve at each one's score, empty where there is none."""
    for one in given:
        told = lag(given, one.score)
        yield *one, rounded(one.score), "" if told is None else rounded(told)


def at_independence(und: Floats, gen: Floats) -> Floats:
    """Return the gap, 0..100, by its formula at scores above 0 and below 100, if what is right in words told nothing of
    what is right as a picture: both right in und · gen of the samples, neither in (1 - und)(1 - gen).

    A contestant's own gap lies higher where its sides succeed, and fail, in the same samples, since what both get
    wrong weighs more than what both get right (`fitting.formula`); and it is drawn towards what is probable
    where it rests on few items: so points may be of another colour than what they lie on.
    """
    u, g = und / 100, gen / 100
    return 100 * formula.gap(np.log(u / (1 - u)) - np.log(g / (1 - g)), (1 - u) * (1 - g), u * g)
