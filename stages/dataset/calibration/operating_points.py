"""Precision and recall of a threshold on scores 0..10 from labelled rows, at every threshold, and the one to take.

What a filter looks for are its positives: for one that rejects the rows that should be rejected, found when
score < threshold; for a characteristic the rows that belong, found when score >= threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.wilson import wilson_interval
from stages.project.validation import Strict

THRESHOLDS = range(11)
CONFIDENCE = 0.95
LEAST_RECALL = 0.5
"""Share of its positives that a suggested threshold finds, unless none does so precisely."""
DIGITS = 6
"""Decimals in metric files: enough for any sample, and the same on every machine."""

Mass = NDArray[np.float64]
"""Some labelled rows: how many, the sum of their weights, the sum of the weights' squares."""


@dataclass(frozen=True)
class Tally:
    """Labelled rows by label (0: should not pass, 1: should) and score: an array of masses, 2 x 11 x 3."""

    masses: NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, len(THRESHOLDS), 3)))

    def add(self, score: int, good: bool, weight: float = 1.0) -> None:
        """Count a row that stands for `weight` rows (1 where all rows are labelled, more in a stratified sample)."""
        self.masses[int(good), score] += (1, weight, weight**2)

    def point(self, threshold: int, rejects: bool) -> OperatingPoint:
        """Return what a threshold finds, misses and finds wrongly."""
        scores = np.arange(len(THRESHOLDS))
        found = scores < threshold if rejects else scores >= threshold
        negatives, positives = self.masses[::-1] if rejects else self.masses
        return OperatingPoint(
            threshold,
            found=positives[found].sum(axis=0),
            missed=positives[~found].sum(axis=0),
            false_alarms=negatives[found].sum(axis=0),
        )

    def curve(self, rejects: bool) -> list[OperatingPoint]:
        """Return the points of all thresholds 0..10."""
        return [self.point(threshold, rejects) for threshold in THRESHOLDS]


@dataclass(frozen=True)
class Proportion:
    """A share in a sample and its Wilson interval at 95 %, all 0..1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold with its positives found and missed and its false alarms."""

    threshold: int
    found: Mass
    missed: Mass
    false_alarms: Mass

    @property
    def precision(self) -> Proportion | None:
        """Of what is found, how much is rightly found; None when nothing is found."""
        return proportion(self.found, self.false_alarms)

    @property
    def recall(self) -> Proportion | None:
        """Of the positives, how many are found; None when there are none."""
        return proportion(self.found, self.missed)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall, 0 when nothing is rightly found."""
        found = self.found[1]
        return float(2 * found / (2 * found + self.missed[1] + self.false_alarms[1])) if found else 0.0


def proportion(part: Mass, rest: Mass) -> Proportion | None:
    """Return the share of `part` in `part` and `rest`, by weight; None when both are empty.

    The sample size of the interval is the effective one (Kish 1965): the square of the weights' sum over the sum of
    their squares, which is the number of rows when all weigh the same.
    """
    _, weight, square = part + rest
    if not weight:
        return None
    share, size = float(part[1] / weight), float(weight**2 / square)
    return Proportion(share, *wilson_interval(share * size, size, CONFIDENCE))


def suggestion(tally: Tally, rejects: bool, least_precision: float) -> OperatingPoint | None:
    """Return the threshold with the highest recall among those whose precision is at least `least_precision` and whose
    recall is at least LEAST_RECALL: what finds next to nothing is no filter, however precise.

    Where none is, the one with the best F1. Of thresholds that part the labelled rows alike the middle one is taken
    (of two the lower), for it leaves most room on both sides. None without labels of both kinds, or where no
    threshold finds anything rightly.
    """
    both_kinds = tally.masses[:, :, 0].sum(axis=1).all()
    finding = [point for point in tally.curve(rejects) if both_kinds and point.f1]
    precise = [
        point
        for point in finding
        if point.precision and point.precision.value >= least_precision
        if point.recall and point.recall.value >= LEAST_RECALL
    ]

    def rank(point: OperatingPoint) -> tuple[float, float]:
        return (point.found[1], -point.false_alarms[1]) if precise else (point.f1, point.found[1])

    candidates = precise or finding
    best = max(map(rank, candidates), default=None)
    alike = [point for point in candidates if rank(point) == best]
    return alike[(len(alike) - 1) // 2] if alike else None


def average_precision(tally: Tally, rejects: bool) -> float | None:
    """Return the mean of the precisions at every score, weighted by the gain in recall; None without positives."""
    weights = tally.masses[:, :, 1]
    negatives, positives = weights[::-1] if rejects else weights[:, ::-1]  # found first: in front
    found, false_alarms = positives.cumsum(), negatives.cumsum()
    gains = positives > 0
    if not gains.any():
        return None
    precision = found[gains] / (found + false_alarms)[gains]
    return float((positives[gains] * precision).sum() / found[-1])


class Measures(Strict):
    """What is known of a filter, as metric files hold it; what is undefined is left out.

    `labels` rows have a label and a score, `unscored` a label alone. `positives` are the labelled rows that it is to
    find; at `threshold` it found `found` of them, `missed` the others, and raised `false_alarms`. Shares are 0..1.
    """

    labels: int
    unscored: int
    threshold: int
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
    average_precision: float | None = None
    suggested: int | None = None
    suggested_precision: float | None = None
    suggested_recall: float | None = None


def measure(tally: Tally, unscored: int, threshold: int, rejects: bool, least_precision: float) -> Measures:
    """Measure a filter at its threshold, and suggest another (or the same)."""
    labels = int(tally.masses[:, :, 0].sum())
    if not labels:
        return Measures(labels=0, unscored=unscored, threshold=threshold)
    point, better = tally.point(threshold, rejects), suggestion(tally, rejects, least_precision)
    return Measures(
        labels=labels,
        unscored=unscored,
        threshold=threshold,
        positives=int(point.found[0] + point.missed[0]),
        found=int(point.found[0]),
        missed=int(point.missed[0]),
        false_alarms=int(point.false_alarms[0]),
        **columns("precision", point.precision),
        **columns("recall", point.recall),
        average_precision=rounded(average_precision(tally, rejects)),
        suggested=better.threshold if better else None,
        suggested_precision=rounded(better.precision.value) if better and better.precision else None,
        suggested_recall=rounded(better.recall.value) if better and better.recall else None,
    )


def columns(name: str, share: Proportion | None) -> dict[str, float | None]:
    """Return a share and its interval under the names of metric files."""
    if share is None:
        return {}
    values = {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return {key: rounded(value) for key, value in values.items()}


def rounded(value: float | None) -> float | None:
    """Return a share as metric files have it."""
    return None if value is None else round(value, DIGITS)
