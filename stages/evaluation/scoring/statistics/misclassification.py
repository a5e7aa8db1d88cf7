"""What an observer's words are worth where people said the truth of some: how it errs, and scores corrected for it.

Where labelled answers are drawn from the contestant's own, `corrected` rests on the drawing alone, however the observer
errs: the regression estimator of double sampling (Cochran 1977, "Sampling techniques", section 12.6; of words 0 or 1
Tenenbein's of 1970; as prediction-powered inference Angelopoulos et al. 2023, with the slope of PPI++). Where labels
are pooled over contestants, `corrected_by_rates` takes recall and specificity to be the same for all (Rogan and Gladen
1978), which few labels of each cannot show: of a contestant on which the observer errs more the interval is wrong, and
does not say so. The pool's mean difference is no remedy, it hangs on how many answers are right. All intervals are of
answers to items such as these, as on a board, not of these items alone.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Scale
from stages.evaluation.scoring.statistics.inference import ROUNDING, Inferred, as_many_equal, interval
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

    It is b·(mean word of all answers) + (mean of truth - b·word of those with labels), with b how far the truth follows
    the word: 1 without errors, 0 where words say nothing and labels alone speak; words that do not vary are believed, b
    = 1. As b leaves nothing of the word in the rest, the two do not vary together: on either side distances to the ends
    of their intervals are squared and added (Newcombe 1998; Zou and Donner 2008). Labels that all agree leave the score
    as it is, with room for errors too rare to have been seen.
    """
    drawn, weights = labelled(told)
    if not drawn.any():
        return None
    words, truth, strata = told.words[drawn], told.truth[drawn], told.strata[drawn]
    away = words - means_within(words, strata)
    varies = float(weights @ away**2)
    slope = float(weights @ (away * (truth - means_within(truth, strata)))) / varies if varies > ROUNDING else 1.0
    least, most = min(slope, 0.0), max(slope, 0.0)
    said = mean(slope * told.words, np.full(len(drawn), 1 / len(drawn)), told.strata, Scale(least, most))
    rest = mean(truth - slope * words, weights, strata, Scale(-most, 1 - least))
    below = hypot(said.value - said.low, rest.value - rest.low)
    above = hypot(said.high - said.value, rest.high - rest.value)
    found = said.value + rest.value + np.array([0, -below, above])
    return Estimate(*found.clip(0, 1).tolist()) if found[1] < 1 and found[2] > 0 else None


def corrected_by_rates(words: Floats, rates: Rates) -> Estimate | None:
    """Return the score of which an observer of such rates says such words, each 0 or 1, of answers without labels.

    A score s is in the interval where (words that are 1) - s·recall - (1 - s)·(1 - specificity) may be 0, the intervals
    of the three squared and added as above, which asks of each score what Fieller 1954 asks of a ratio. The less recall
    and specificity exceed 1 together, the less words tell: then all of 0..1 is in it, and where they are 1 the value is
    its middle. None where a rate is untold, and where no score fits: such an observer does not say such words.
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


def means_within(values: Floats, strata: NDArray[np.int64]) -> Floats:
    """Return for each value the mean of its stratum."""
    places = np.unique(strata, return_inverse=True)[1]
    return (np.bincount(places, values) / np.bincount(places))[places]


def mean(values: Floats, weights: Floats, strata: NDArray[np.int64], ends: Scale) -> Estimate:
    """Return the mean of values within `ends`, by weights that are 1 together, items drawn within strata."""
    value = float(weights @ values)
    error = standard_error(Movement(weights * (values - value), weights, np.ones((len(values), 1), np.bool_)), strata)
    if error is None or error.error < ROUNDING:  # a single one, or all alike: what was not seen may still be there
        error = StandardError(0.0, 1.0)
    return Estimate(value, *(interval(Inferred(value, error, as_many_equal(weights), ends)) or ends))


def share(hits: Floats, weights: Floats) -> Estimate | None:
    """Return how many are 1, by weight, with Wilson's interval of as many as they are worth (Kish 1965)."""
    if not len(hits):
        return None
    value = min(float(weights @ hits / weights.sum()), 1.0)
    worth = float(weights.sum() ** 2 / (weights @ weights))
    return Estimate(value, *wilson_interval(value * worth, worth))
