"""What an observer's words are worth where people said the truth of some: how it errs, and scores corrected for it.

Where labelled answers are drawn from the contestant's own, `corrected` rests on the drawing alone, however the observer
errs (`prediction_powered`; of words 0 or 1 it is Tenenbein's estimate of 1970). Where labels are pooled over
contestants, `corrected_by_rates` takes recall and specificity to be the same for all (Rogan and Gladen 1978), which few
labels of each cannot show: of a contestant on which the observer errs more the interval is wrong, and does not say so.
The pool's mean difference is no remedy, it hangs on how many answers are right. All intervals are of answers to items
such as these, as on a board, not of these items alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Scale
from stages.evaluation.scoring.statistics.inference import ROUNDING, Inferred, as_many_equal, interval
from stages.evaluation.scoring.statistics.prediction_powered import (
    doubt,
    interval_in_doubt,
    put_right,
    slope_of,
    unseen,
)
from stages.evaluation.scoring.statistics.standard_error import Floats, Movement, StandardError, standard_error
from stages.evaluation.scoring.statistics.wilson import wilson_interval


class Told(NamedTuple):
    """Of each answer the observer's word, 0..1, the truth, 0..1 and NaN where nobody labelled it, and the stratum in
    which those to be labelled were drawn at random; each of shape (answers,).
    """

    words: Floats
    truth: Floats
    strata: NDArray[np.int64]


class Estimate(NamedTuple):
    """A value with its 95 % interval, which is never without width."""

    value: float
    low: float
    high: float


class Rates(NamedTuple):
    """How many of what an observer calls right are right, how many of the right ones it calls right, and of the wrong
    ones wrong; None of none. Precision hangs on how many are right: it is another's only by chance.
    """

    precision: Estimate | None
    recall: Estimate | None
    specificity: Estimate | None


def error_rates(told: Told) -> Rates:
    """Return how an observer errs, labels standing for all of their stratum; ValueError for graded words or truths."""
    drawn, weights = labelled(told)
    words, truth = told.words[drawn], told.truth[drawn]
    check(np.isin([words, truth], (0, 1)))
    of_which = ((truth, words == 1), (words, truth == 1), (1 - words, truth == 0))
    return Rates(*(share(right[those], weights[those]) for right, those in of_which))


def corrected(told: Told) -> Estimate | None:
    """Return the score without the observer's errors, from labels of the contestant's own answers; None without labels,
    and where no score fits: labels of such answers were not drawn at random.

    It is the mean of what stands for the truths (`put_right`), within strata, with one slope for all. Labels that all
    agree leave the score as it is, with room for errors too rare to have been seen.
    """
    drawn, _ = labelled(told)
    if not drawn.any():
        return None
    places = np.unique(told.strata, return_inverse=True)[1]
    chances = (np.bincount(places, drawn) / np.bincount(places))[places]
    slope = slope_of(told.words, told.truth, chances, places)
    values, beyond = np.empty(len(drawn)), np.empty(len(drawn))
    for inside in (places == place for place in range(places.max() + 1)):
        made = put_right(told.words[inside], told.truth[inside], chances[inside], slope)
        values[inside], beyond[inside] = made.values, made.beyond
    answers, in_part, more = len(drawn), chances < 1, 0.0
    if in_part.any():  # of strata that have labels throughout nothing is left to be known
        missed = unseen(told.words[in_part], told.truth[in_part], slope) * in_part.mean()
        squares = float(((beyond[in_part] / answers) ** 2).sum())
        more = doubt(squares, int(drawn[in_part].sum()), int(in_part.sum()), float(missed))
    found = averaged(values, np.full(answers, 1 / answers), told.strata, Scale(0, 1))
    low, high = interval_in_doubt(found, more) or Scale(0, 1)
    if low >= 1 or high <= 0:
        return None
    return Estimate(*np.clip([found.value, low, high], 0, 1).tolist())


def corrected_by_rates(words: Floats, rates: Rates) -> Estimate | None:
    """Return the score of which an observer of such rates says such words, each 0 or 1, of answers without labels.

    A score s is in the interval where (words that are 1) - s·recall - (1 - s)·(1 - specificity) may be 0, distances to
    the ends of the three's intervals squared and added, which asks of each score what Fieller 1954 asks of a ratio. The
    less recall and specificity exceed 1 together, the less words tell: then all of 0..1 is in it, and where they are 1
    the value is its middle. None where a rate is untold, and where no score fits: no such observer says such words.
    """
    check(np.isin(words, (0, 1)))
    said, (_, recall, specificity) = share(words, np.ones(len(words))), rates
    if said is None or recall is None or specificity is None:
        return None
    alarms, told = 1 - specificity.value, recall.value + specificity.value - 1
    value = min(max((said.value - alarms) / told, 0.0), 1.0) if abs(told) > ROUNDING else 0.5
    scores = np.append(np.arange(10_001) / 10_000, value)
    off = said.value - scores * recall.value - (1 - scores) * alarms
    up = (said.high - said.value, recall.value - recall.low, specificity.high - specificity.value)
    down = (said.value - said.low, recall.high - recall.value, specificity.value - specificity.low)
    above, below = (np.hypot(np.hypot(a, scores * b), (1 - scores) * c) for a, b, c in (up, down))
    fits = scores[(off - below <= 0) & (off + above >= 0)]
    return Estimate(value, float(fits.min()), float(fits.max())) if fits.size else None


def labelled(told: Told) -> tuple[NDArray[np.bool_], Floats]:
    """Return which answers have labels, and how much each of these weighs: 1 together, a stratum as many as it has."""
    drawn = ~np.isnan(told.truth)
    check(*((values >= 0) & (values <= 1) for values in (told.words, told.truth[drawn])))
    places = np.unique(told.strata, return_inverse=True)[1]
    sizes, labels = np.bincount(places), np.bincount(places, drawn)
    if drawn.any() and not labels.all():
        raise ValueError("a stratum without labels cannot be corrected: join it to another, or label some of it")
    return drawn, (sizes / np.maximum(labels, 1))[places[drawn]] / len(drawn)


def check(*fit: NDArray[np.bool_]) -> None:
    """Raise a ValueError where a word or truth does not fit, such as the NaN of an observation that failed."""
    if not all(each.all() for each in fit):
        raise ValueError("words and truths lie within 0..1, and are 0 or 1 where rates of error are told")


def averaged(values: Floats, weights: Floats, strata: NDArray[np.int64], ends: Scale) -> Inferred:
    """Return the mean of values within `ends`, by weights that are 1 together, items drawn within strata."""
    value = float(weights @ values)
    error = standard_error(Movement(weights * (values - value), weights, np.ones((len(values), 1), np.bool_)), strata)
    if error is None or error.error < ROUNDING:  # a single one, or all alike: what was not seen may still be there
        error = StandardError(0.0, 1.0)
    return Inferred(value, error, as_many_equal(weights), ends)


def mean(values: Floats, weights: Floats, strata: NDArray[np.int64], ends: Scale) -> Estimate:
    """Return the mean with its interval, by which an interval is never without width."""
    found = averaged(values, weights, strata, ends)
    return Estimate(found.value, *(interval(found) or ends))


def share(hits: Floats, weights: Floats) -> Estimate | None:
    """Return how many are 1, by weight, with Wilson's interval of as many as they are worth (Kish 1965)."""
    if not len(hits):
        return None
    value = min(float(weights @ hits / weights.sum()), 1.0)
    worth = float(weights.sum() ** 2 / (weights @ weights))
    return Estimate(value, *wilson_interval(value * worth, worth))
