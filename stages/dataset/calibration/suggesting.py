"""The threshold to take: chosen by some labels, judged by others, so that no luck in choosing passes for knowledge.

Of labels that have chosen among eleven thresholds the bounds of the chosen one no longer hold. So labels are in folds:
what all others choose is judged by each, and folds for which the same was chosen judge it together (cross-fitting:
Chernozhukov et al. 2018, "Double/debiased machine learning for treatment and structural parameters"). Choices have
labels in common, so the chance of a wrong suggestion is no longer that of one interval: bench/calibration.py counts it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from stages.dataset.calibration.bounds import Floats
from stages.dataset.calibration.labels import BAD, BLANK, GOOD, KINDS
from stages.dataset.calibration.operating_points import THRESHOLDS, Points, Strata, points_of
from stages.dataset.calibration.samples import Sample

TIMES_MORE = 2.0 ** (np.arange(1, 81) / 4)
"""How many times as many labels are tried: up to a million."""


class Least(NamedTuple):
    """The precision and the recall that are wanted, 0..1."""

    precision: float
    recall: float


class Candidate(NamedTuple):
    """A threshold that labels have chosen, and what is known of all thresholds by labels that judge it."""

    threshold: int
    points: Points


def candidate(sample: Sample, now: int, rejects: bool, least: Least) -> Candidate | None:
    """Return the threshold that is chosen for most folds, each time by all others, judged by the labels of these folds;
    of several the one that finds least. None where none is chosen, as where labels are all alike.
    """
    for_folds = [chosen_without(fold, sample, now, rejects, least) for fold in sample.folds]
    times = Counter(threshold for threshold in for_folds if threshold is not None)
    if not times:
        return None
    most = max(times, key=lambda threshold: (times[threshold], -threshold if rejects else threshold))
    judging = sample.folds[[threshold == most for threshold in for_folds]].sum(axis=0)
    return Candidate(most, points_of(judging, sample.strata, rejects))


def chosen_without(fold: Floats, sample: Sample, now: int, rejects: bool, least: Least) -> int | None:
    """Return what is chosen by the labels that are not in a fold, as if all labels were like them; see `chosen`."""
    choosing = sample.counts - fold
    if are_alike(choosing):
        return None
    times = sample.counts.sum() / choosing.sum()
    return chosen(points_of(choosing * times, sample.strata, rejects), now, least)


def chosen(foreseen: Points, now: int, least: Least) -> int | None:
    """Return the threshold with the highest recall, then precision, of those whose lower bounds are foreseen to reach
    what is wanted; where none is, the one that comes nearest. None where no threshold finds anything rightly.

    Of equal ones today's stays; otherwise the middle one is taken (of two the lower), for it leaves most room on both
    sides.
    """

    def rank(threshold: int) -> tuple[bool, float, float]:
        room = float(reach(foreseen, least)[threshold])
        if room < 0:
            return False, room, 0.0
        return True, float(foreseen.recall[threshold]), float(foreseen.precision[threshold])

    finding = [threshold for threshold in THRESHOLDS if foreseen.found[threshold]]
    best = max(map(rank, finding), default=None)
    alike = [threshold for threshold in finding if rank(threshold) == best]
    if not alike:
        return None
    return now if now in alike else alike[(len(alike) - 1) // 2]


def are_alike(counts: Floats) -> bool:
    """Return whether no two labels say different things that nobody disputes."""
    return not counts[:, [BAD, GOOD]].sum(axis=(0, 2)).all()


def reach(points: Points, least: Least) -> Floats:
    """Return by how much lower bounds reach what is wanted, the lesser of both, shape (…, 11); below 0 they do not."""
    return np.minimum(points.precision_low - least.precision, points.recall_low - least.recall)


def holds(candidate: Candidate, least: Least) -> bool:
    """Return whether the labels that judge say that a candidate has what is wanted."""
    return bool(reach(candidate.points, least)[candidate.threshold] >= 0)


def enough(counts: Floats, strata: Strata, rejects: bool, least: Least) -> int | None:
    """Return how many labels, to two digits, would let some threshold reach what is wanted, if all further ones were as
    those that there are, and none was left blank. None where these are all alike, no threshold has such values, or it
    would take more than a million times as many.

    An estimate: true rates are others than those seen, and of few labels much so.
    """
    if are_alike(counts):
        return None
    counts = counts * (np.array(KINDS) != BLANK)[:, None]
    more = points_of(counts * TIMES_MORE[:, None, None, None], strata, rejects)
    enough_times = np.flatnonzero((reach(more, least) >= 0).any(axis=-1))
    if not len(enough_times):
        return None
    labels = float(counts.sum() * TIMES_MORE[enough_times[0]])
    unit = 10 ** max(0, math.floor(math.log10(labels)) - 1)
    return math.ceil(labels / unit) * unit
