"""Quadratic weighted kappa by hand and by scikit-learn; what is undefined ends in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score

from gamut.evaluation.scoring.statistics.coefficients import kappa_of_sums, moments, weighted_kappa


def from_table(table: list[list[int]], values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Ratings with this table of how often the first rater (rows) and the second (columns) gave each pair of values."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array([values[i] for i, _ in cells]), np.array([values[j] for _, j in cells])


THREE = [[3, 1, 0], [1, 2, 0], [1, 0, 2]]


def test_two_raters_and_two_values_by_hand() -> None:
    # 50 items. Observed agreement (20 + 15) / 50 = 0.7. The raters say 1 of 25 and of 30 items: by chance they agree
    # on 0.5 · 0.6 + 0.5 · 0.4 = 0.5. Kappa (0.7 - 0.5) / (1 - 0.5) = 0.4.
    assert weighted_kappa(*from_table([[15, 10], [5, 20]], [0, 1])) == pytest.approx(0.4)


def test_a_gap_in_the_scale_counts() -> None:
    # The same table with values 1, 2, 4. Observed (1 + 1 + 9) / 10 = 1.1; expected
    #   1·4·3 + 9·4·2 + 1·3·5 + 4·3·2 + 9·3·5 + 4·3·3 = 12 + 72 + 15 + 24 + 135 + 36 = 294; 1 - 1.1 / 2.94 = 92/147.
    assert weighted_kappa(*from_table(THREE, [1, 2, 4])) == pytest.approx(92 / 147)


def test_what_is_undefined_is_said() -> None:
    def refuses(first: list[float], second: list[float], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            weighted_kappa(np.array(first), np.array(second))

    refuses([], [], "no item was rated by both")
    refuses([2, 2], [2, 2], "kappa is undefined: both raters gave 2 to all 2 items")


def test_a_sample_with_a_single_value_counts_as_perfect_agreement() -> None:
    # Items (0, 1) and (1, 1): twice the first (all disagree as expected), both (observed 1/2, expected 1/2), twice the
    # second (undefined, counts as 1).
    sums = np.array([[2, 0], [1, 1], [0, 2]]) @ np.stack(moments(np.array([0.0, 1]), np.array([1.0, 1])), axis=1)
    assert kappa_of_sums(*sums.T).tolist() == [0, 0, 1]


SCALES = st.tuples(st.integers(-3, 3), st.integers(1, 6)).map(lambda ends: (ends[0], sum(ends)))
PAIRS = SCALES.flatmap(
    lambda ends: hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(1, 30)), elements=st.integers(*ends))
)


@given(PAIRS)
def test_scikit_learn_finds_the_same(pairs: np.ndarray) -> None:
    first, second = pairs.astype(np.float64)
    if len(np.unique(pairs)) == 1:
        with pytest.raises(ValueError, match="undefined"):
            weighted_kappa(first, second)
        return
    scale = range(pairs.min(), pairs.max() + 1)  # it weighs by position on the scale: all integers, given or not
    theirs = cohen_kappa_score(*pairs, labels=scale, weights="quadratic")
    assert weighted_kappa(first, second) == pytest.approx(theirs, abs=1e-12)
