"""Scores corrected for what an observer gets wrong; the arithmetic is in the comments, coverage in bench/."""

from __future__ import annotations

from math import hypot, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.scoring.statistics.misclassification import (
    Estimate,
    Rates,
    Told,
    corrected,
    corrected_by_rates,
    error_rates,
)
from stages.evaluation.scoring.statistics.wilson import wilson_interval


def told(*counts: tuple[int, float, float], strata: tuple[int, ...] = ()) -> Told:
    """Of each (how many, word, truth), a stratum each where named."""
    times, words, truth = zip(*counts, strict=True)
    within = strata or [0] * len(counts)
    return Told(np.repeat(words, times) * 1.0, np.repeat(truth, times) * 1.0, np.repeat(within, times))


def known(right: int, of: int) -> Estimate:
    return Estimate(right / of, *wilson_interval(right, of))


@st.composite
def seen(draw: st.DrawFn) -> Told:
    """Some answers, right or wrong or between, a few of them with labels, in one stratum or two."""
    value = draw(st.sampled_from([st.sampled_from([0.0, 1.0]), st.floats(0, 1, width=16)]))
    of_strata = []
    for stratum in range(draw(st.integers(1, 2))):
        labels = draw(st.lists(st.tuples(value, value), min_size=2, max_size=12))
        others = [(word, nan) for word in draw(st.lists(value, max_size=20))]
        of_strata += [(word, truth, stratum) for word, truth in labels + others]
    words, truth, strata = zip(*of_strata, strict=True)
    return Told(np.array(words), np.array(truth), np.array(strata))


def test_rates_are_shares_with_wilsons_intervals() -> None:
    # Of 10 called right 8 are, of 8 + 2 that are right 8 are called so, of 2 + 38 wrong ones 38.
    found = error_rates(told((8, 1, 1), (2, 1, 0), (2, 0, 1), (38, 0, 0), (7, 1, nan)))
    eight = pytest.approx((0.8, 0.490162, 0.943318), abs=1e-6)
    assert (found.precision, found.recall) == (eight, eight)
    assert found.specificity == pytest.approx(known(38, 40))


def test_what_no_label_is_of_has_no_rate() -> None:
    assert error_rates(told((5, 1, 1), (5, 0, nan))) == (known(5, 5), known(5, 5), None)
    assert error_rates(told((5, 1, nan))) == (None, None, None)


def test_labels_of_a_stratum_count_for_all_of_it() -> None:
    # 10 of 10 answers have labels in one stratum, weight 1: 6 of 8 right ones found. 5 of 30 in the other, weight 6: 2
    # of 4 found. Recall (6 + 2 · 6) / (8 + 4 · 6) = 18 / 32, worth 32² / (8 + 4 · 36) = 6.737 answers.
    found = error_rates(
        told((6, 1, 1), (2, 0, 1), (2, 0, 0), (2, 1, 1), (2, 0, 1), (1, 0, 0), (25, 1, nan), strata=(0,) * 3 + (1,) * 4)
    )
    worth = 32**2 / 152
    assert found.recall == pytest.approx((18 / 32, *wilson_interval(18 / 32 * worth, worth)))


def test_words_count_by_how_often_they_are_true() -> None:
    # Of labels 4 of 5 called right are, and 1 of 5 called wrong: b = .8 - .2. Of all 30 answers 17 are called right:
    # 17 / 30 · .8 + 13 / 30 · .2 = 16.2 / 30 = .54, where the observer says .567.
    found = corrected(told((4, 1, 1), (1, 1, 0), (1, 0, 1), (4, 0, 0), (12, 1, nan), (8, 0, nan)))
    assert found is not None and found.value == pytest.approx(0.54)
    # Each label stands for 3 answers. Truth - .6 · word is four times .4, -.6, 1, four times 0, on average .2: values
    # are .6 · word + .2 + 3 · what lies beyond that: four 1.4, -1.6, 2.6, four -.4; without labels 12 of .8, 8 of .2.
    # Around .54 squares are 17.052, / 29 / 30 = .0196; fourth powers 44.4536, of normal ones 3 · 17.052² / 30 =
    # 29.0771, excess 15.3765 / 9.69237 = 1.58645: 1 / (1 / 29 + 1.58645 / 60) = 16.414 degrees, Student's t 2.11570.
    # Labels add squares of 3² · 1.6 / 30² = .016: by one too few of them .016 / 9 · (1 - 10 / 30) = .0011852.
    reach = hypot(2.11570 * sqrt(0.0196), 1.959964 * sqrt(0.0011852))
    assert (found.low, found.high) == pytest.approx((0.54 - reach, 0.54 + reach), abs=1e-4)


def test_strata_with_more_labels_do_not_count_for_more() -> None:
    # Useless words, all 1 (b = 1, words' mean 1). 10 answers of one stratum, all with labels, 2 right; 30 of the other,
    # 10 with labels, 8 right: (10 · .2 + 30 · .8) / 40 = .65, where labels alone would say .5.
    found = corrected(told((2, 1, 1), (8, 1, 0), (8, 1, 1), (2, 1, 0), (20, 1, nan), strata=(0, 0, 1, 1, 1)))
    assert found is not None and found.value == pytest.approx(0.65)


def test_where_words_say_nothing_the_labels_speak() -> None:
    # Half of each word's labels are right, b = 0: words of answers without labels, all 1, move nothing.
    found = corrected(told((5, 1, 1), (5, 1, 0), (5, 0, 1), (5, 0, 0), (500, 1, nan)))
    alone = corrected(told((5, 1, 1), (5, 1, 0), (5, 0, 1), (5, 0, 0)))
    assert found is not None and found.value == pytest.approx(0.5) and found == pytest.approx(alone, abs=0.01)


def test_a_graded_word_that_is_always_too_high_is_lowered() -> None:
    # Words .3 .5 .9, .2 above the truth, and .7 .9 without labels: 3.3 / 5 - .2 = .46.
    found = corrected(told((1, 0.3, 0.1), (1, 0.5, 0.3), (1, 0.9, 0.7), (1, 0.7, nan), (1, 0.9, nan)))
    assert found is not None and found.value == pytest.approx(0.46)


def test_no_error_in_200_labels_is_no_proof_that_there_is_none() -> None:
    # All 500 words are 1, the most there is: lower ones may be missed, 1 - .05^(1 / 500) = .0060. Errors of either kind
    # may be missed in 200 labels, 1 - .025^(1 / 200) = .0183. √(.0060² + .0183²) = .0192.
    found = corrected(told((200, 1, 1), (300, 1, nan)))
    assert found == pytest.approx((1, 1 - hypot(1 - 0.05 ** (1 / 500), 1 - 0.025 ** (1 / 200)), 1))


def test_one_label_says_next_to_nothing() -> None:
    found = corrected(told((1, 1, 1), (300, 1, nan)))
    assert found is not None and found.low < 0.06 and found.high == 1
    assert corrected(told((300, 1, nan))) is None


def test_a_share_of_words_becomes_a_score_by_the_observers_rates() -> None:
    # Rogan and Gladen: (.55 - .2) / (.9 - .2) = .5.
    rates = Rates(None, known(90, 100), known(80, 100))
    found = corrected_by_rates(np.repeat([1.0, 0.0], [55, 45]), rates)
    assert found is not None and found.value == pytest.approx(0.5)
    # At either end the distances of words, recall and false alarms just make up for what is off.
    said, recall, specificity = known(55, 100), known(90, 100), known(80, 100)
    down = (said.value - said.low, recall.high - recall.value, specificity.value - specificity.low)
    up = (said.high - said.value, recall.value - recall.low, specificity.high - specificity.value)
    for end, (word, hit, alarm) in ((found.low, down), (found.high, up)):
        off = abs(0.55 - end * 0.9 - (1 - end) * 0.2)
        assert off == pytest.approx(hypot(word, end * hit, (1 - end) * alarm), abs=1e-4)


def test_an_observer_that_tells_nothing_apart_leaves_every_score_open() -> None:
    words = np.repeat([1.0, 0.0], [50, 50])
    assert corrected_by_rates(words, Rates(None, known(50, 100), known(50, 100))) == (0.5, 0, 1)
    nearly = corrected_by_rates(words, Rates(None, known(52, 100), known(50, 100)))
    assert nearly is not None and nearly[1:] == (0, 1)


def test_words_that_such_an_observer_does_not_say_have_no_score() -> None:
    # It calls half of the wrong answers right, and of 300 not one.
    assert corrected_by_rates(np.zeros(300), Rates(None, known(90, 100), known(50, 100))) is None
    assert corrected_by_rates(np.zeros(300), Rates(None, known(90, 100), None)) is None
    assert corrected_by_rates(np.zeros(0), Rates(None, known(9, 10), known(9, 10))) is None


@pytest.mark.parametrize("right", [0, 30, 299, 300])
def test_rates_without_error_leave_the_score_and_widen_its_interval(right: int) -> None:
    words = np.repeat([1.0, 0.0], [right, 300 - right])
    found = corrected_by_rates(words, Rates(None, known(100, 100), known(100, 100)))
    low, high = wilson_interval(right, 300)
    assert found is not None and found.value == right / 300
    assert found.low <= low + 1e-4 and found.high >= high - 1e-4


def test_labels_that_were_not_drawn_at_random_may_have_no_score() -> None:
    # Called right 12, all with labels and wrong; called wrong 300, none with a label: 12 / 312 - 1 is far below 0.
    assert corrected(told((12, 1, 0), (300, 0, nan))) is None


def test_what_has_no_rates_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or 1"):
        error_rates(told((3, 0.5, 1), (3, 1, 1)))
    with pytest.raises(ValueError, match="0 or 1"):
        corrected_by_rates(np.array([1, 0.5]), Rates(None, known(9, 10), known(9, 10)))
    for outside in (nan, 1.5, -0.1):
        with pytest.raises(ValueError, match="words and truths lie within"):
            corrected(told((3, 1, 1), (1, outside, 1)))
    with pytest.raises(ValueError, match="stratum without labels"):
        corrected(told((3, 1, 1), (3, 1, nan), strata=(0, 1)))


@given(seen())
def test_labels_that_all_agree_leave_the_score_and_some_doubt(one: Told) -> None:
    agreeing = one._replace(truth=np.where(np.isnan(one.truth), nan, one.words))
    found = corrected(agreeing)
    assert found is not None and found.value == pytest.approx(one.words.mean(), abs=1e-9)
    assert found.high - found.low > 0.05


@given(seen())
def test_an_interval_has_a_width_and_holds_its_value(one: Told) -> None:
    found = corrected(one)
    assert found is None or (0 <= found.low <= found.value <= found.high <= 1 and found.low < found.high)


@given(seen(), st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(one: Told, random: object) -> None:
    order = list(range(len(one.words)))
    random.shuffle(order)  # type: ignore[attr-defined]
    found, again = corrected(one), corrected(Told(*(column[order] for column in one)))
    assert (again is None) == (found is None) and (found is None or again == pytest.approx(found, abs=1e-9))


@given(seen())
def test_wrong_for_right_mirrors_it(one: Told) -> None:
    found, mirrored = corrected(one), corrected(Told(1 - one.words, 1 - one.truth, one.strata))
    assert (mirrored is None) == (found is None)
    if found is not None:
        assert mirrored == pytest.approx((1 - found.value, 1 - found.high, 1 - found.low), abs=1e-6)
