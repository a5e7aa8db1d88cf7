"""Precision, recall and their bounds, by hand and against other implementations; a judge who is blind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import precision_score, recall_score

from gamut.dataset.calibration.labels import BAD, GOOD, KINDS
from gamut.dataset.calibration.operating_points import (
    CellCounts,
    Floats,
    Points,
    Strata,
    greatest_share,
    least_share,
    points_of,
    share_of,
)
from tests.dataset.calibration.small_samples import ONE, counted, one_stratum

EXAMPLE = one_stratum(bad=[2, 4, 7], good=[6, 8, 9, 9])


def shares(points: Points) -> list[tuple[float | None, float | None]]:
    pairs = zip(points.precision.tolist(), points.recall.tolist(), strict=True)
    return [tuple(None if math.isnan(share) else share for share in pair) for pair in pairs]


def test_a_filter_finds_what_is_below_its_threshold() -> None:
    # Bad rows score 2 4 7, good ones 6 8 9 9.
    assert shares(points_of(EXAMPLE, Strata(np.array([7.0])), rejects=True)) == [
        (None, 0),  # below 0: nothing is found
        (None, 0),
        (None, 0),
        (1, 1 / 3),  # below 3: the bad 2
        (1, 1 / 3),
        (1, 2 / 3),  # below 5: the bad 2 4
        (1, 2 / 3),
        (2 / 3, 2 / 3),  # below 7: the bad 2 4 and the good 6
        (3 / 4, 1),  # below 8: the bad 2 4 7 and the good 6
        (3 / 5, 1),  # below 9: the bad 2 4 7 and the good 6 8
        (3 / 7, 1),  # below 10: all
    ]


def test_a_characteristic_finds_what_reaches_its_threshold() -> None:
    # What belongs scores 6 8 9 9, the rest 2 4 7.
    curve = shares(points_of(EXAMPLE, ONE, rejects=False))
    assert curve[0] == (4 / 7, 1)  # all
    assert curve[5] == (4 / 5, 1)  # 6 8 9 9 and 7
    assert curve[7] == (3 / 4, 3 / 4)  # 8 9 9 and 7
    assert curve[8] == (1, 3 / 4)  # 8 9 9
    assert curve[10] == (None, 0)  # nothing reaches 10


# Labels of two strata: 100 rows below 6, of which 20 score 5, and 900 from 6, of which 300 score 6

HELD = np.zeros((2, 11))
HELD[0, [2, 5]], HELD[1, [6, 9]] = (80, 20), (300, 600)
HALVES = Strata(HELD.sum(axis=1), HELD)
# Below: 8 bad and 2 good. From: 1 bad of 10, which scores 6.
LABELS = np.array([counted(bad=[2] * 7 + [5], good=[5, 5]), counted(bad=[6], good=[6] * 3 + [9] * 6)])


def test_labels_stand_for_the_rows_of_their_stratum() -> None:
    points = points_of(LABELS, HALVES, rejects=True)
    # Below, a label stands for 100/10 rows, from 6 for 900/10. Below 6 are 8 · 10 bad rows, elsewhere 1 · 90.
    assert (points.precision[6], points.recall[6]) == pytest.approx((8 / 10, 80 / 170))
    # Below 7: also 90 bad rows and 3 · 90 good ones.
    assert (points.precision[7], points.recall[7]) == pytest.approx((170 / (170 + 20 + 270), 1))
    assert (points.found[7], points.missed[7], points.false_alarms[7]) == (9, 0, 5)


def test_what_is_blank_is_worst_in_the_lower_bound_and_best_in_the_upper() -> None:
    # Below 3 are 8 bad, 1 good and 2 blank rows, elsewhere 1 bad one and 1 blank. Precision is 8 of 9, at least that of
    # 8 of 11, at most of 10 of 11; recall 8 of 9, at least that of 8 of 10 (bad may be what is blank above, and nothing
    # of what is blank below), at most of 10 of 11.
    points = points_of(one_stratum(bad=[2] * 8 + [8], good=[2], blank=[2, 2, 9]), ONE, rejects=True)
    exact = {n: binomtest(8, n).proportion_ci(0.95, "exact").low for n in (10, 11)}
    most = binomtest(10, 11).proportion_ci(0.95, "exact").high
    assert points.precision[3] == points.recall[3] == pytest.approx(8 / 9)
    assert (points.precision_low[3], points.precision_high[3]) == pytest.approx((exact[11], most))
    assert (points.recall_low[3], points.recall_high[3]) == pytest.approx((exact[10], most))


def test_bounds_of_halves_by_hand() -> None:
    points = points_of(LABELS, HALVES, rejects=True)
    # Today's precision is that of one cell, 8 of 10; its recall of two, each with a tail of .0125.
    exact = binomtest(8, 10).proportion_ci(0.95, "exact")
    assert (points.precision_low[6], points.precision_high[6]) == pytest.approx((exact.low, exact.high))
    half = [binomtest(k, 10).proportion_ci(0.975, "exact") for k in (8, 1)]
    low = 100 * half[0].low / (100 * half[0].low + 900 * half[1].high)
    high = 100 * half[0].high / (100 * half[0].high + 900 * half[1].low)
    assert (points.recall_low[6], points.recall_high[6]) == pytest.approx((low, high))
    # At 5 there is a third cell: 20 rows that score 5, of which 1 of 3 labels is bad. Each has a tail of .025 / 3.
    third = [binomtest(k, n).proportion_ci(1 - 0.05 / 3, "exact") for k, n in ((7, 7), (1, 3), (1, 10))]
    most_missed = 20 * third[1].high + 900 * third[2].high
    assert points.recall_low[5] == pytest.approx(80 * third[0].low / (80 * third[0].low + most_missed))


def test_where_scores_have_moved_any_number_of_rows_may_have_them() -> None:
    moved = points_of(LABELS, Strata(HALVES.rows), rejects=True)
    known = points_of(LABELS, HALVES, rejects=True)
    # Below 6, rightly found may be bad rows of either stratum, 8 of 10 and 0 of 10; missed 0 of 10 and 1 of 10. Four
    # bounds, each with a tail of .025 / 4.
    exact = {k: binomtest(k, 10).proportion_ci(1 - 0.05 / 4, "exact") for k in (0, 1, 8)}
    sure, most = 100 * exact[8].low, 100 * exact[0].high + 900 * exact[1].high
    assert moved.recall_low[6] == pytest.approx(sure / (sure + most))
    assert moved.recall.tolist() == known.recall.tolist()
    for name in ("precision", "recall"):
        assert getattr(moved, f"{name}_low")[6] <= getattr(known, f"{name}_low")[6]
        assert getattr(moved, f"{name}_high")[6] >= getattr(known, f"{name}_high")[6]


def test_a_side_without_labels_is_unknown() -> None:
    counts = LABELS.copy()
    counts[1] = 0
    points = points_of(counts, HALVES, rejects=True)
    assert (points.recall[6], points.recall_high[6]) == (1, 1) and points.recall_low[6] < 100 / 1000
    # Of 300 rows that score 6, found below 7, all may be bad, or none.
    exact = binomtest(8, 10).proportion_ci(0.975, "exact")
    bounds = (100 * exact.low / 400, (100 * exact.high + 300) / 400)
    assert (points.precision_low[7], points.precision_high[7]) == pytest.approx(bounds)


def test_a_blind_judge_is_seen() -> None:
    # 100,000 rows: the judge gives 1 to 1,600 faulty ones and 9 to 400, as to all good ones. Recall is .8.
    held = np.zeros((2, 11))
    held[0, 1], held[1, 9] = 1_600, 98_400
    strata, random = Strata(held.sum(axis=1), held), np.random.default_rng(1)
    for labels in (25, 100, 500, 5_000):
        overlooked = random.hypergeometric(400, 98_000, labels, 200)
        counts = np.zeros((200, 2, len(KINDS), 11))
        counts[:, 0, BAD, 1] = min(labels, 1_600)
        counts[:, 1, BAD, 9], counts[:, 1, GOOD, 9] = overlooked, labels - overlooked
        points = points_of(counts, strata, rejects=True)
        held_truth = (points.recall_low[:, 6] <= 0.8) & (points.recall_high[:, 6] >= 0.8)
        assert held_truth.mean() > 0.94, labels
    # None of 25 says as good as nothing of recall: up to 16 % of 98,400 rows may be faulty.
    points = points_of(np.array([counted(bad=[1] * 25, good=[]), counted(bad=[], good=[9] * 25)]), strata, rejects=True)
    assert points.recall[6] == 1 and points.recall_low[6] < 0.1


# As it has to be for any labels

row = st.tuples(st.integers(0, 10), st.integers(0, 2), st.integers(0, 1))
rows = st.lists(row, max_size=30)


def in_strata(labelled: list[tuple[int, int, int]]) -> tuple[Floats, list[Strata]]:
    """Labels of two strata that scores overlap in, or that part at 6; with what may be known of these."""
    mixed, parted = np.zeros((2, 2, len(KINDS), 11))
    for score, said, stratum in labelled:
        mixed[stratum, said, score] += 1
        parted[int(score >= 6), said, score] += 1
    table = np.where(np.arange(11) < 6, [[7], [0]], [[0], [40]]) + parted.sum(axis=1)
    return mixed, [Strata(np.array([70.0, 400.0])), Strata(table.sum(axis=1), table)]


@settings(max_examples=25)
@given(rows, st.booleans())
def test_recall_is_monotone_and_bounds_hold_their_value(labelled: list[tuple[int, int, int]], rejects: bool) -> None:
    mixed, (moved, known) = in_strata(labelled)
    parted = np.stack([np.where(np.arange(11) < 6, mixed.sum(0), 0), np.where(np.arange(11) >= 6, mixed.sum(0), 0)])
    for counts, strata in ((mixed, moved), (parted, known), (mixed.sum(axis=0)[None], ONE)):
        points = points_of(counts, strata, rejects)
        recalls = [recall for recall in points.recall.tolist() if not math.isnan(recall)]
        assert recalls == pytest.approx(sorted(recalls, reverse=not rejects))
        for name in ("precision", "recall"):
            value, low, high = (getattr(points, key) for key in (name, f"{name}_low", f"{name}_high"))
            assert (low >= 0).all() and (low <= high).all() and (high <= 1).all()
            defined = ~np.isnan(value)
            assert (low[defined] <= value[defined]).all() and (value[defined] <= high[defined]).all()
            ten_times = points_of(counts * 10, strata, rejects)
            narrower = getattr(ten_times, f"{name}_high") - getattr(ten_times, f"{name}_low")
            assert (narrower <= high - low + 1e-9).all()


@settings(max_examples=15)
@given(rows.filter(lambda labelled: {0, 1} <= {said for _, said, _ in labelled}), st.booleans())
def test_the_shares_are_scikit_learns(labelled: list[tuple[int, int, int]], rejects: bool) -> None:
    counts, (strata, _) = in_strata(labelled)
    sure = [(score, said, stratum) for score, said, stratum in labelled if said < 2]
    wanted = [(said == GOOD) != rejects for _, said, _ in sure]
    of = [sum(stratum == one for *_, one in sure) for stratum in (0, 1)]
    weights = [strata.rows[stratum] / of[stratum] for *_, stratum in sure]
    points = points_of(counts, strata, rejects)
    for threshold, (precision, recall) in enumerate(shares(points)):
        found = [(score < threshold) == rejects for score, *_ in sure]
        assert recall == pytest.approx(recall_score(wanted, found, sample_weight=weights))
        if any(found):
            assert precision == pytest.approx(precision_score(wanted, found, sample_weight=weights))
        else:
            assert precision is None


# Exact bounds of shares and of what they are joined to


def array(*values: float) -> Floats:
    """An array of shape (strata, 1)."""
    return np.array(values, dtype=np.float64)[:, None]


def cells_of(*cells: tuple[float, float, float, float]) -> CellCounts:
    return CellCounts(*(array(*column) for column in zip(*cells, strict=True)))


def test_bounds_by_hand() -> None:
    # None of 25: a share p lets that happen with (1 - p)^25, which is .0125 at 1 - .0125^(1/25).
    assert greatest_share(array(0), array(25), 0.0125)[0, 0] == pytest.approx(1 - 0.0125 ** (1 / 25))
    assert least_share(array(25), array(25), 0.0125)[0, 0] == pytest.approx(0.0125 ** (1 / 25))
    assert (least_share(array(0), array(25)), greatest_share(array(25), array(25))) == (0, 1)
    assert (least_share(array(0), array(0)), greatest_share(array(0), array(0))) == (0, 1), "of none nothing is known"


@settings(max_examples=25)
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.001, 0.4))
def test_bounds_are_those_of_scipy(found: tuple[int, int], tail: float) -> None:
    k, n = found
    exact = binomtest(k, n).proportion_ci(1 - 2 * tail, "exact")
    low, high = least_share(array(k), array(n), tail)[0, 0], greatest_share(array(k), array(n), tail)[0, 0]
    assert (low, high) == pytest.approx((exact.low, exact.high))
    assert 0 <= low <= k / n <= high <= 1


def test_cells_are_joined_by_hand() -> None:
    # Of 1,000 rows below, 25 labels, all positive; of 9,000 above, 25 labels, none. Each bound fails with .025 / 2.
    right, missing = cells_of((25, 0, 25, 1000), (0, 0, 0, 0)), cells_of((0, 0, 0, 0), (0, 0, 25, 9000))
    low, high = share_of(right, missing, np.array(2.0))
    sure, most = 1000 * 0.0125 ** (1 / 25), 9000 * (1 - 0.0125 ** (1 / 25))
    assert low[0] == pytest.approx(sure / (sure + most)) and high[0] == 1


def test_a_cell_without_labels_can_be_anything() -> None:
    right, missing = cells_of((25, 0, 25, 1000), (0, 0, 0, 0)), cells_of((0, 0, 0, 0), (0, 0, 0, 9000))
    low, high = share_of(right, missing, np.array(2.0))
    sure = 1000 * 0.0125 ** (1 / 25)
    assert low[0] == pytest.approx(sure / (sure + 9000)) and high[0] == 1
    nothing = cells_of((0, 0, 0, 0), (0, 0, 0, 0))
    assert share_of(nothing, nothing, np.array(0.0)) == (0, 1)


def test_of_one_stratum_the_share_is_one_of_a_sample() -> None:
    # 3 of 4 positives were found, whatever else there is: Clopper and Pearson's interval of 3 of 4.
    exact = binomtest(3, 4).proportion_ci(0.95, "exact")
    low, high = share_of(cells_of((3, 0, 10, 1)), cells_of((1, 0, 90, 1)), np.array(2.0))
    assert (low[0], high[0]) == pytest.approx((exact.low, exact.high))


def test_what_is_disputed_is_wrong_in_the_lower_bound_and_right_in_the_upper() -> None:
    # 3 found and 1 disputed among them, 1 missed and 1 disputed there. Lower: the first is no positive, the second is
    # one: 3 of 5. Upper: the first is one, the second is not: 4 of 5.
    low, high = share_of(cells_of((3, 1, 10, 1)), cells_of((1, 1, 90, 1)), np.array(2.0))
    assert low[0] == pytest.approx(binomtest(3, 5).proportion_ci(0.95, "exact").low)
    assert high[0] == pytest.approx(binomtest(4, 5).proportion_ci(0.95, "exact").high)


cells = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(1, 99)).map(
    lambda cell: (cell[0], cell[1], sum(cell[:3]), cell[3])
)


@settings(max_examples=40)
@given(st.integers(1, 3).flatmap(lambda n: st.tuples(*[st.lists(cells, min_size=n, max_size=n)] * 2)))
def test_more_rightly_found_never_lowers_a_bound(both: tuple[list[tuple[int, ...]], list[tuple[int, ...]]]) -> None:
    part, rest = (cells_of(*cells) for cells in both)  # type: ignore[arg-type]
    bounds = share_of(part, rest, np.array(4.0))
    assert 0 <= bounds[0][0] <= bounds[1][0] <= 1
    more = CellCounts(part.sure + array(*[1] * len(both[0])), part.open, part.of + 1, part.rows)
    settled = CellCounts(part.sure + part.open, 0 * part.open, part.of, part.rows)
    for better in (more, settled):
        found = share_of(better, rest, np.array(4.0))
        assert all(new[0] >= old[0] - 1e-12 for new, old in zip(found, bounds, strict=True))
