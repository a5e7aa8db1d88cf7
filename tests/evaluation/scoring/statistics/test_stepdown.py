"""Several tests at once: as Šidák has it where they are apart, less strict where they move together."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from gamut.evaluation.scoring.statistics.ranks import DRAWS, adjust_p_values, joint_level, multipliers, studentize

KNOWN = np.full(4, np.inf)
"""Degrees of freedom of standard errors that are known."""
APART = studentize(np.eye(4), multipliers(4, 0), KNOWN, 0)
"""Four statistics, each moved by an item of its own."""
ALIKE = studentize(np.ones((4, 3)), multipliers(3, 0), KNOWN, 0)
NOISE = 4 * sqrt(0.25 / DRAWS)
"""Four standard errors, at most, of a share of the draws."""


def test_draws_are_standard_normal_whatever_the_unit() -> None:
    moves = studentize(np.array([[1e-9, 2e-9, 3e-9], [5.0, 0, 0], [0, 0, 0]]), multipliers(3, 1), KNOWN[:3], 0)
    assert moves[:2].std(axis=1) == pytest.approx([1, 1], abs=0.03) and not moves[2].any()
    assert np.corrcoef(moves[:2])[0, 1] == pytest.approx(1 / sqrt(14), abs=0.04)  # of (1, 2, 3) and (1, 0, 0)


def test_standard_errors_that_few_items_tell_are_drawn_too() -> None:
    """Each alone is as rare as a normal one; moved by the same items they are less alike the less is known."""
    for degrees in (3.0, 8.0, 50.0):
        moves = studentize(np.ones((4, 3)), multipliers(3, 0), np.full(4, degrees), 0)
        beyond = (np.abs(moves) > 1.95996).mean(axis=1)
        assert beyond == pytest.approx(0.05, abs=0.012)
        assert joint_level(ALIKE) + 0.002 < joint_level(moves) < 0.95**0.25 + 0.003
    assert np.corrcoef(studentize(np.ones((2, 3)), multipliers(3, 0), np.full(2, 3.0), 0))[0, 1] < 0.9


def test_in_what_order_items_are_added_changes_nothing() -> None:
    """As cores, of which one machine has more than another, share the items among them."""
    chance = np.random.default_rng(4)
    moved, drawn, other = chance.normal(size=(4, 60)), multipliers(60, 0), chance.permutation(60)
    assert (studentize(moved, drawn, KNOWN, 0) == studentize(moved[:, other], drawn[other], KNOWN, 0)).all()


def test_independent_tests_are_adjusted_as_sidak_does_step_by_step() -> None:
    # Of four, three, two and one: 1 - (1 - p)^m, never less than the step before.
    found = adjust_p_values([0.02, 0.3, 0.01, 0.9], APART)
    expected = [1 - 0.98**3, 1 - 0.7**2, 1 - 0.99**4, 0.9]
    assert found == pytest.approx(expected, abs=NOISE) and found[3] == 0.9
    assert adjust_p_values([0.02, 0.02, 0.5, 0.5], APART)[1] == adjust_p_values([0.02, 0.02, 0.5, 0.5], APART)[0]


def test_tests_that_move_alike_are_one_test() -> None:
    assert adjust_p_values([0.02, 0.03, 0.04, 0.5], ALIKE) == pytest.approx([0.02, 0.03, 0.04, 0.5], abs=NOISE)
    assert joint_level(ALIKE) == pytest.approx(0.95, abs=0.006)


def test_a_test_alone_keeps_its_p_and_none_have_none() -> None:
    assert adjust_p_values([0.0312], APART[:1]).tolist() == [0.0312] and adjust_p_values([], APART[:0]).tolist() == []
    assert joint_level(APART[:1]) == joint_level(np.zeros((3, DRAWS), np.float32)) == 0.95


def test_all_intervals_together_have_a_higher_level_each() -> None:
    # four apart: (1 - a)^4 = 0.95, a = 1.274 %
    assert joint_level(APART) == pytest.approx(0.95**0.25, abs=0.002)


@given(st.lists(st.floats(1e-12, 1), min_size=4, max_size=4))
def test_no_p_falls_and_their_order_stays(p_values: list[float]) -> None:
    for moves in (APART, ALIKE):
        found = adjust_p_values(p_values, moves)
        assert (found >= p_values).all() and (found <= 1).all()
        order = np.argsort(p_values, kind="stable")
        assert (np.diff(found[order]) >= 0).all()


def test_the_least_p_of_all_is_rarely_small_by_chance() -> None:
    """1,000 times four statistics that move together, none of them real: the least is below 5 % in 5 % of them."""
    chance, loads = np.random.default_rng(2), np.array([[1.0, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 1]])
    moves = studentize(loads, multipliers(4, 3), KNOWN, 0)
    seen = (loads / np.linalg.norm(loads, axis=1, keepdims=True)) @ chance.normal(size=(4, 1_000))
    wrong = sum(adjust_p_values(p, moves).min() <= 0.05 for p in 2 * norm.sf(np.abs(seen)).T)
    assert abs(wrong / 1_000 - 0.05) < 3 * sqrt(0.05 * 0.95 / 1_000)
