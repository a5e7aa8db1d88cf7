"""A board corrected by people: what they say of some answers puts right what one judge says of all.

Corrected are weighted sums of means, each as one sum. What was drawn and left blank may be worth anything: intervals
reach from where all of it is worth the least to where all is worth the most, and ranks hold at both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, Reportable, Resampled, Summed
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.comparison import common, inferred_difference, moves_of
from gamut.evaluation.scoring.estimates import Estimate, around, rounded
from gamut.evaluation.scoring.scores import score_matrix
from gamut.evaluation.scoring.statistics.inference import Inferred, Interval, Known, interval, p_value
from gamut.evaluation.scoring.statistics.prediction_powered import (
    doubt,
    interval_in_doubt,
    labels_to_halve,
    with_doubt,
)
from gamut.evaluation.scoring.statistics.ranks import RankInterval, better, rank_intervals, tie_groups
from gamut.evaluation.scoring.values import Scores, difference, inferred
from gamut.tables.columns import Row

Lead = tuple[Inferred | None, Scores]
"""How far one stands above another, None where too few items tell it; and how items move that, shape (items,)."""
LEAST = 10
"""Labels of a contestant's own answers in each measure that counts, below which a value is not corrected."""
OPPOSITE = 0, 2, 1
"""Of `Righted.ranking`, what is held against one as labels tell it, at its least and at its most."""
NO_AVERAGE = "it is no average of scores, and labels of some answers correct averages alone"


class Corrected(NamedTuple):
    """A reported value as the judge has it and, where that can be told, as people would. `doubt`: a standard error that
    items do not show; `to_halve`: how many labels would halve the interval; `labels`: how many of the contestant's
    answers have one in each measure that counts; `blank`: how many more were drawn; `lacking`: why it is not corrected.
    """

    raw: Estimate
    labels: int | None
    value: Estimate | None = None
    doubt: float = 0.0
    to_halve: int | None = None
    lacking: str = ""
    blank: int = 0


class Told(NamedTuple):
    """A value as some scores tell it; `to_halve`: how many labels would halve its interval."""

    scores: Scores
    value: float
    interval: Interval | None
    doubt: float
    to_halve: int | None


class Righted(NamedTuple):
    """One contestant in a metric; `ranking`: what ranks as labels tell it, at its least and at its most, if it is
    corrected.
    """

    values: Mapping[str, Corrected]
    ranking: Sequence[Told]


class Laid(NamedTuple):
    """What scores that are put right have, each of shape (items, columns), NaN where nothing was expected."""

    low: Scores
    right: Scores
    beyond: Scores
    less: Scores
    missed: Scores
    labels: Scores
    there: Scores


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


def righted(
    rows: Sequence[Row], layout: Layout, unasked: Collection[str] = (), ends: Sequence[Sequence[Row]] = ()
) -> Righted:
    """Return the shown values of one contestant, from its scores in a metric (`scores_put_right`), each corrected or
    with why not. `unasked`: measures that people are not asked about; `ends`: scores with all blanks at their least and
    most.
    """
    laid, ends_laid = laid_out(rows, layout), [laid_out(one, layout) for one in ends]
    raw, too_little = layout.estimates(rows), layout.too_little(rows)
    found: dict[str, Corrected] = {}
    ranking: Sequence[Told] = ()
    for name in layout.metric.shown:
        one, factors = layout.metric.reported[name], slopes_of(layout.metric.reported[name])
        if name not in raw:
            continue
        if isinstance(one, Resampled) or factors is None:
            found[name] = Corrected(raw[name], None, lacking=NO_AVERAGE)
            continue
        counting = factors != 0
        counts = counts_of(laid, factors, layout)
        measure = min(counts, key=lambda kind: counts[kind])
        fewest, _ = counts[measure]
        drawn = counts_of(ends_laid[0], factors, layout) if ends_laid else counts
        blank = max(drawn[kind][0] - labels for kind, (labels, _) in counts.items())
        untold = (np.isnan(laid.right) & ~np.isnan(laid.low))[:, counting].any()
        lacking = too_few(fewest, measure, layout, unasked) or ("a stratum has no labels" if untold else "")
        settings = [laid]
        if ends_laid:  # others' blanks too have a say in the slope
            least, most = ends_laid
            settings += [mixed(factors > 0, *both) for both in ((most, least), (least, most))]
        told = [] if too_little or lacking else [told_by(setting, name, one, factors, layout) for setting in settings]
        known = [one for one in told if one is not None]
        if len(known) < len(settings):
            found[name] = Corrected(raw[name], fewest, lacking=too_little or lacking or "too few items", blank=blank)
            continue
        low, high = span([one.interval for one in known]) or (None, None)
        value = Estimate(known[0].value, low, high, raw[name].n)
        to_halve = None if blank else known[0].to_halve
        found[name] = Corrected(raw[name], fewest, value, known[0].doubt, to_halve, blank=blank)
        if name == layout.metric.shown[0]:
            ranking = known if ends_laid else known * len(OPPOSITE)
    return Righted(found, ranking)


def laid_out(rows: Sequence[Row], layout: Layout) -> Laid:
    known = [row for row in rows if row["low"] is not None]
    places = score_matrix([row | {"low": n} for n, row in enumerate(known)], layout.items, layout.metric)
    at = np.nan_to_num(places, nan=len(known)).astype(np.int64)
    return Laid(*(np.array([*(row[name] for row in known), np.nan], np.float64)[at] for name in Laid._fields))


def mixed(where: NDArray[np.bool_], first: Laid, second: Laid) -> Laid:
    """Return the columns of the second where that is said, shape (columns,), the others of the first."""
    return Laid(*(np.where(where, after, before) for before, after in zip(first, second, strict=True)))


def told_by(laid: Laid, name: str, one: Summed, factors: NDArray[np.float64], layout: Layout) -> Told | None:
    """Return a value as scores that are put right tell it; None where too few items do."""
    told = inferred(laid.right, layout.strata, one, layout.ends.get(name))
    if told is None:
        return None
    counting = factors != 0
    fewest, answers = min(counts_of(laid, factors, layout).values())
    each = factors[counting] / np.maximum(1, (~np.isnan(laid.right[:, counting])).sum(axis=0))
    parts = (laid.beyond, laid.less)
    squares, fewer = (float(((np.nan_to_num(part[:, counting]) @ each) ** 2).sum()) for part in parts)
    off = float(np.abs(factors[counting]) @ np.nan_to_num(laid.missed[:, counting]).max(axis=0, initial=0))
    more = doubt(squares, fewest, answers, off)
    to_halve = labels_to_halve(told.error.error**2, squares, fewer, off, fewest, answers)
    value, ends = in_ends(told, more, around(laid.right, layout.strata, one, told.ends))
    return Told(laid.right, value, ends, more, to_halve)


def span(intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the interval that holds all of several; None where one of them is None."""
    ends = [one for one in intervals if one is not None]
    if len(ends) < len(intervals):
        return None
    return Interval(min(low for low, _ in ends), max(high for _, high in ends))


def slopes_of(one: Reportable) -> NDArray[np.float64] | None:
    """Return how a value moves with the mean of each column, shape (columns,); None where it moves otherwise."""
    return one.factors if isinstance(one, Linear) else None if isinstance(one, Resampled) else one.slopes


def counts_of(laid: Laid, factors: NDArray[np.float64], layout: Layout) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many answers have labels, and how many there are, by setting and measure that counts."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, column in enumerate(layout.metric.columns):
        if factors[number]:
            kinds.setdefault((column.setting, column.measure), []).append(number)

    def count(counts: Scores, own: Sequence[int]) -> int:
        return int(np.nan_to_num(counts[:, own]).max(axis=1).sum())

    return {kind: (count(laid.labels, own), count(laid.there, own)) for kind, own in kinds.items()}


def too_few(labels: int, kind: tuple[str, str], layout: Layout, unasked: Collection[str]) -> str:
    setting, measure = kind
    if measure in unasked:
        return f"people are asked nothing about {measure}"
    if labels >= LEAST:
        return ""
    if any(measure == one.measure for one in layout.joint):
        return f"fewer than {LEAST} samples have labels in both settings"
    return f"fewer than {LEAST} labels of {measure} ({setting})"


def in_ends(told: Inferred, more: float, of_scores: Interval | None) -> tuple[float, Interval | None]:
    """Return a corrected value with an interval that is no shorter than were its scores truths, all within what it can
    be.
    """
    lowest, highest = (-np.inf, np.inf) if told.ends is None else told.ends
    ends = span([one for one in (interval_in_doubt(told, more), of_scores) if one is not None] or [None])
    value, *around_it = np.clip([told.value, *(ends or ())], lowest, highest).tolist()
    return value, Interval(*around_it) if around_it else None


def ranked(found: Mapping[str, Righted], layout: Layout) -> Ranked:
    """Rank contestants as the board does. One of two is better if it is so by labels, and also where what was left
    blank is at its worst for it and at its best for the other.
    """
    by = layout.metric.shown[0]
    able = {name: one for name, one in sorted(found.items()) if one.ranking}
    if not able:
        return Ranked({}, {}, [])
    apart, surest, moved = list[Apart](), list[Known | None](), list[Scores]()
    for (first, one), (second, other) in combinations(able.items(), 2):
        opposite = [other.ranking[n] for n in OPPOSITE]
        gaps = [gap_between(*both, layout) for both in zip(one.ranking, opposite, strict=True)]
        by_labels, _ = gaps[0]
        if by_labels is not None:
            ends = span([None if gap is None else interval(gap) for gap, _ in gaps])
            apart.append(Apart(first, second, by_labels.value, ends))
        gap, moves = least_sure(gaps)
        surest.append(gap)
        moved.append(moves)
    every = np.stack(moved) if moved else np.zeros((0, len(layout.strata)))
    is_better = better(len(able), surest, moves_of(surest, every, layout.seed))
    ranks = rank_intervals(is_better)
    groups = tie_groups(np.array([estimated(one, by) for one in able.values()]), is_better)
    return Ranked(dict(zip(able, ranks, strict=True)), dict(zip(able, groups, strict=True)), apart)


def gap_between(first: Told, second: Told, layout: Layout) -> Lead:
    scores, apart = difference(*common(second.scores, first.scores), layout.ranking)
    gap, moves = inferred_difference(scores, layout.strata, apart, layout.ends.get(layout.metric.shown[0]))
    return gap and with_doubt(gap, float(np.hypot(first.doubt, second.doubt))), moves


def least_sure(gaps: Sequence[Lead]) -> Lead:
    """Return the gap that is least surely one, of several between the same two; 0 where they do not all say who is
    above.
    """
    above = {None if gap is None else float(np.sign(gap.value)) for gap, _ in gaps}
    if len(above) > 1:
        gap, moves = gaps[0]
        return gap and gap._replace(value=0.0), moves
    return max(gaps, key=lambda one: 1.0 if one[0] is None else p_value(one[0]))


def estimated(one: Righted, name: str) -> float:
    value = one.values[name].value
    assert value is not None
    return value.value


def flat_corrected(start: str, found: Mapping[str, Righted], order: Ranked) -> dict[str, float | str]:
    """Return flat keys `<start><contestant>.<name>.…`, ranks, and `.over_<another>` with its interval."""
    keys: dict[str, float | str] = {}
    for contestant, one in found.items():
        for name, (raw, labels, value, _, to_halve, lacking, blank) in one.values.items():
            start_of = f"{start}{contestant}.{name}"
            keys |= ends_of(f"{start_of}.raw", raw.value, raw.low, raw.high)
            if value is not None:
                keys |= ends_of(f"{start_of}.corrected", value.value, value.low, value.high)
            else:
                keys[f"{start_of}.not_corrected"] = lacking
            if labels is not None:
                keys[f"{start_of}.labels"] = labels
            if blank:
                keys[f"{start_of}.blank"] = blank
            if to_halve is not None:
                keys[f"{start_of}.labels_to_halve"] = to_halve
        if contestant in order.ranks:
            best, worst = order.ranks[contestant]
            keys |= {f"{start}{contestant}.rank_best": best, f"{start}{contestant}.rank_worst": worst}
            keys[f"{start}{contestant}.tie_group"] = order.tie_groups[contestant]
    for first, second, apart, ends in order.apart:
        keys |= ends_of(f"{start}{first}.over_{second}", apart, *(ends or (None, None)))
    return keys


def ends_of(key: str, value: float, low: float | None, high: float | None) -> dict[str, float]:
    found = {key: value} | ({} if low is None or high is None else {f"{key}_lo": low, f"{key}_hi": high})
    return {name: rounded(one) for name, one in found.items()}
