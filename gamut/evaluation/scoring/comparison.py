"""Two contestants on the items that both were asked: their difference, and its uncertainty.

Differences are paired: their standard error is that of the items' contributions to the difference. Values that are
shown together are tested together: interval, p and detectable difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, ReportedValues, Resampled, Scale, Summed
from gamut.evaluation.scoring import values
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics import inference, ranks
from gamut.evaluation.scoring.statistics.inference import LEVEL, Draws, Floats, Inference, Inferred
from gamut.evaluation.scoring.statistics.ranks import DRAWS, Studentized
from gamut.evaluation.scoring.values import STREAMS, Scores


@dataclass(frozen=True)
class Difference:
    """One reported value of two contestants, over the `n` items that both were asked.

    * `difference`: second minus first, with an interval. `p`: two-sided, for no difference; 1 without an interval, if a
      column has fewer than two items. `detectable`: the smallest true difference that four of five tests would find
      (None if nothing varied).
    * These are at 95 % for this value alone, until `together` sets them for all shown values. `p_adjusted` is the p for
      all.
    * `moved`: how items move the difference around the means of their strata, shape (items,).
    * `added`: each item's part of the difference, shape (items,). The parts of a weighted sum of means add up to it;
      for a function of sums it is what the item moves, and for a resampled value 0.
    """

    name: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    n: int
    detectable: float | None
    inferred: Inference | None = field(repr=False)
    moved: Floats = field(repr=False, compare=False)
    added: Floats = field(repr=False, compare=False)

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.difference, self.low, self.high, self.n)


def differences(
    first: Bounds,
    second: Bounds,
    strata: NDArray[np.int64],
    reported: ReportedValues,
    scales: Mapping[str, Scale],
    seed: int = 0,
) -> list[Difference]:
    """Compare scores at their lowest, in the order of `reported`. A value is left out if a column that counts has no
    scores. `strata`: shape (items,). `scales`: the possible range of each value. `seed`: for resampled values.
    """
    found = [
        compare_resampled(name, one, first.low, second.low, seed)
        if isinstance(one, Resampled)
        else compare_sums(
            name,
            one,
            common_scores(values.least_scores(first, one), values.least_scores(second, one)),
            strata,
            scales.get(name),
        )
        for name, one in reported.items()
    ]
    return [one for one in found if one is not None and not np.isnan(one.difference)]


def common_scores(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    apart = np.isnan(first) | np.isnan(second)
    return np.where(apart, np.nan, first), np.where(apart, np.nan, second)


def compare_resampled(name: str, one: Resampled, first: Scores, second: Scores, seed: int) -> Difference | None:
    """Compare one resampled value. None if it is undefined over the scores that both have."""
    scores = common_scores(first, second)
    ours, theirs = (values.resample_value(own, one, seed, of) for own, of in zip(scores, STREAMS, strict=True))
    if ours is None or theirs is None:
        return None
    gap, n, nothing = (
        inference.draws_of_difference(ours, theirs),
        values.count_items(scores[0], one),
        np.zeros(len(first)),
    )
    return difference_alone(name, ours.value, theirs.value, gap.value, n, gap, nothing, nothing)


def compare_sums(
    name: str, one: Summed, pair: tuple[Scores, Scores], strata: NDArray[np.int64], scale: Scale | None
) -> Difference:
    scores, apart = values.paired_difference(*pair, one)
    inferred, moved = inferred_difference(scores, strata, apart, scale)
    first, second, gap = values.value_of(pair[0], one), values.value_of(pair[1], one), values.value_of(scores, apart)
    n = int(values.counting_items(scores, apart).sum())
    added = values.item_contributions(scores, apart.factors) if isinstance(apart, Linear) else moved
    return difference_alone(name, first, second, gap, n, inferred, moved, added)


def difference_alone(
    name: str,
    first: float,
    second: float,
    difference: float,
    n: int,
    inferred: Inference | None,
    moved: Scores,
    added: Scores,
) -> Difference:
    p = 1.0 if inferred is None else inference.p_value(inferred)
    alone = Difference(name, first, second, difference, None, None, p, p, n, None, inferred, moved, added)
    return difference_at_level(alone, LEVEL)


def inferred_difference(
    scores: Scores, strata: NDArray[np.int64], difference: Summed, scale: Scale | None
) -> tuple[Inferred | None, Floats]:
    """Return a difference with its standard error, None if that is unknown, and how items move it, shape (items,)."""
    ends = None if scale is None else Scale(scale.lowest - scale.highest, scale.highest - scale.lowest)
    value, moves = values.value_of(scores, difference), values.movement(scores, strata, difference)
    found = None if np.isnan(value) else values.infer_from_movement(value, moves, strata, difference, ends)
    return found and inference.as_difference(found), values.movement_within_strata(moves, strata)


def studentized_moves(several: Sequence[Inference | None], moved: Sequence[Scores], seed: int) -> Studentized:
    """Return how several differences move in the same draws, in standard errors. `moved`: each of shape (items,)."""
    by_items = [(one, moves) for one, moves in zip(several, moved, strict=True) if not isinstance(one, Draws)]
    rows: Iterator[Studentized] = iter(())
    if by_items:
        degrees = np.array([1.0 if one is None else one.error.degrees for one, _ in by_items])
        matrix = np.stack([moves for _, moves in by_items])
        rows = iter(ranks.studentize(matrix, ranks.multipliers(matrix.shape[1], seed), degrees, seed))
    found = [inference.normal_deviates(one) if isinstance(one, Draws) else next(rows) for one in several]
    return np.stack(found).astype(np.float32) if found else np.zeros((0, DRAWS), np.float32)


def difference_at_level(one: Difference, level: float) -> Difference:
    if one.inferred is None:
        return one
    low, high = inference.interval(one.inferred, level) or (None, None)
    return replace(one, low=low, high=high, detectable=inference.detectable(one.inferred, level))


def adjust_together(differences: Sequence[Difference], seed: int) -> list[Difference]:
    """Return differences as they are shown together: all intervals hold with 95 % confidence, and adjusted p-values
    account for all tests. As p is adjusted in steps, one below 5 % may belong to an interval that contains 0.
    """
    if not differences:
        return []
    moves = studentized_moves([one.inferred for one in differences], [one.moved for one in differences], seed)
    level = ranks.joint_level(moves)
    return [
        replace(difference_at_level(one, level), p_adjusted=float(p))
        for one, p in zip(differences, ranks.adjust_p_values([one.p for one in differences], moves), strict=True)
    ]
