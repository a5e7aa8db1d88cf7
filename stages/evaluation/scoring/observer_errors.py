"""How observers that are no judges err, by what people say of the same answers, and scores without these errors.

Pure functions of one measure on one side. All that is told is in percent: of the measure's scale, or of answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from stages.evaluation.defining.measures import Scale
from stages.evaluation.scoring.agreement import Rating
from stages.evaluation.scoring.estimates import rounded
from stages.evaluation.scoring.labels import sample_of
from stages.evaluation.scoring.statistics.misclassification import Told, corrected, error_rates, mean

LEAST = 10
"""Labels of a contestant's own answers to a task, below which its score is not corrected. Of ten verdicts by an
observer that errs in every tenth intervals are half of 0..100 wide; of fewer they tell nothing.
"""


class Answer(NamedTuple):
    """What is known of one answer in one measure, on the scale 0..1.

    `said`: by the observer, None where it said nothing; `truth`: by people, None where nobody labelled it, or where
    they are undecided; `there`: whether there is an answer at all; `blank`: whether it was drawn and has no truth, so
    that this may be anything.
    """

    contestant: str
    item: str
    stratum: str
    said: float | None
    truth: float | None
    there: bool = True
    blank: bool = False


Place = tuple[str, str, str, str, int]
"""Side, measure, contestant, item, sample."""


def labels_by_place(labels: Iterable[Rating], samples: Mapping[tuple[str, str, str], int]) -> dict[Place, list[float]]:
    """Return what people said of each answer. A label that names no sample is of the only one, by `samples` of a side,
    contestant and item; where there are several it is of none of them.
    """
    found: dict[Place, list[float]] = {}
    for label in labels:
        contestant, item, *_ = label.answer
        place = (label.side, label.measure, contestant, item, sample_of(label, samples))
        found.setdefault(place, []).append(label.value)
    return found


def truth_of(said: Sequence[float], graded: bool) -> float | None:
    """Return what is true if people say so: their mean, of verdicts what most say; None where as many say the other,
    or nobody anything.
    """
    if not said:
        return None
    average = fmean(said)
    return average if graded else None if average == 0.5 else float(average > 0.5)


TRUTHS: Sequence[Callable[[float], float]] = (
    lambda said: 0.0,
    lambda said: 1.0,
    lambda said: said,
    lambda said: float(said < 0.5),
)
"""What may be true of an answer that was left blank: the least, the most, what is said, what lies furthest from it."""


def at_all_ends(
    measured: Callable[[Sequence[Answer]], dict[str, float]], answers: Sequence[Answer]
) -> dict[str, float]:
    """Return what is measured by labels, with intervals that hold whatever is true of all answers left blank, and how
    many of these there are, `blank`, if any; from 0 to 100 where no score fits.
    """
    found = measured(answers)
    blank = sum(one.there and one.blank for one in answers)
    if not found or not blank:
        return found
    for truth in TRUTHS:
        other = measured([one._replace(truth=truth(one.said or 0.0)) if one.blank else one for one in answers])
        for key in found:
            if key.endswith("_lo"):
                found[key] = min(found[key], other.get(key, 0.0))
            elif key.endswith("_hi"):
                found[key] = max(found[key], other.get(key, 100.0))
    return found | {"blank": blank}


def labels_of(answers: Iterable[Answer]) -> int:
    """Return how many answers have labels."""
    return sum(one.there and one.truth is not None for one in answers)


def verdict_errors(answers: Sequence[Answer]) -> dict[str, float]:
    """Return precision and recall of verdicts with Wilson's intervals, and of how many `labels`; labels stand for all
    answers of their stratum. Where the observer said nothing it did not err: that is told of scores.
    """
    observed = [one for one in answers if one.there and one.said is not None]
    labelled = {one.stratum for one in observed if one.truth is not None}
    kept = [one for one in observed if one.stratum in labelled]
    if not kept:
        return {}
    found: dict[str, float] = {"labels": labels_of(kept)}
    rates = error_rates(told(kept, [*labelled]))
    for name, rate in (("precision", rates.precision), ("recall", rates.recall)):
        if rate is not None:
            found |= in_percent(name, *rate)
    return found


def graded_errors(answers: Iterable[Answer]) -> dict[str, float]:
    """Return the mean `error`, above 0 where the observer says too much, and the mean `absolute_error`, with intervals
    by Student's t over items, which are never without width, and of how many `labels`.
    """
    both = [(one.item, one.said - one.truth) for one in answers if one.said is not None and one.truth is not None]
    if not both:
        return {}
    of_item = np.unique([item for item, _ in both], return_inverse=True)[1]
    counts, errors = np.bincount(of_item), np.array([error for _, error in both])
    found: dict[str, float] = {"labels": len(both)}
    for name, values, ends in (("error", errors, Scale(-1, 1)), ("absolute_error", np.abs(errors), Scale(0, 1))):
        by_item = np.bincount(of_item, values) / counts
        found |= in_percent(name, *mean(by_item, counts / len(both), np.zeros(len(counts), np.int64), ends))
    return found


def score(answers: Sequence[Answer]) -> dict[str, float]:
    """Return the `raw` score of one contestant in one task, as on boards, and with `LEAST` labels of its own the
    `corrected` one with its interval; `labels`.

    What is not there, or of which nothing was said, counts as the lowest. Of what is not there that is the truth.
    """
    words = [one.said or 0.0 if one.there else 0.0 for one in answers]
    found: dict[str, float] = {"raw": rounded(100 * fmean(words)), "labels": labels_of(answers)}
    if found["labels"] < LEAST:
        return found
    known = [one.truth if one.there else 0.0 for one in answers]
    truth = np.array([math.nan if one is None else one for one in known])
    strata = np.array([int(not one.there) for one in answers])
    estimate = corrected(Told(np.array(words), truth, strata))
    return found if estimate is None else found | in_percent("corrected", *estimate)


def told(answers: Sequence[Answer], strata: Sequence[str]) -> Told:
    """Return answers that were observed as arrays."""
    words = np.array([one.said for one in answers], np.float64)
    truth = np.array([math.nan if one.truth is None else one.truth for one in answers])
    return Told(words, truth, np.array([strata.index(one.stratum) for one in answers]))


def scores(answers: Iterable[Answer]) -> dict[str, dict[str, float]]:
    """Return scores under `<contestant>.<stratum>`, of those contestants of whom some answer has a label."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for one in answers:
        groups.setdefault((one.contestant, one.stratum), []).append(one)
    labelled = Counter(contestant for (contestant, _), own in groups.items() for _ in range(labels_of(own)))
    return {".".join(place): at_all_ends(score, own) for place, own in groups.items() if labelled[place[0]]}


def in_percent(name: str, value: float, low: float, high: float) -> dict[str, float]:
    """Return an estimate under flat keys: NAME, NAME_lo, NAME_hi."""
    return {key: rounded(100 * one) for key, one in {name: value, f"{name}_lo": low, f"{name}_hi": high}.items()}
