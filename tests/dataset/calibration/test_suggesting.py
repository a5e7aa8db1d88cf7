"""The threshold that is suggested: chosen by some labels, judged by others, and none where too little is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.dataset.calibration.measures import Least, candidate, choose_threshold, labels_needed, reaches_wanted
from gamut.dataset.calibration.operating_points import Floats, Strata, points_of
from tests.dataset.calibration.small_samples import ONE, counted, one_stratum, sampled

LEAST = Least(0.95, 0.5)
MANY = 40
"""Of each label of an example, so that bounds lie near values."""


def choice(counts: Floats, now: int = 0, rejects: bool = True, least: Least = LEAST) -> int | None:
    return choose_threshold(points_of(counts * MANY, ONE, rejects), now, least)


EXAMPLE = one_stratum(bad=[2, 4, 7], good=[6, 8, 9, 9])


@pytest.mark.parametrize(
    ("least_precision", "threshold"),
    [
        (0.95, 5),  # 3..6 are precise enough, 5 and 6 have the higher recall: of two the lower
        (0.7, 5),  # at 8 three of four are found rightly, but the lower bound of 120 of 160 is .675
        (0.67, 8),  # now it is precise enough, and finds all
        (0.0, 8),  # 8..10 find all, 8 with the fewest false alarms
    ],
)
def test_the_highest_recall_among_those_that_are_foreseen_to_reach(least_precision: float, threshold: int) -> None:
    assert choice(EXAMPLE, least=Least(least_precision, 0.5)) == threshold


def test_of_equals_today_s_stays_and_otherwise_the_middle_is_taken() -> None:
    # Below 4 .. below 9 part bad from good exactly; 4 5 6 7 8 9: of the middle two, 6 and 7, the lower.
    parted = one_stratum(bad=[1, 3], good=[9, 10])
    assert (choice(parted), choice(parted, now=8), choice(parted, now=3)) == (6, 8, 6)
    # From 4 .. from 8 do: 4 5 6 7 8.
    assert choice(one_stratum(bad=[1, 3], good=[8, 10]), rejects=False) == 6


def test_the_nearest_where_none_reaches() -> None:
    # Bad rows score 2 4, good ones 0 9 9. Below 5 .. 9: precision 2/3, recall 1, which is nearest to .95.
    assert choice(one_stratum(bad=[2, 4], good=[0, 9, 9])) == 7
    # Bad rows score 1 6 6 6, good ones 5 9 9 9. Below 2 .. 5: precision 1, recall 1/4, a quarter too little. Below
    # 7 .. 9: precision 4/5, recall 1, .15 too little.
    assert choice(one_stratum(bad=[1, 6, 6, 6], good=[5, 9, 9, 9])) == 8


def test_nothing_is_chosen_by_labels_that_are_alike() -> None:
    for bad, good, rejects in ([2, 4], [], True), ([], [2, 4], False), ([], [], True):
        alike = one_stratum(bad=bad, good=good, disputed=[3])
        assert candidate(sampled(alike, alike), 6, rejects, LEAST) is None
        assert labels_needed(alike, ONE, rejects, LEAST) is None
    assert choice(one_stratum(bad=[10], good=[3])) is None  # nothing is below 10 but the good row


def test_labels_that_choose_do_not_judge() -> None:
    # The first fold parts below 4 .. 9, the second below 2 .. 3: what the one chooses is judged by the other.
    first, second = one_stratum(bad=[3] * 90, good=[9] * 90), one_stratum(bad=[1] * 80, good=[3] * 80)
    other = candidate(sampled(first, second), 6, True, LEAST)
    # 6 is chosen for the second, 2 for the first, as often; 2 finds less. Of the first fold nothing is below 2.
    assert other is not None and other.threshold == 2 and not other.points.found[2] and not reaches_wanted(other, LEAST)
    belonging = candidate(sampled(first[:, [1, 0, 2]], second[:, [1, 0, 2]]), 6, False, LEAST)
    assert belonging is not None and not reaches_wanted(belonging, LEAST)


def test_folds_of_one_choice_judge_together() -> None:
    fold = one_stratum(bad=[1] * 36, good=[9] * 36)  # 2 .. 9 part them
    other = candidate(sampled(fold, fold), 6, True, LEAST)
    # All of 72: .025^(1/72) = .9501.
    assert other is not None and other.threshold == 6 and reaches_wanted(other, LEAST)
    assert other.points.precision_low[6] == pytest.approx(0.025 ** (1 / 72))
    fewer = candidate(sampled(fold, one_stratum(bad=[1] * 35, good=[9] * 36)), 6, True, LEAST)
    assert fewer is not None and not reaches_wanted(fewer, LEAST)
    # For the third fold the two others choose below 4 .. 9 alone, and so do they with it for both of them.
    third = one_stratum(bad=[3] * 36, good=[9] * 36)
    most = candidate(sampled(fold, third, third), 2, True, LEAST)
    assert most is not None and most.threshold == 6 and most.points.found[6] == 108


def test_folds_for_which_something_else_is_chosen_do_not_judge() -> None:
    # With the last fold below 6 .. 9 part all; without it 1 is bad, 5 is not seen, and today's 2 stays.
    plain, last = one_stratum(bad=[1] * 40, good=[9] * 40), one_stratum(bad=[5] * 40, good=[9] * 40)
    other = candidate(sampled(plain, plain, plain, last), 2, True, LEAST)
    assert other is not None and other.threshold == 7 and other.points.found[7] == 120


def test_how_many_labels_would_be_enough() -> None:
    # 10 of 10 are found rightly; 72 have to be. The next number of times that is tried, 2^3, makes 160 of 20 labels.
    assert labels_needed(one_stratum(bad=[1] * 10, good=[9] * 10), ONE, True, LEAST) == 160
    # Half of what is found at any threshold is good, of however many labels.
    assert labels_needed(one_stratum(bad=[1] * 10, good=[1] * 10), ONE, True, LEAST) is None


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_fifteen_random_labels_suggest_nothing(seed: int, halved: bool) -> None:
    random = np.random.default_rng(seed)
    scores, good = random.integers(0, 11, 15), random.random(15) < 0.5
    held = np.array([np.arange(11) < 6, np.arange(11) >= 6]) * 1000.0
    strata = Strata(held.sum(axis=1), held) if halved else ONE
    folds = []
    for fold in [(scores[n::5], good[n::5]) for n in range(5)]:
        counts = counted(fold[0][~fold[1]].tolist(), fold[0][fold[1]].tolist())
        folds.append(np.stack([counts * (held > 0)[0], counts * (held > 0)[1]]) if halved else counts[None])
    other = candidate(sampled(*folds, strata=strata), 6, True, LEAST)
    assert other is None or not reaches_wanted(other, LEAST)
