"""Scores without a judge's errors: the scores of all answers, corrected by people's labels of some; by answer, then by
item.

Prediction-powered inference (Angelopoulos et al. 2023, Science 382) with a tuned share of the judge (Angelopoulos,
Duchi and Zrnic 2023, "PPI++"); in surveys the difference estimator of double sampling (Cochran 1977, section 12.6). It
needs labels that are drawn at random, whichever contestant answered. They are drawn within pools, one for each setting
and stratum, so an answer's chance is the drawn share of its pool, including blanks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.scores import JUDGED, NOT_ASKED
from gamut.evaluation.scoring.statistics import inference
from gamut.evaluation.scoring.statistics.inference import LEVEL, Floats, Inferred, Interval, StandardError
from gamut.tables.columns import Row, grouped

ROUNDING = 1e-9
NORMAL = 1.959964
"""How many standard deviations a normal 95 % interval reaches."""
KNOWN = 1e6
"""Degrees of freedom of a known error."""
HALF = 0.25
"""The factor on a value's variance that makes its interval half as wide."""


class CorrectedValues(NamedTuple):
    """The values used as truths of answers, each of shape (answers,). `beyond`: the part that comes from the answer's
    own label. `less`: the root of `beyond` times the part if all answers had labels.
    """

    values: Floats
    beyond: Floats
    less: Floats


def correct_values(words: Floats, truth: Floats, chances: Floats, slope: float) -> CorrectedValues:
    """Return values whose mean is that of the truths. `words`: the judge's scores of all answers. `truth`: of labelled
    answers, NaN for others. `chances`: each answer's chance to be labelled. Each of shape (answers,).

    A value is slope · word + R. R is the mean rest, truth - slope · word, with weight 1 / chance for each answer (Hájek
    1971). A labelled answer also has its own rest beyond R, with the same weight. If all have labels, values are
    truths.
    """
    drawn = ~np.isnan(truth)
    stands_for = np.where(drawn, 1 / chances, 0)
    stands_for *= len(words) / stands_for.sum()
    rest = np.where(drawn, truth - slope * words, 0)
    average = float(stands_for @ rest) / len(words)
    apart = np.where(drawn, rest - average, 0)
    apart[np.abs(apart) <= ROUNDING] = 0
    beyond = stands_for * apart
    return CorrectedValues(slope * words + average + beyond, beyond, np.sqrt(stands_for) * apart)


def slope_of(words: Floats, truth: Floats, chances: Floats, groups: NDArray[np.int64]) -> float:
    """Return how far the truth follows the judge's scores within groups, 0..1: the share of the score that makes values
    vary least (the power tuning of PPI++). Scores that do not vary have slope 1. All contestants share one slope, which
    biases none, since a contestant's own labels correct its values.
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
    """Return the share of answers, 0..1, whose truths may differ though no label shows it: n labels miss a share u with
    probability (1 - u)^n. 0 if something varied, or if all answers have labels.
    """
    drawn = ~np.isnan(truth)
    if not drawn.any() or drawn.all():
        return 0.0
    varied = [np.ptp((truth - times * words)[drawn]) > ROUNDING for times in (1, slope)]
    return 0.0 if all(varied) else 1 - float((1 - LEVEL) / 2) ** (1 / int(drawn.sum()))


def doubt(squares: float, labels: int, answers: int, missed: float) -> float:
    """Return the standard error from labels that the values do not show. `squares`: sum of squares of what labels add.
    `missed`: how far the value may be off by errors that no label shows.
    """
    few = squares / max(1, labels - 1) * (1 - labels / answers)
    return float(np.sqrt(few + (missed / NORMAL) ** 2))


def add_doubt(one: Inferred, error: float) -> Inferred:
    """Return a value with a further standard error. If it does not vary over its items, that error is the only one."""
    own = one.error
    degrees = own.degrees if own.error else KNOWN
    return one._replace(error=StandardError(float(np.hypot(own.error, error)), degrees))


def interval_in_doubt(one: Inferred, error: float) -> Interval | None:
    """Return the interval with a further standard error: on each side, the squared distances to both intervals' ends
    are added (Newcombe 1998; Zou and Donner 2008).
    """
    found = inference.interval(one)
    if found is None:
        return None
    below, above = (float(np.hypot(abs(end - one.value), NORMAL * error)) for end in found)
    return inference.cut_to_ends(one.ends, one.value, one.value - below, one.value + above)


def labels_to_halve(
    variance: float, squares: float, less: float, missed: float, labels: int, answers: int
) -> int | None:
    """Return how many labels would make an interval half as wide; None if even all would not.

    Labels contribute `squares` - `less` to a value's `variance`. With t times as many labels it is squares / t - less,
    plus a t-th of what may be `missed`, and the `doubt` from that.
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


NO_LABELS: Row = {"beyond": 0.0, "less": 0.0, "labels": 0, "answers": 0, "missed": 0.0}
"""What labels add to the score of an answer that does not exist."""


def blanks_at_both_ends(answers: Sequence[Row]) -> list[Sequence[Row]]:
    """Return the answers and, if some are `blank`, the same with these at their lowest, then at their highest."""
    if not any(row.get("blank") for row in answers):
        return [answers]
    ends = ([row | {"truth": row["blank"][end]} if row.get("blank") else row for row in answers] for end in (0, 1))
    return [answers, *ends]


def correct_scores(answers: Iterable[Row], scales: Mapping[str, Scale]) -> dict[str, list[Row]]:
    """Return the corrected scores by item of each contestant, from all answers that one judge judged, in any order.

    `answers`: a row for each answer and measure with `contestant`, `sample`, the `pool` in which it could be drawn,
    `truth` and `blank`, and for a joint score `tellable`. In the result, `right` is an item's truth (`correct_values`);
    `beyond`, `less` are what labels add to it; `missed`: how far judge and people may differ, in points, if they never
    did.
    """
    ordered = sorted(answers, key=itemgetter("contestant", "item", "setting", "sample"))
    alike = grouped(((row["setting"], row["measure"]), row) for row in ordered)
    of_item = grouped(
        ((row["contestant"], row["item"], setting, measure), row | more)
        for (setting, measure), rows in alike.items()
        for row, more in zip(rows, correct_measure(rows, scales[measure]), strict=True)
    )
    return grouped((contestant, merge_answers(rows)) for (contestant, *_), rows in of_item.items())


def correct_measure(rows: Sequence[Row], scale: Scale) -> list[Row]:
    """Return the corrections of answers in one setting and measure, with the slope of all contestants."""
    there = np.array([row.get("tellable", can_be_judged(row)) for row in rows], np.bool_)
    truths = [row["truth"] if own else None for row, own in zip(rows, there, strict=True)]
    truth = np.array([np.nan if one is None else one for one in truths], np.float64)
    words = np.array([np.nan if row["low"] is None else row["low"] for row in rows], np.float64)
    pools, names = (np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("pool", "contestant"))
    labelled = there & ~np.isnan(truth)
    drawn = labelled | there & np.array([bool(row.get("blank")) for row in rows], np.bool_)
    chances = (np.bincount(pools, drawn) / np.maximum(1, np.bincount(pools, there)))[pools]
    drawable = there & (np.bincount(pools, labelled) > 0)[pools]
    found = [NO_LABELS | {"right": None if own else row["low"]} for row, own in zip(rows, there, strict=True)]
    if not drawable.any():
        return found
    slope = slope_of(words[drawable], truth[drawable], chances[drawable], names[drawable])
    for name in np.unique(names):
        own = np.flatnonzero(drawable & (names == name))
        if np.isnan(truth[own]).all():
            continue
        corrected = correct_values(words[own], truth[own], chances[own], slope)
        missed = unseen_share(words[own], truth[own], slope) * (scale.highest - scale.lowest)
        for place, right, beyond, less in zip(own, *(one.tolist() for one in corrected), strict=True):
            found[place] = {"right": right, "beyond": beyond, "less": less, "missed": missed, "answers": 1}
            found[place]["labels"] = int(labelled[place])
    return found


def can_be_judged(row: Row) -> bool:
    """Return whether an answer can be judged, whether or not a judge did."""
    return row["scored"] > 0 or any(why.startswith(JUDGED) for why in row["left_out"])


def merge_answers(rows: Sequence[Row]) -> Row:
    """Return an item's score from its answers, weighted by how many judgments were expected of each."""
    counts = [row["scored"] + len(row["left_out"]) - row["left_out"].count(NOT_ASKED) for row in rows]
    counting = [(row, count / sum(counts)) for row, count in zip(rows, counts, strict=True) if count]

    def mean(name: str) -> float | None:
        values = [row[name] for row, _ in counting]
        return None if not values or None in values else sum(share * row[name] for row, share in counting)

    found = {name: mean(name) for name in ("low", "high", "right", "beyond", "less")}
    found |= {name: sum(row[name] for row in rows) for name in ("labels", "answers", "scored")}
    left_out = [why for row in rows for why in row["left_out"]]
    return rows[0] | found | {"left_out": left_out, "missed": max(row["missed"] for row in rows)}
