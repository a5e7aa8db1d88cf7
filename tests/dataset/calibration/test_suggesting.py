"""The threshold that is suggested: chosen by some labels, judged by others, and none where too little is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.dataset.calibration.bounds import Floats
from stages.dataset.calibration.operating_points import Strata, points_of
from stages.dataset.calibration.suggesting import Least, candidate, chosen, enough, holds
from tests.dataset.calibration.small_samples import ONE, counted, one_stratum, sampled

LEAST = Least(0.95, 0.5)
MANY = 40
"""Of each label of an example, so that bounds lie near values."""


def choice(counts: Floats, now: int = 0, rejects: bool = True, least: Least = LEAST) -> int | None:
    return chosen(points_of(counts * MANY, ONE, rejects), now, least)


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
        assert candidate(sampled(alike, EXAMPLE), 6, rejects, LEAST) is None
        assert enough(alike, ONE, rejects, LEAST) is None
    assert choice(one_stratum(bad=[10], good=[3])) is None  # nothing is below 10 but the good row


def test_labels_that_choose_do_not_judge() -> None:
    choosing = one_stratum(bad=[1] * 10, good=[9] * 10)  # 2 .. 9 part them
    luckless = one_stratum(bad=[1] * 50, good=[9] * 40 + [1] * 10)
    other = candidate(sampled(choosing, luckless), 6, True, LEAST)
    assert other is not None and other.threshold == 6 and other.points.precision[6] == pytest.approx(50 / 60)
    assert not holds(other, LEAST)
    judging = one_stratum(bad=[1] * 72, good=[9] * 72)
    other = candidate(sampled(choosing, judging), 6, True, LEAST)
    # All of 72: .025^(1/72) = .9501.
    assert other is not None and holds(other, LEAST)
    assert other.points.precision_low[6] == pytest.approx(0.025 ** (1 / 72))
    fewer = candidate(sampled(choosing, one_stratum(bad=[1] * 71, good=[9] * 72)), 6, True, LEAST)
    assert fewer is not None and not holds(fewer, LEAST)


def test_how_many_labels_would_be_enough() -> None:
    # 10 of 10 are found rightly. Four in five labels judge; of these 72 have to be found, 9 times as many as 8 are.
    # The next number of times that is tried, 2^(13/4) = 9.5, makes 190 of 20 labels.
    assert enough(one_stratum(bad=[1] * 10, good=[9] * 10), ONE, True, LEAST) == 200
    # Half of what is found at any threshold is good, of however many labels.
    assert enough(one_stratum(bad=[1] * 10, good=[1] * 10), ONE, True, LEAST) is None


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_fifteen_random_labels_suggest_nothing(seed: int, halved: bool) -> None:
    random = np.random.default_rng(seed)
    scores, good = random.integers(0, 11, 15), random.random(15) < 0.5
    held = np.array([np.arange(11) < 6, np.arange(11) >= 6]) * 1000.0
    strata = Strata(held.sum(axis=1), held) if halved else ONE
    folds = []
    for fold in (scores[:3], good[:3]), (scores[3:], good[3:]):
        counts = counted(fold[0][~fold[1]].tolist(), fold[0][fold[1]].tolist())
        folds.append(np.stack([counts * (held > 0)[0], counts * (held > 0)[1]]) if halved else counts[None])
    other = candidate(sampled(folds[0], folds[1], strata), 6, True, LEAST)
    assert other is None or not holds(other, LEAST)
