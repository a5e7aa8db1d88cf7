"""Scores without a judge's errors: what it says of all answers, put right by what people say of some of them.

Prediction-powered inference (Angelopoulos et al. 2023, Science 382) with a tuned share of the judge (Angelopoulos,
Duchi and Zrnic 2023, "PPI++"); in surveys the difference estimator of double sampling (Cochran 1977, section 12.6). It
rests on labels being drawn at random. An estimate is the mean of values that stand for the truths of all answers
(`correct_values`).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.statistics.inference import (
    LEVEL,
    Floats,
    Inferred,
    Interval,
    StandardError,
    cut_to_ends,
    interval,
)

ROUNDING = 1e-9
NORMAL = 1.959964
"""How many standard deviations a normal 95 % interval reaches."""
KNOWN = 1e6
"""Degrees of freedom of an error that is known."""
HALF = 0.25
"""Of the variance of a value, where its interval is half as wide."""


class CorrectedValues(NamedTuple):
    """What stands for the truth of each answer; `beyond`: what its own label adds; `less`: the root of that times what
    it would add if all answers had labels; each of shape (answers,).
    """

    values: Floats
    beyond: Floats
    less: Floats


def correct_values(words: Floats, truth: Floats, chances: Floats, slope: float) -> CorrectedValues:
    """Return values whose mean is that of the truths, from a judge's `words` of all answers, the `truth` of those with
    labels (NaN of others), and the chance of each to have been labelled, each of shape (answers,).

    A value is slope · word + R, with R the mean rest, truth - slope · word, each standing for 1 / chance answers, which
    together stand for all (Hájek 1971). With a label it also has its own rest beyond R, as often as it stands for
    answers. Where all have labels it is the truth.
    """
    drawn = ~np.isnan(truth)
    if not drawn.any():
        raise ValueError("no answer has a label: nothing can be put right")
    stands_for = np.where(drawn, 1 / chances, 0)
    stands_for *= len(words) / stands_for.sum()
    rest = np.where(drawn, truth - slope * words, 0)
    average = float(stands_for @ rest) / len(words)
    apart = np.where(drawn, rest - average, 0)
    apart[np.abs(apart) <= ROUNDING] = 0
    beyond = stands_for * apart
    return CorrectedValues(slope * words + average + beyond, beyond, np.sqrt(stands_for) * apart)


def slope_of(words: Floats, truth: Floats, chances: Floats, groups: NDArray[np.int64]) -> float:
    """Return how far the truth follows the judge's word within groups, 0..1: the share of its words that makes values
    vary least (the power tuning of PPI++). Words that do not vary are believed. What is learnt of one contestant helps
    all, and biases none, since values are put right by a contestant's own labels.
    """
    drawn = ~np.isnan(truth)
    weights, group = 1 / chances[drawn], np.unique(groups[drawn], return_inverse=True)[1]
    total = np.bincount(group, weights)

    def apart(values: Floats) -> Floats:
        found: Floats = values - (np.bincount(group, weights * values) / total)[group]
        return found

    of_words = apart(words[drawn])
    varies = float(weights @ of_words**2)
    if varies <= ROUNDING:
        return 1.0
    return min(1.0, max(0.0, float(weights @ (of_words * apart(truth[drawn]))) / varies))


def unseen_share(words: Floats, truth: Floats, slope: float) -> float:
    """Return in how many answers, 0..1, truths may lie elsewhere though no label shows it: a share u is missed n times
    with a chance of (1 - u)^n. 0 where something varied, or where all answers have labels.
    """
    drawn = ~np.isnan(truth)
    if not drawn.any() or drawn.all():
        return 0.0
    varied = [np.ptp((truth - times * words)[drawn]) > ROUNDING for times in (1, slope)]
    return 0.0 if all(varied) else 1 - float((1 - LEVEL) / 2) ** (1 / int(drawn.sum()))


def doubt(squares: float, labels: int, answers: int, missed: float) -> float:
    """Return the standard error that labels leave beyond what values show. `squares`: the sum of squares of what labels
    add; `missed`: how far the value may lie off by errors that no label shows.
    """
    few = squares / max(1, labels - 1) * (1 - labels / answers)
    return float(np.sqrt(few + (missed / NORMAL) ** 2))


def add_doubt(one: Inferred, error: float) -> Inferred:
    """Return a value that varies by a further standard error; one that does not vary by its items, by that alone."""
    own = one.error
    degrees = own.degrees if own.error else KNOWN
    return one._replace(error=StandardError(float(np.hypot(own.error, error)), degrees))


def interval_in_doubt(one: Inferred, error: float) -> Interval | None:
    """Return the interval with a further standard error: on either side distances to both intervals' ends are squared
    and added (Newcombe 1998; Zou and Donner 2008).
    """
    found = interval(one)
    if found is None:
        return None
    below, above = (float(np.hypot(abs(end - one.value), NORMAL * error)) for end in found)
    return cut_to_ends(one.ends, one.value, one.value - below, one.value + above)


def labels_to_halve(
    variance: float, squares: float, less: float, missed: float, labels: int, answers: int
) -> int | None:
    """Return how many labels would make an interval half as wide; None where not even all would.

    Of a value's `variance` labels make `squares` - `less`; t times as many leave squares / t - less, a t-th of what may
    be `missed`, and the `doubt` of that.
    """
    items = max(0.0, variance - (squares - less))

    def varies(count: int) -> float:
        left = squares * labels / count
        hidden = missed * labels / count if count < answers else 0.0
        return items + max(0.0, left - less) + doubt(left, count, answers, hidden) ** 2

    wanted = HALF * varies(labels)
    if varies(answers) > wanted:
        return None
    return labels + bisect_left(range(labels, answers + 1), True, key=lambda count: varies(count) <= wanted)
