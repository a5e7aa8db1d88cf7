"""What is known of a filter, as metric files hold it."""

from __future__ import annotations

import math
from collections.abc import Collection
from statistics import fmean
from typing import Any

from stages.dataset.calibration.labels import BAD, BLANK, DISPUTED, GOOD
from stages.dataset.calibration.operating_points import Points, average_precision, points_of
from stages.dataset.calibration.people import Agreement
from stages.dataset.calibration.samples import Sample
from stages.dataset.calibration.suggesting import Least, candidate, enough, holds
from stages.project.validation import Strict

DIGITS = 6
"""Decimals in metric files: enough for any sample, and the same on every machine."""


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
    average_precision: float | None = None
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
        """Return whether all labels that nobody disputes say the same."""
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
    """Measure a filter at its threshold, and suggest another, the same, or none."""
    counts = sample.counts
    disputed, blank = (int(counts[:, kind].sum()) for kind in (DISPUTED, BLANK))
    labels = int(counts.sum()) - blank
    people = agreement._asdict() if agreement else {}
    if not labels:
        return Measures(labels=0, unscored=unscored, threshold=threshold, **people)
    points, other = points_of(counts, sample.strata, rejects), candidate(sample, threshold, rejects, least)
    held = other is not None and holds(other, least)
    suggested = other.threshold if other and held and not unsure else None
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
        average_precision=rounded(average_precision(counts, sample.strata, rejects)),
        candidate=other.threshold if other else None,
        **(shares(other.points, other.threshold, "candidate_") if other else {}),
        suggested=suggested,
        enough_labels=None if held else enough(counts, sample.strata, rejects, least),
        unsure=unsure or None,
        **people,
    )


def shares(points: Points, threshold: int, prefix: str = "") -> dict[str, Any]:
    """Return precision and recall of a threshold with their bounds under the names of metric files, where defined."""
    found: dict[str, Any] = {}
    for name in ("precision", "recall"):
        values = {key: float(getattr(points, key)[threshold]) for key in (name, f"{name}_low", f"{name}_high")}
        if not math.isnan(values[name]):
            found |= {prefix + key: round(value, DIGITS) for key, value in values.items()}
    return found


def mean_shares(report: Collection[Measures]) -> dict[str, float]:
    """Return precision and recall at the thresholds, 0..1, each as the mean over the filters and characteristics of
    which it is known; what is known of none is left out.
    """
    known = {name: [getattr(one, name) for one in report] for name in ("precision", "recall")}
    found = {name: [value for value in values if value is not None] for name, values in known.items()}
    return {name: round(fmean(values), DIGITS) for name, values in found.items() if values}


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
