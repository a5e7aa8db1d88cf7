"""A board corrected by people: what they say of some answers puts right what one judge says of all.

What is missing counts as the lowest, as on the board, and is known: labels are of answers that are there. Corrected are
weighted sums of means, each as one sum, also where the means are of joint scores; nothing else follows from means.
Labels are drawn within pools, on a side in a stratum, whoever gave the answer (`gamut label`): an answer's chance is
the share of its pool that has labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, Reportable, Resampled, Scale
from stages.evaluation.scoring.board import Layout, gaps
from stages.evaluation.scoring.estimates import Estimate, around, rounded
from stages.evaluation.scoring.movement import inferred
from stages.evaluation.scoring.scores import JUDGED, NOT_PUT, score_matrix
from stages.evaluation.scoring.statistics.inference import Inferred, Interval, interval
from stages.evaluation.scoring.statistics.prediction_powered import (
    doubt,
    interval_in_doubt,
    labels_to_halve,
    put_right,
    slope_of,
    unseen,
    with_doubt,
)
from stages.evaluation.scoring.statistics.ranks import RankInterval, better, rank_intervals, tie_groups
from stages.evaluation.scoring.values import Scores
from stages.tables.columns import Row

LEAST = 10
"""Labels of a contestant's own answers in each measure that counts, below which a value is not corrected."""
NO_AVERAGE = "it is no average of scores, and labels of some answers correct averages alone"
NOTHING: Row = {"beyond": 0.0, "less": 0.0, "labels": 0, "there": 0, "missed": 0.0}
"""What labels add to the score of an answer that is not there."""


class Corrected(NamedTuple):
    """A reported value as the judge has it and, where that can be told, as people would: with its interval, further
    `doubt` (a standard error) that its items do not show, and how many labels would halve the interval (None where not
    even all would). `labels`: how many of the contestant's answers have one in each measure that counts, None where no
    labels would correct it; `lacking`: why it is not corrected.
    """

    raw: Estimate
    labels: int | None
    value: Estimate | None = None
    doubt: float = 0.0
    to_halve: int | None = None
    lacking: str = ""


class Righted(NamedTuple):
    """One contestant in a view: its reported values by name, and the scores that they follow from."""

    values: Mapping[str, Corrected]
    scores: Scores


class Apart(NamedTuple):
    """How far the first of two stands above the second, in what ranks."""

    first: str
    second: str
    value: float
    interval: Interval | None


class Ranked(NamedTuple):
    """Who can be ranked, all pairs told apart together; `apart`: each pair by itself."""

    ranks: Mapping[str, RankInterval]
    tie_groups: Mapping[str, int]
    apart: Sequence[Apart]


def scores_put_right(answers: Iterable[Row], scales: Mapping[str, Scale]) -> dict[str, list[Row]]:
    """Return the scores by item of each contestant, put right, from all answers that one judge looked at.

    `answers`: a row an answer and measure, as `item_scores` has those of an item, with `contestant`, `sample`, the
    `pool` in which it could be drawn, and `truth`, what people say, None without; of a joint score with `tellable`,
    whether it hangs on what is there. Of an item `low` and `high` are as on the board and `right` what stands for its
    truth (`put_right`; None where no label of its pool or contestant tells); `beyond`, `less`: what labels add to that;
    `labels`, `there`: of how many answers; `missed`: how far judge and people may differ, in points, where they never
    did. Answers in any order give the same.
    """
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(answers, key=lambda one: (one["contestant"], one["item"], one["side"], one["sample"])):
        alike.setdefault((row["side"], row["measure"]), []).append(row)
    of_item: dict[tuple[str, str, str, str], list[Row]] = {}
    for (side, measure), rows in alike.items():
        for row, more in zip(rows, of_measure(rows, scales[measure]), strict=True):
            of_item.setdefault((row["contestant"], row["item"], side, measure), []).append(row | more)
    found: dict[str, list[Row]] = {}
    for (contestant, *_), rows in of_item.items():
        found.setdefault(contestant, []).append(merged(rows))
    return found


def of_measure(rows: Sequence[Row], scale: Scale) -> list[Row]:
    """Return what is put right of answers on one side in one measure; the slope is that of all contestants."""
    there = np.array([row.get("tellable", is_there(row)) for row in rows], np.bool_)
    told = [row["truth"] if own else None for row, own in zip(rows, there, strict=True)]
    truth = np.array([np.nan if one is None else one for one in told], np.float64)
    words = np.array([np.nan if row["low"] is None else row["low"] for row in rows], np.float64)
    pools, names = (np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("pool", "contestant"))
    labels, sizes = np.bincount(pools, there & ~np.isnan(truth)), np.bincount(pools, there)
    chances = (labels / np.maximum(1, sizes))[pools]
    drawable = there & (chances > 0)
    found = [NOTHING | {"right": None if own else row["low"]} for row, own in zip(rows, there, strict=True)]
    if not drawable.any():
        return found
    slope = slope_of(words[drawable], truth[drawable], chances[drawable], names[drawable])
    for name in np.unique(names):
        own = np.flatnonzero(drawable & (names == name))
        if np.isnan(truth[own]).all():
            continue
        made = put_right(words[own], truth[own], chances[own], slope)
        missed = unseen(words[own], truth[own], slope) * (scale.highest - scale.lowest)
        for place, right, beyond, less in zip(own, *(one.tolist() for one in made), strict=True):
            labelled = int(not np.isnan(truth[place]))
            found[place] = {"right": right, "beyond": beyond, "less": less, "labels": labelled, "there": 1}
            found[place]["missed"] = missed
    return found


def is_there(row: Row) -> bool:
    """Return whether an answer has something that can be judged in the measure, whether or not somebody did."""
    return row["scored"] > 0 or any(why.startswith(JUDGED) for why in row["left_out"])


def merged(rows: Sequence[Row]) -> Row:
    """Return the score of an item from those of its answers, each by how many observations were expected of it."""
    counts = [row["scored"] + len(row["left_out"]) - row["left_out"].count(NOT_PUT) for row in rows]
    counting = [(row, count / sum(counts)) for row, count in zip(rows, counts, strict=True) if count]

    def mean(name: str) -> float | None:
        values = [row[name] for row, _ in counting]
        return None if not values or None in values else sum(share * row[name] for row, share in counting)

    found = {name: mean(name) for name in ("low", "high", "right", "beyond", "less")}
    found |= {name: sum(row[name] for row in rows) for name in ("labels", "there", "scored")}
    left_out = [why for row in rows for why in row["left_out"]]
    return rows[0] | found | {"left_out": left_out, "missed": max(row["missed"] for row in rows)}


def righted(rows: Sequence[Row], layout: Layout, unasked: Collection[str] = ()) -> Righted:
    """Return the shown values of one contestant, from its scores in a view (`scores_put_right`), each corrected or with
    why it is not; `unasked`: the measures about which people are asked nothing.
    """
    parts = laid_out(rows, layout, ("low", "right", "beyond", "less", "missed", "labels", "there"))
    low, right, beyond, less, missed, labels, there = parts
    raw, too_little = layout.estimates(rows), layout.too_little(rows)
    found: dict[str, Corrected] = {}
    for name in layout.view.shown:
        one, factors = layout.view.reported[name], slopes_of(layout.view.reported[name])
        if name not in raw:
            continue
        if isinstance(one, Resampled) or factors is None:
            found[name] = Corrected(raw[name], None, lacking=NO_AVERAGE)
            continue
        counting = factors != 0
        counts = counts_of(labels, there, factors, layout)
        measure = min(counts, key=lambda kind: counts[kind])
        fewest, answers = counts[measure]
        untold = (np.isnan(right) & ~np.isnan(low))[:, counting].any()
        lacking = too_few(fewest, measure, layout, unasked) or ("a stratum has no labels" if untold else "")
        told = None if too_little or lacking else inferred(right, layout.strata, one, layout.ends.get(name))
        if told is None:
            found[name] = Corrected(raw[name], fewest, lacking=too_little or lacking or "too few items")
            continue
        each = factors[counting] / np.maximum(1, (~np.isnan(right[:, counting])).sum(axis=0))
        squares, fewer = (float(((np.nan_to_num(part[:, counting]) @ each) ** 2).sum()) for part in (beyond, less))
        off = float(np.abs(factors[counting]) @ np.nan_to_num(missed[:, counting]).max(axis=0, initial=0))
        more = doubt(squares, fewest, answers, off)
        to_halve = labels_to_halve(told.error.error**2, squares, fewer, off, fewest, answers)
        value = Estimate(*in_ends(told, more, around(right, layout.strata, one, told.ends)), raw[name].n)
        found[name] = Corrected(raw[name], fewest, value, more, to_halve)
    return Righted(found, right)


def laid_out(rows: Sequence[Row], layout: Layout, names: Sequence[str]) -> list[Scores]:
    """Return what scores have under these names as matrices (items, columns), NaN where nothing was expected."""
    known = [row for row in rows if row["low"] is not None]
    places = score_matrix([row | {"low": n} for n, row in enumerate(known)], layout.items, layout.view)
    at = np.nan_to_num(places, nan=len(known)).astype(np.int64)
    return [np.array([*(row[name] for row in known), np.nan], np.float64)[at] for name in names]


def slopes_of(one: Reportable) -> NDArray[np.float64] | None:
    """Return how a value moves with the mean of each column, shape (columns,); None where it moves otherwise."""
    return one.factors if isinstance(one, Linear) else None if isinstance(one, Resampled) else one.slopes


def counts_of(
    labels: Scores, there: Scores, factors: NDArray[np.float64], layout: Layout
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many of a contestant's answers have labels, and how many there are, on each side and in each measure
    that counts.
    """
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, column in enumerate(layout.view.columns):
        if factors[number]:
            kinds.setdefault((column.side, column.measure), []).append(number)

    def count(counts: Scores, own: Sequence[int]) -> int:
        return int(np.nan_to_num(counts[:, own]).max(axis=1).sum())

    return {kind: (count(labels, own), count(there, own)) for kind, own in kinds.items()}


def too_few(labels: int, kind: tuple[str, str], layout: Layout, unasked: Collection[str]) -> str:
    """Return why so many labels on a side in a measure are too few to correct anything, if they are."""
    side, measure = kind
    if measure in unasked:
        return f"people are asked nothing about {measure}"
    if labels >= LEAST:
        return ""
    if any(measure == one.measure for one in layout.joint):
        return f"fewer than {LEAST} samples have labels on both sides"
    return f"fewer than {LEAST} labels of {measure} ({side})"


def in_ends(told: Inferred, more: float, of_scores: Interval | None) -> tuple[float, float | None, float | None]:
    """Return a corrected value with an interval that is no shorter than were its scores truths, all within what it can
    be: what labels add to scores may lead beyond.
    """
    lowest, highest = (-np.inf, np.inf) if told.ends is None else told.ends
    ends = [one for one in (interval_in_doubt(told, more), of_scores) if one is not None]
    found = [told.value, *([min(low for low, _ in ends), max(high for _, high in ends)] if ends else [])]
    value, *around_it = np.clip(found, lowest, highest).tolist()
    low, high = around_it or (None, None)
    return value, low, high


def ranked(found: Mapping[str, Righted], layout: Layout) -> Ranked:
    """Rank contestants by the first value that is shown, those of whom it is corrected, as the board does."""
    by = layout.view.shown[0]
    able = {name: one for name, one in sorted(found.items()) if by in one.values and one.values[by].value is not None}
    if not able:
        return Ranked({}, {}, [])
    known, moves = gaps([one.scores for one in able.values()], layout)
    doubts = combinations([one.values[by].doubt for one in able.values()], 2)
    widened = [
        with_doubt(gap, float(np.hypot(*both))) if isinstance(gap, Inferred) else None
        for gap, both in zip(known, doubts, strict=True)
    ]
    values = np.array([estimated(one, by) for one in able.values()])
    is_better = better(len(able), widened, moves)
    ranks, groups = rank_intervals(is_better), tie_groups(values, is_better)
    return Ranked(
        dict(zip(able, ranks, strict=True)),
        dict(zip(able, groups, strict=True)),
        [
            Apart(*pair, gap.value, interval(gap))
            for pair, gap in zip(combinations(able, 2), widened, strict=True)
            if gap is not None
        ],
    )


def estimated(one: Righted, name: str) -> float:
    """Return a corrected value."""
    value = one.values[name].value
    assert value is not None
    return value.value


def flat_corrected(start: str, found: Mapping[str, Righted], order: Ranked) -> dict[str, float | str]:
    """Return flat keys `<start><contestant>.<name>.…`: `raw` and `corrected` with their intervals, or `not_corrected`
    with why, `labels`, and `labels_to_halve`; `<start><contestant>.rank_best`, `.rank_worst`, `.tie_group`; and
    `.over_<another>` with its interval, in what ranks.
    """
    keys: dict[str, float | str] = {}
    for contestant, one in found.items():
        for name, (raw, labels, value, _, to_halve, lacking) in one.values.items():
            keys |= ends_of(f"{start}{contestant}.{name}.raw", raw.value, raw.low, raw.high)
            if value is not None:
                keys |= ends_of(f"{start}{contestant}.{name}.corrected", value.value, value.low, value.high)
            else:
                keys[f"{start}{contestant}.{name}.not_corrected"] = lacking
            if labels is not None:
                keys[f"{start}{contestant}.{name}.labels"] = labels
            if to_halve is not None:
                keys[f"{start}{contestant}.{name}.labels_to_halve"] = to_halve
        if contestant in order.ranks:
            best, worst = order.ranks[contestant]
            keys |= {f"{start}{contestant}.rank_best": best, f"{start}{contestant}.rank_worst": worst}
            keys[f"{start}{contestant}.tie_group"] = order.tie_groups[contestant]
    for first, second, apart, ends in order.apart:
        keys |= ends_of(f"{start}{first}.over_{second}", apart, *(ends or (None, None)))
    return keys


def ends_of(key: str, value: float, low: float | None, high: float | None) -> dict[str, float]:
    """Return a value with its interval under flat keys."""
    found = {key: value} | ({} if low is None or high is None else {f"{key}_lo": low, f"{key}_hi": high})
    return {name: rounded(one) for name, one in found.items()}
