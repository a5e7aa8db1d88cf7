"""What is known of a filter, as metric files hold it; and the threshold to take, chosen by some labels and judged by
others, so that no luck in choosing passes for knowledge.

Of labels that have chosen among eleven thresholds the bounds of the chosen one no longer hold. So labels are in folds:
what all others choose is judged by each, and folds for which the same was chosen judge it together (cross-fitting:
Chernozhukov et al. 2018, "Double/debiased machine learning for treatment and structural parameters"). Choices have
labels in common, so the chance of a wrong suggestion is no longer that of one interval: bench/calibration.py counts it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from gamut.dataset.calibration.labels import BAD, BLANK, DISPUTED, GOOD, KINDS, Agreement
from gamut.dataset.calibration.operating_points import THRESHOLDS, Floats, Points, Strata, points_of
from gamut.dataset.calibration.sampling import Sample
from gamut.dataset.shared.parameters import Calibrate
from gamut.project.validation import Strict

TIMES_MORE = 2.0 ** (np.arange(1, 81) / 4)
"""How many times as many labels are tried: up to a million."""
DIGITS = 6
"""Decimals in metric files: enough for any sample, and the same on every machine."""


METRICS = Path("metrics/calibration.json")


class Least(NamedTuple):
    """The precision and the recall that are wanted, 0..1."""

    precision: float
    recall: float


def least_of(parameters: Calibrate) -> Least:
    return Least(parameters.least_precision, parameters.least_recall)


class Candidate(NamedTuple):
    """A threshold that labels have chosen, and what is known of all thresholds by labels that judge it."""

    threshold: int
    points: Points


def candidate(sample: Sample, now: int, rejects: bool, least: Least) -> Candidate | None:
    """Return the threshold that is chosen for most folds, each time by all others, judged by the labels of these folds;
    of several the one that finds least. None where none is chosen, as where labels are all alike.
    """
    for_folds = [choose_without_fold(fold, sample, now, rejects, least) for fold in sample.folds]
    times = Counter(threshold for threshold in for_folds if threshold is not None)
    if not times:
        return None
    most = max(times, key=lambda threshold: (times[threshold], -threshold if rejects else threshold))
    judging = sample.folds[[threshold == most for threshold in for_folds]].sum(axis=0)
    return Candidate(most, points_of(judging, sample.strata, rejects))


def choose_without_fold(fold: Floats, sample: Sample, now: int, rejects: bool, least: Least) -> int | None:
    """Return what the labels that are not in a fold choose, as if all labels were like them."""
    choosing = sample.counts - fold
    if are_alike(choosing):
        return None
    times = sample.counts.sum() / choosing.sum()
    return choose_threshold(points_of(choosing * times, sample.strata, rejects), now, least)


def choose_threshold(foreseen: Points, now: int, least: Least) -> int | None:
    """Return the threshold with the highest recall, then precision, of those whose lower bounds are foreseen to reach
    what is wanted; where none is, the one that comes nearest. None where no threshold finds anything rightly.

    Of equal ones today's stays; otherwise the middle one is taken (of two the lower), for it leaves most room on both
    sides.
    """

    def rank(threshold: int) -> tuple[bool, float, float]:
        room = float(margins(foreseen, least)[threshold])
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
    return not counts[:, [BAD, GOOD]].sum(axis=(0, 2)).all()


def margins(points: Points, least: Least) -> Floats:
    """Return by how much lower bounds reach what is wanted, the lesser of both, shape (…, 11); below 0 they do not."""
    return np.minimum(points.precision_low - least.precision, points.recall_low - least.recall)


def reaches_wanted(candidate: Candidate, least: Least) -> bool:
    return bool(margins(candidate.points, least)[candidate.threshold] >= 0)


def labels_needed(counts: Floats, strata: Strata, rejects: bool, least: Least) -> int | None:
    """Return how many labels, to two digits, would let some threshold reach what is wanted, if all further ones were as
    those that there are, and none was left blank. None where these are all alike, no threshold has such values, or it
    would take more than a million times as many.

    An estimate: true rates are others than those seen, and of few labels much so.
    """
    if are_alike(counts):
        return None
    counts = counts * (np.array(KINDS) != BLANK)[:, None]
    more = points_of(counts * TIMES_MORE[:, None, None, None], strata, rejects)
    enough_times = np.flatnonzero((margins(more, least) >= 0).any(axis=-1))
    if not len(enough_times):
        return None
    labels = float(counts.sum() * TIMES_MORE[enough_times[0]])
    unit = 10 ** max(0, math.floor(math.log10(labels)) - 1)
    return math.ceil(labels / unit) * unit


class Measures(Strict):
    """What is known of a filter; what is undefined is left out. Shares are 0..1, intervals hold with 95 %.

    `labels` rows have a label and a score, `unscored` a label alone; of `disputed` ones as many people say the one as
    the other, `blank` ones were drawn and have no label: counts and values are without them, bounds take them for the
    worst and for the best. `positives` are the labelled rows that it is to find; at
    `threshold` it found `found` of them, `missed` the others, and raised `false_alarms`.

    `candidate` is the threshold that labels chose, and what is known of it by those that judge it; it is `suggested`
    where its lower bounds reach what is wanted. Where they do not `enough_labels` would, by the rates seen.
    `unsure` labels are not known to be of rows that were drawn, as they are now: where there are any nothing is
    suggested. `twice` rows have labels of two people or more, who agree by `kappa` and `alpha`.
    """

    labels: int
    unscored: int
    threshold: int
    disputed: int | None = None
    blank: int | None = None
    positives: int | None = None
    found: int | None = None
    missed: int | None = None
    false_alarms: int | None = None
    precision: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    recall: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    candidate: int | None = None
    candidate_precision: float | None = None
    candidate_precision_low: float | None = None
    candidate_precision_high: float | None = None
    candidate_recall: float | None = None
    candidate_recall_low: float | None = None
    candidate_recall_high: float | None = None
    suggested: int | None = None
    enough_labels: int | None = None
    unsure: int | None = None
    twice: int | None = None
    kappa: float | None = None
    alpha: float | None = None

    @property
    def are_alike(self) -> bool:
        return self.positives in (0, self.labels - (self.disputed or 0))


def measure(
    sample: Sample,
    unscored: int,
    threshold: int,
    rejects: bool,
    least: Least,
    agreement: Agreement | None = None,
    unsure: int = 0,
) -> Measures:
    counts = sample.counts
    disputed, blank = (int(counts[:, kind].sum()) for kind in (DISPUTED, BLANK))
    labels = int(counts.sum()) - blank
    people = agreement._asdict() if agreement else {}
    if not labels:
        return Measures(labels=0, unscored=unscored, threshold=threshold, **people)
    points, other = points_of(counts, sample.strata, rejects), candidate(sample, threshold, rejects, least)
    is_reached = other is not None and reaches_wanted(other, least)
    suggested = other.threshold if other and is_reached and not unsure else None
    return Measures(
        labels=labels,
        unscored=unscored,
        threshold=threshold,
        disputed=disputed or None,
        blank=blank or None,
        positives=int(counts[:, BAD if rejects else GOOD].sum()),
        found=int(points.found[threshold]),
        missed=int(points.missed[threshold]),
        false_alarms=int(points.false_alarms[threshold]),
        **shares(points, threshold),
        candidate=other.threshold if other else None,
        **(shares(other.points, other.threshold, "candidate_") if other else {}),
        suggested=suggested,
        enough_labels=None if is_reached else labels_needed(counts, sample.strata, rejects, least),
        unsure=unsure or None,
        **people,
    )


def shares(points: Points, threshold: int, prefix: str = "") -> dict[str, Any]:
    """Return precision and recall with their bounds under the names of metric files, where defined."""
    found: dict[str, Any] = {}
    for name in ("precision", "recall"):
        values = {key: float(getattr(points, key)[threshold]) for key in (name, f"{name}_low", f"{name}_high")}
        if not math.isnan(values[name]):
            found |= {prefix + key: round(value, DIGITS) for key, value in values.items()}
    return found


def mean_shares(report: Collection[Measures]) -> dict[str, float]:
    """Return the means over the filters of which precision and recall are known."""
    known = {name: [getattr(one, name) for one in report] for name in ("precision", "recall")}
    found = {name: [value for value in values if value is not None] for name, values in known.items()}
    return {name: round(fmean(values), DIGITS) for name, values in found.items() if values}


def round_or_none(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
