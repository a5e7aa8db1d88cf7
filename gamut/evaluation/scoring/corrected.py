"""A board corrected by people: their labels of some answers correct one judge's scores of all.

Only weighted sums of means are corrected, each as one sum. An answer that was drawn but left blank may have any score.
So intervals reach from all blanks at their lowest to all at their highest, and ranks must hold at both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, Reportable, Resampled, Summed
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.comparison import common_scores, inferred_difference, studentized_moves
from gamut.evaluation.scoring.estimates import Estimate, keys_of_interval, value_interval
from gamut.evaluation.scoring.prediction_powered import add_doubt, doubt, interval_in_doubt, labels_to_halve
from gamut.evaluation.scoring.scores import score_matrix
from gamut.evaluation.scoring.statistics.inference import Floats, Inference, Inferred, Interval, interval, p_value
from gamut.evaluation.scoring.statistics.ranks import RankInterval, better_pairs, rank_intervals, tie_groups
from gamut.evaluation.scoring.values import Scores, infer_value, paired_difference
from gamut.tables.columns import Row, grouped

Gap = tuple[Inferred | None, Scores]
"""How far one is above another, None with too few items; and how items move that, shape (items,)."""
LEAST = 10
"""A correction needs so many labels of the contestant's own answers in each measure that counts."""
OPPOSITE = 0, 2, 1
"""For `CorrectedMetric.ranking`: what is compared with a value as labelled, at its lowest, at its highest."""
NO_AVERAGE = "it is not an average of scores, and labels of some answers correct only averages"


class Corrected(NamedTuple):
    """A reported value by the judge and, with enough labels, as corrected by people; else `lacking` says why not.

    `doubt`: a standard error that items do not show. `to_halve`: how many labels would halve the interval. `labels`:
    how many of the contestant's answers have one in each measure that counts. `blank`: how many more were drawn.
    """

    raw: Estimate
    labels: int | None
    value: Estimate | None = None
    doubt: float = 0.0
    to_halve: int | None = None
    lacking: str = ""
    blank: int = 0


class LabelledValue(NamedTuple):
    """A value from corrected scores. `to_halve`: labels that would halve its interval."""

    scores: Scores
    value: float
    interval: Interval | None
    doubt: float
    to_halve: int | None


class CorrectedMetric(NamedTuple):
    """One contestant in a metric. `ranking`: the corrected ranking value, at its lowest and at its highest, if any."""

    values: Mapping[str, Corrected]
    ranking: Sequence[LabelledValue]


class ScoreMatrices(NamedTuple):
    """The columns of corrected scores, each of shape (items, columns), NaN if nothing was expected."""

    low: Scores
    right: Scores
    beyond: Scores
    less: Scores
    missed: Scores
    labels: Scores
    answers: Scores


class PairGap(NamedTuple):
    """How far the first of two contestants is above the second, in the ranking value."""

    first: str
    second: str
    value: float
    interval: Interval | None


class CorrectedRanks(NamedTuple):
    """Which contestants can be ranked, with all pairs tested together. `gaps`: each pair by itself."""

    ranks: Mapping[str, RankInterval]
    tie_groups: Mapping[str, int]
    gaps: Sequence[PairGap]


def correct_metric(
    rows: Sequence[Row], layout: Layout, unasked: Collection[str] = (), ends: Sequence[Sequence[Row]] = ()
) -> CorrectedMetric:
    """Return the shown values of one contestant, from its scores in a metric (`correct_scores`): each corrected, or why
    not. `unasked`: measures that people are not asked about. `ends`: scores with all blanks at their lowest, and at
    their highest.
    """
    scores, at_ends = score_matrices(rows, layout), [score_matrices(one, layout) for one in ends]
    raw, too_little = layout.estimates(rows), layout.too_little(rows)
    found: dict[str, Corrected] = {}
    ranking: Sequence[LabelledValue] = ()
    for name in layout.metric.shown:
        one, factors = layout.metric.reported[name], slopes_of(layout.metric.reported[name])
        if name not in raw:
            continue
        if isinstance(one, Resampled) or factors is None:
            found[name] = Corrected(raw[name], None, lacking=NO_AVERAGE)
            continue
        counts = label_counts(scores, factors, layout)
        measure = min(counts, key=lambda kind: counts[kind])
        fewest, _ = counts[measure]
        drawn = label_counts(at_ends[0], factors, layout) if at_ends else counts
        blank = max(drawn[kind][0] - labels for kind, (labels, _) in counts.items())
        without = (np.isnan(scores.right) & ~np.isnan(scores.low))[:, factors != 0].any()
        lacking = lack_of_labels(fewest, measure, layout, unasked) or ("a stratum has no labels" if without else "")
        matrices = [scores]
        if at_ends:  # others' blanks also affect the slope
            least, most = at_ends
            matrices += [mix_columns(factors > 0, *both) for both in ((most, least), (least, most))]
        values = (labelled_value(one_of, name, one, factors, layout) for one_of in matrices)
        known = [] if too_little or lacking else [value for value in values if value is not None]
        if len(known) < len(matrices):
            found[name] = Corrected(raw[name], fewest, lacking=too_little or lacking or "too few items", blank=blank)
            continue
        low, high = union([one.interval for one in known]) or (None, None)
        value = Estimate(known[0].value, low, high, raw[name].n)
        to_halve = None if blank else known[0].to_halve
        found[name] = Corrected(raw[name], fewest, value, known[0].doubt, to_halve, blank=blank)
        if name == layout.metric.shown[0]:
            ranking = known if at_ends else known * len(OPPOSITE)
    return CorrectedMetric(found, ranking)


def score_matrices(rows: Sequence[Row], layout: Layout) -> ScoreMatrices:
    known = [row for row in rows if row["low"] is not None]
    places = score_matrix([row | {"low": n} for n, row in enumerate(known)], layout.items, layout.metric)
    at = np.nan_to_num(places, nan=len(known)).astype(np.int64)
    return ScoreMatrices(
        *(np.array([*(row[name] for row in known), np.nan], np.float64)[at] for name in ScoreMatrices._fields)
    )


def mix_columns(where: NDArray[np.bool_], first: ScoreMatrices, second: ScoreMatrices) -> ScoreMatrices:
    """Take a column from the second matrix if `where`, shape (columns,), is true for it, else from the first."""
    return ScoreMatrices(*(np.where(where, after, before) for before, after in zip(first, second, strict=True)))


def labelled_value(
    scores: ScoreMatrices, name: str, one: Summed, factors: Floats, layout: Layout
) -> LabelledValue | None:
    """Return one corrected value. None if too few items have corrected scores."""
    inferred = infer_value(scores.right, layout.strata, one, layout.ends.get(name))
    if inferred is None:
        return None
    counting = factors != 0
    fewest, answers = min(label_counts(scores, factors, layout).values())
    each = factors[counting] / np.maximum(1, (~np.isnan(scores.right[:, counting])).sum(axis=0))
    parts = (scores.beyond, scores.less)
    squares, fewer = (float(((np.nan_to_num(part[:, counting]) @ each) ** 2).sum()) for part in parts)
    off = float(np.abs(factors[counting]) @ np.nan_to_num(scores.missed[:, counting]).max(axis=0, initial=0))
    more = doubt(squares, fewest, answers, off)
    to_halve = labels_to_halve(inferred.error.error**2, squares, fewer, off, fewest, answers)
    value, ends = widened_value(inferred, more, value_interval(scores.right, layout.strata, one, inferred.ends))
    return LabelledValue(scores.right, value, ends, more, to_halve)


def union(intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the interval that contains all of several; None if one of them is None."""
    ends = [one for one in intervals if one is not None]
    if len(ends) < len(intervals):
        return None
    return Interval(min(low for low, _ in ends), max(high for _, high in ends))


def slopes_of(one: Reportable) -> Floats | None:
    """Return how a value moves with each column's mean, shape (columns,). None if not as a weighted sum."""
    return one.factors if isinstance(one, Linear) else None if isinstance(one, Resampled) else one.slopes


def label_counts(scores: ScoreMatrices, factors: Floats, layout: Layout) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many answers have labels, and how many there are, by setting and measure that counts."""
    columns = enumerate(layout.metric.columns)
    kinds = grouped(((one.setting, one.measure), number) for number, one in columns if factors[number])

    def count(counts: Scores, columns: Sequence[int]) -> int:
        return int(np.nan_to_num(counts[:, columns]).max(axis=1).sum())

    return {kind: (count(scores.labels, columns), count(scores.answers, columns)) for kind, columns in kinds.items()}


def lack_of_labels(labels: int, kind: tuple[str, str], layout: Layout, unasked: Collection[str]) -> str:
    setting, measure = kind
    if measure in unasked:
        return f"people are not asked about {measure}"
    if labels >= LEAST:
        return ""
    if any(measure == one.measure for one in layout.joint):
        return f"fewer than {LEAST} samples have labels in both settings"
    return f"fewer than {LEAST} labels of {measure} ({setting})"


def widened_value(inferred: Inferred, more: float, of_scores: Interval | None) -> tuple[float, Interval | None]:
    """Return a corrected value and its interval, at least as long as for true scores, within the value's range."""
    lowest, highest = (-np.inf, np.inf) if inferred.ends is None else inferred.ends
    ends = union([one for one in (interval_in_doubt(inferred, more), of_scores) if one is not None] or [None])
    value, *around_it = np.clip([inferred.value, *(ends or ())], lowest, highest).tolist()
    return value, Interval(*around_it) if around_it else None


def rank_corrected(contestants: Mapping[str, CorrectedMetric], layout: Layout) -> CorrectedRanks:
    """Rank contestants as the board does. One is better than another if labels say so, also with its own blanks at
    their lowest and the other's at their highest.
    """
    able = {name: one for name, one in sorted(contestants.items()) if one.ranking}
    if not able:
        return CorrectedRanks({}, {}, [])
    pair_gaps, surest, moved = list[PairGap](), list[Inference | None](), list[Scores]()
    for (first, one), (second, other) in combinations(able.items(), 2):
        opposite = [other.ranking[n] for n in OPPOSITE]
        gaps = [gap_between(*both, layout) for both in zip(one.ranking, opposite, strict=True)]
        by_labels, _ = gaps[0]
        if by_labels is not None:
            ends = union([None if gap is None else interval(gap) for gap, _ in gaps])
            pair_gaps.append(PairGap(first, second, by_labels.value, ends))
        gap, moves = least_sure_gap(gaps)
        surest.append(gap)
        moved.append(moves)
    is_better = better_pairs(len(able), surest, studentized_moves(surest, moved, layout.seed))
    ranks = rank_intervals(is_better)
    groups = tie_groups(np.array([one.ranking[0].value for one in able.values()]), is_better)
    return CorrectedRanks(dict(zip(able, ranks, strict=True)), dict(zip(able, groups, strict=True)), pair_gaps)


def gap_between(first: LabelledValue, second: LabelledValue, layout: Layout) -> Gap:
    scores, apart = paired_difference(*common_scores(second.scores, first.scores), layout.ranking)
    gap, moves = inferred_difference(scores, layout.strata, apart, layout.ends.get(layout.metric.shown[0]))
    return gap and add_doubt(gap, float(np.hypot(first.doubt, second.doubt))), moves


def least_sure_gap(gaps: Sequence[Gap]) -> Gap:
    """Return the least certain of several gaps between the same two; value 0 if they disagree about which is above."""
    above = {None if gap is None else float(np.sign(gap.value)) for gap, _ in gaps}
    if len(above) > 1:
        gap, moves = gaps[0]
        return gap and gap._replace(value=0.0), moves
    return max(gaps, key=lambda one: 1.0 if one[0] is None else p_value(one[0]))


def flat_corrected(
    start: str, contestants: Mapping[str, CorrectedMetric], order: CorrectedRanks
) -> dict[str, float | str]:
    """Return keys `<start><contestant>.<name>.…`, ranks, and `.over_<another>` with its interval."""
    keys: dict[str, float | str] = {}
    for contestant, one in contestants.items():
        for name, (raw, labels, value, _, to_halve, lacking, blank) in one.values.items():
            start_of = f"{start}{contestant}.{name}"
            keys |= keys_of_interval(f"{start_of}.raw", raw.value, raw.low, raw.high)
            if value is not None:
                keys |= keys_of_interval(f"{start_of}.corrected", value.value, value.low, value.high)
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
    for first, second, apart, ends in order.gaps:
        keys |= keys_of_interval(f"{start}{first}.over_{second}", apart, *(ends or (None, None)))
    return keys
