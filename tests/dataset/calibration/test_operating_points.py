"""Precision, recall and suggested thresholds, by hand and against other implementations."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_score, recall_score

from stages.dataset.calibration.operating_points import (
    LEAST_RECALL,
    THRESHOLDS,
    OperatingPoint,
    Proportion,
    Tally,
    average_precision,
    measure,
    suggestion,
)
from stages.evaluation.scoring.statistics.wilson import wilson_interval

Labelled = tuple[int, bool, float]


def counted(*rows: Labelled) -> Tally:
    tally = Tally()
    for row in rows:
        tally.add(*row)
    return tally


def with_scores(bad: list[int], good: list[int]) -> Tally:
    return counted(*((score, False, 1.0) for score in bad), *((score, True, 1.0) for score in good))


def shares(point: OperatingPoint) -> tuple[float | None, float | None]:
    return tuple(share.value if share else None for share in (point.precision, point.recall))


EXAMPLE = with_scores(bad=[2, 4, 7], good=[6, 8, 9, 9])


def test_a_filter_finds_what_is_below_its_threshold() -> None:
    # Bad rows score 2 4 7, good ones 6 8 9 9.
    assert [shares(point) for point in EXAMPLE.curve(rejects=True)] == [
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
    curve = [shares(point) for point in EXAMPLE.curve(rejects=False)]
    assert curve[0] == (4 / 7, 1)  # all
    assert curve[5] == (4 / 5, 1)  # 6 8 9 9 and 7
    assert curve[7] == (3 / 4, 3 / 4)  # 8 9 9 and 7
    assert curve[8] == (1, 3 / 4)  # 8 9 9
    assert curve[10] == (None, 0)  # nothing reaches 10


@pytest.mark.parametrize(
    ("least_precision", "threshold"),
    [
        (0.95, 5),  # 3..6 are precise enough, 5 and 6 have the higher recall: of two the lower
        (0.76, 5),
        (0.75, 8),  # 8 is now precise enough and finds all
        (0.0, 8),  # 8..10 find all, 8 with the fewest false alarms
    ],
)
def test_the_highest_recall_among_the_precise(least_precision: float, threshold: int) -> None:
    better = suggestion(EXAMPLE, True, least_precision)
    assert better is not None and better.threshold == threshold


def test_the_middle_of_equals_is_suggested() -> None:
    # Below 4 .. below 9 part bad from good exactly; 4 5 6 7 8 9: of the middle two, 6 and 7, the lower.
    better = suggestion(with_scores(bad=[1, 3], good=[9, 10]), True, 0.95)
    assert better is not None and better.threshold == 6
    # From 4 .. from 8 do: 4 5 6 7 8.
    better = suggestion(with_scores(bad=[1, 3], good=[8, 10]), False, 0.95)
    assert better is not None and better.threshold == 6


def test_the_best_f1_where_no_threshold_is_precise() -> None:
    # Bad rows score 2 4, good ones 0 9 9. Below 3, 4: precision 1/2, recall 1/2, F1 1/2.
    # Below 5 .. 9: precision 2/3, recall 1, F1 2 * 2/3 / (5/3) = 4/5. Below 10: precision 2/5, recall 1, F1 4/7.
    better = suggestion(with_scores(bad=[2, 4], good=[0, 9, 9]), True, 0.95)
    assert better is not None and better.threshold == 7 and better.f1 == 4 / 5


def test_precision_that_finds_next_to_nothing_is_not_suggested() -> None:
    # Bad rows score 1 6 6 6, good ones 5 9 9 9. Below 2 .. 5: precision 1, recall 1/4, F1 2/5.
    # Below 6: 1/2 and 1/4. Below 7 .. 9: precision 4/5, recall 1, F1 8/9. Below 10: 4/8 and 1.
    labelled = with_scores(bad=[1, 6, 6, 6], good=[5, 9, 9, 9])
    better = suggestion(labelled, True, 0.95)
    assert better is not None and better.threshold == 8 and better.f1 == 8 / 9
    # With one more bad row that scores 3 below 4 and 5 find 2 of 5: still too few; with two more 3 of 6 are half.
    for more, threshold in ((1, 8), (2, 4)):
        better = suggestion(with_scores(bad=[1, *[3] * more, 6, 6, 6], good=[5, 9, 9, 9]), True, 0.95)
        assert better is not None and better.threshold == threshold


def test_nothing_is_suggested_from_labels_of_one_kind() -> None:
    assert suggestion(with_scores(bad=[2, 4], good=[]), True, 0.95) is None
    assert suggestion(with_scores(bad=[], good=[2, 4]), False, 0.95) is None
    assert suggestion(Tally(), True, 0.95) is None


def test_nothing_is_suggested_where_no_threshold_finds_anything() -> None:
    assert suggestion(with_scores(bad=[10], good=[3]), True, 0.95) is None  # nothing is below 10 but the good row


def test_average_precision() -> None:
    # From the lowest score up: 2 bad (precision 1), 4 bad (1), 6 good, 7 bad (3/4): (1 + 1 + 3/4) / 3 = 11/12.
    assert average_precision(EXAMPLE, rejects=True) == pytest.approx(11 / 12)
    # From the highest down: 9 9 (1), 8 (1), 7 is none, 6 (4/5): (1 + 1 + 1 + 4/5) / 4 = 19/20.
    assert average_precision(EXAMPLE, rejects=False) == pytest.approx(19 / 20)
    assert average_precision(with_scores(bad=[], good=[3]), rejects=True) is None


def test_rows_of_a_sample_count_for_those_they_stand_for() -> None:
    # Two bad rows score 3 and stand for themselves; one scores 8 and stands for ten: below 5 are 2 of 12.
    tally = counted((3, False, 1), (3, False, 1), (8, False, 10), (8, True, 1))
    recall = tally.point(5, rejects=True).recall
    # The effective size of the sample is (1 + 1 + 10)^2 / (1 + 1 + 100) = 144/102, not 3 and not 12.
    assert recall == Proportion(2 / 12, *wilson_interval(2 / 12 * 144 / 102, 144 / 102))


def test_measures() -> None:
    measures = measure(EXAMPLE, 4, 7, rejects=True, least_precision=0.95).model_dump(exclude_none=True)
    assert measures == {
        "labels": 7,
        "unscored": 4,
        "threshold": 7,
        "positives": 3,
        "found": 2,
        "missed": 1,
        "false_alarms": 1,
        "precision": 0.666667,
        "precision_low": 0.20766,
        "precision_high": 0.938508,
        "recall": 0.666667,
        "recall_low": 0.20766,
        "recall_high": 0.938508,
        "average_precision": 0.916667,
        "suggested": 5,
        "suggested_precision": 1.0,
        "suggested_recall": 0.666667,
    }


def test_what_is_undefined_is_left_out() -> None:
    assert measure(Tally(), 4, 7, rejects=True, least_precision=0.95).model_dump(exclude_none=True) == {
        "labels": 0,
        "unscored": 4,
        "threshold": 7,
    }
    all_good = measure(with_scores(bad=[], good=[8, 9]), 0, 7, rejects=True, least_precision=0.95)
    assert all_good.model_dump(exclude_none=True) == {
        "labels": 2,
        "unscored": 0,
        "threshold": 7,
        "positives": 0,
        "found": 0,
        "missed": 0,
        "false_alarms": 0,
    }


rows = st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(1, 9).map(float)), max_size=30)


@given(rows, st.booleans())
def test_recall_is_monotone_and_intervals_hold_their_value(labelled: list[Labelled], rejects: bool) -> None:
    curve = counted(*labelled).curve(rejects)
    assert [point.threshold for point in curve] == list(THRESHOLDS)
    recalls = [point.recall.value for point in curve if point.recall]
    assert recalls == sorted(recalls, reverse=not rejects)
    for share in [share for point in curve for share in (point.precision, point.recall) if share]:
        assert 0 <= share.low <= share.value <= share.high <= 1


@given(rows, st.booleans(), st.floats(0, 1), st.randoms())
def test_the_suggestion_is_the_best_there_is(
    labelled: list[Labelled], rejects: bool, least_precision: float, chance: random.Random
) -> None:
    better = suggestion(counted(*labelled), rejects, least_precision)
    shuffled = suggestion(counted(*chance.sample(labelled, len(labelled))), rejects, least_precision)
    assert (better and better.threshold) == (shuffled and shuffled.threshold)
    if better is None:
        return
    curve = counted(*labelled).curve(rejects)
    precise = [
        point
        for point in curve
        if point.precision and point.precision.value >= least_precision and point.f1
        if point.recall and point.recall.value >= LEAST_RECALL
    ]
    assert better.threshold in THRESHOLDS and better.recall is not None
    if precise:
        assert better.recall.value == max(point.recall.value for point in precise if point.recall)
        assert better.threshold in [point.threshold for point in precise]
    else:
        assert better.f1 == max(point.f1 for point in curve)


@settings(max_examples=15)
@given(rows.filter(lambda labelled: len({good for _, good, _ in labelled}) == 2), st.booleans())
def test_the_shares_are_scikit_learns(labelled: list[Labelled], rejects: bool) -> None:
    tally = counted(*labelled)
    wanted = [good != rejects for _, good, _ in labelled]
    weights = [weight for *_, weight in labelled]
    for point in tally.curve(rejects):
        found = [(score < point.threshold) == rejects for score, *_ in labelled]
        precision, recall = shares(point)
        expected = recall_score(wanted, found, sample_weight=weights)
        assert recall == pytest.approx(expected)
        if any(found):
            assert precision == pytest.approx(precision_score(wanted, found, sample_weight=weights))
        else:
            assert precision is None
    ranking = [-score if rejects else score for score, *_ in labelled]
    expected = average_precision_score(wanted, ranking, sample_weight=weights)
    assert average_precision(tally, rejects) == pytest.approx(expected)
