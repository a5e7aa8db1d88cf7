"""How observers that are no judges err in verdicts of one measure on one side, by what people say of the same answers.

All that is told is in percent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from stages.evaluation.scoring.agreement import Rating
from stages.evaluation.scoring.estimates import rounded
from stages.evaluation.scoring.labels import sample_of
from stages.evaluation.scoring.statistics.wilson import wilson_interval

Place = tuple[str, str, str, str, int]
"""Side, measure, contestant, item, sample."""


class Verdict(NamedTuple):
    """What an observer said of an answer that is there, 0 or 1, and what is true by people: None where nobody labelled
    it or they are undecided. `blank`: whether it was drawn and has no truth, so that any may hold.
    """

    stratum: str
    said: float
    truth: float | None
    blank: bool = False


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


def truth_of(said: Sequence[float]) -> float | None:
    """Return the verdict of most people; None where as many say the other, or nobody anything."""
    average = fmean(said) if said else 0.5
    return None if average == 0.5 else float(average > 0.5)


def observer_rates(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return `precision`, `recall` and their intervals, which hold whatever is true of answers left blank; how many
    `labels`, and how many answers are `blank`, if any.
    """
    found, blank = rates(verdicts), sum(one.blank for one in verdicts)
    if not found or not blank:
        return found
    ends = [{True: 0.0, False: 0.0}, {True: 1.0, False: 1.0}, {True: 1.0, False: 0.0}, {True: 0.0, False: 1.0}]
    for truth in ends:
        other = rates([one._replace(truth=truth[one.said == 1]) if one.blank else one for one in verdicts])
        for key in found:
            if key.endswith("_lo"):
                found[key] = min(found[key], other.get(key, 0.0))
            elif key.endswith("_hi"):
                found[key] = max(found[key], other.get(key, 100.0))
    return found | {"blank": blank}


def rates(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return what share of what is called right is right, and what share of the right ones is called right. Labels
    stand for all answers of their stratum that has some.
    """
    labelled = [one for one in verdicts if one.truth is not None]
    if not labelled:
        return {}
    sizes, labels = Counter(one.stratum for one in verdicts), Counter(one.stratum for one in labelled)
    weighed = [(one, sizes[one.stratum] / labels[one.stratum]) for one in labelled]
    found: dict[str, float] = {"labels": len(labelled)}
    called_right = [(one.truth == 1, weight) for one, weight in weighed if one.said == 1]
    right = [(one.said == 1, weight) for one, weight in weighed if one.truth == 1]
    for name, hits in (("precision", called_right), ("recall", right)):
        if hits:
            found |= share(name, hits)
    return found


def share(name: str, hits: Sequence[tuple[bool, float]]) -> dict[str, float]:
    """Return the weighted share of hits under flat keys: NAME, NAME_lo, NAME_hi, with Wilson's interval of as many as
    they are worth (Kish 1965).
    """
    total = sum(weight for _, weight in hits)
    value = min(sum(weight for hit, weight in hits if hit) / total, 1.0)
    worth = total**2 / sum(weight**2 for _, weight in hits)
    low, high = wilson_interval(value * worth, worth)
    return {key: rounded(100 * one) for key, one in {name: value, f"{name}_lo": low, f"{name}_hi": high}.items()}
