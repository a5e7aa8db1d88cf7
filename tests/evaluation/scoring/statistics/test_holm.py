"""Holm's adjusted p-values, by hand and by the step-down procedure they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.scoring.statistics.holm import holm

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_four_p_values() -> None:
    # Ascending 0.005 0.01 0.03 0.04 times 4 3 2 1: 0.02 0.03 0.06 0.04, and the last may not be below the 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_none_exceeds_one() -> None:
    # 3 x 0.4 = 1.2, then 2 x 0.5 = 1.0 and 1 x 0.9 below the 1.2 before them.
    assert holm([0.9, 0.4, 0.5]).tolist() == [1, 1, 1]


def test_a_single_one_stays_and_none_gives_none() -> None:
    assert holm([0.03]).tolist() == [0.03]
    assert holm([]).tolist() == [] and holm([]).dtype == np.float64


def test_equal_ones_stay_equal() -> None:
    # 3 x 0.02 = 0.06 for the first, 2 x 0.02 = 0.04 raised to it; 1 x 0.5.
    assert holm([0.02, 0.5, 0.02]).tolist() == [0.06, 0.5, 0.06]


def test_what_is_given_stays_as_it_is() -> None:
    given_values = np.array([0.5, 0.01])
    holm(given_values)
    assert given_values.tolist() == [0.5, 0.01]


def rejected(p_values: list[float], alpha: float) -> set[int]:
    """Holm's procedure: test the smallest at alpha/m, the next at alpha/(m - 1), ... and stop at the first that holds.

    Written as m·p <= alpha, so that rounding is the same as in the adjusted values.
    """
    found: set[int] = set()
    for index in sorted(range(len(p_values)), key=p_values.__getitem__):
        if (len(p_values) - len(found)) * p_values[index] > alpha:
            break
        found.add(index)
    return found


@given(P_VALUES, st.floats(0, 0.99))
def test_at_most_alpha_is_what_the_procedure_rejects(p_values: list[float], alpha: float) -> None:
    assert set(np.flatnonzero(holm(p_values) <= alpha).tolist()) == rejected(p_values, alpha)


@given(P_VALUES)
def test_order_is_kept_and_the_adjusted_lie_between_the_plain_and_bonferronis(p_values: list[float]) -> None:
    plain, adjusted = np.array(p_values), holm(p_values)
    assert ((plain <= adjusted) & (adjusted <= np.minimum(len(plain) * plain, 1))).all()
    assert (np.diff(adjusted[np.argsort(plain)]) >= 0).all()
    assert holm(p_values[::-1]).tolist() == adjusted[::-1].tolist()


@pytest.mark.parametrize("wrong", [-0.01, 1.01, float("nan"), float("inf")])
def test_what_is_no_p_value_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=f"lies in 0..1, not at {wrong}"):
        holm([0.5, wrong])


def test_a_table_of_p_values_is_refused() -> None:
    with pytest.raises(ValueError, match="one list, not in 2 axes"):
        holm(np.full((2, 2), 0.5))
