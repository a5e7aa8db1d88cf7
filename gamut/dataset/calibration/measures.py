"""What is known of a filter, as metric files hold it, and which threshold is suggested.

If the same labels choose among eleven thresholds and judge the choice, its bounds no longer hold. So labels are split
into folds: each fold judges what all others choose, and folds with the same choice judge it together (cross-fitting:
Chernozhukov et al. 2018, "Double/debiased machine learning for treatment and structural parameters"). The choices share
labels, so the chance of a wrong suggestion is not that of one interval: bench/calibration.py measures it.
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
"""Factors by which the number of labels is multiplied to find how many are enough: up to a million."""
DIGITS = 6
"""Decimals in metric files: enough for any sample, and the same on every machine."""


METRICS = Path("metrics/calibration.json")


class Least(NamedTuple):
    """The least precision and recall that are required, 0..1."""

    precision: float
    recall: float


def least_of(parameters: Calibrate) -> Least:
    return Least(parameters.least_precision, parameters.least_recall)


class Candidate(NamedTuple):
    """A threshold that some labels chose, and what the labels that judge it say of all thresholds."""

    threshold: int
    points: Points


def candidate(sample: Sample, now: int, rejects: bool, least: Least) -> Candidate | None:
    """Return the threshold that is chosen for most folds, each time by all other folds; these folds judge it. If
    several are chosen equally often, take the one that finds least. None if no fold has a choice, as when all labels
    are equal.
    """
    for_folds = [choose_without_fold(fold, sample, now, rejects, least) for fold in sample.folds]
    times = Counter(threshold for threshold in for_folds if threshold is not None)
    if not times:
        return None
    most = max(times, key=lambda threshold: (times[threshold], -threshold if rejects else threshold))
    judging = sample.folds[[threshold == most for threshold in for_folds]].sum(axis=0)
    return Candidate(most, points_of(judging, sample.strata, rejects))


def choose_without_fold(fold: Floats, sample: Sample, now: int, rejects: bool, least: Least) -> int | None:
    """Return what the labels outside a fold choose, scaled up to the number of all labels."""
    choosing = sample.counts - fold
    if are_alike(choosing):
        return None
    times = sample.counts.sum() / choosing.sum()
    return choose_threshold(points_of(choosing * times, sample.strata, rejects), now, least)


def choose_threshold(foreseen: Points, now: int, least: Least) -> int | None:
    """Return the threshold with the highest recall, then precision, among those whose lower bounds should reach what is
    required; if none should, the one that comes nearest. None if no threshold finds anything rightly.

    Among equal ones today's stays; otherwise the middle one is taken (of two the lower), with most room on both sides.
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
    """Return the smaller margin of the two lower bounds over what is required, shape (…, 11); negative if too low."""
    return np.minimum(points.precision_low - least.precision, points.recall_low - least.recall)


def reaches_wanted(candidate: Candidate, least: Least) -> bool:
    return bool(margins(candidate.points, least)[candidate.threshold] >= 0)


def labels_needed(counts: Floats, strata: Strata, rejects: bool, least: Least) -> int | None:
    """Return how many labels, to two digits, would let some threshold reach what is required, if further labels had the
    rates of the present ones and none was blank. None if all labels are equal, if no threshold has such values, or if
    more than a million times as many labels would be needed.

    This is an estimate: true rates differ from those seen, with few labels by a lot.
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
    """What is known of a filter; undefined values are left out. Shares are 0..1, intervals are 95 % intervals.

    `labels` rows have a label and a score, `unscored` rows only a label. For `disputed` rows people are evenly divided;
    `blank` rows were drawn and have no label. Counts and values leave these two out; bounds assume the worst and the
    best for them. `positives` are the labelled rows that the filter should find: at `threshold` it found `found` and
    `missed` the others; `false_alarms` are rows found wrongly.

    `candidate` is the threshold that labels chose, with its values by the labels that judge it. It is `suggested` if
    its lower bounds reach what is required; if not, about `enough_labels` labels would be needed. Labels that are
    `unsure` may not belong to drawn rows as they are now: if there are any, nothing is suggested. Rows counted in
    `twice` have labels of two or more people, who agree by `kappa` and `alpha`.
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
