"""Alpha by Krippendorff's own example, by hand, and by loops over random and real ratings with some missing."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gamut.evaluation.scoring.statistics.coefficients import alpha_of_sums, alpha_terms, krippendorff_alpha

NAN = float("nan")
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Krippendorff 2011, section C: four observers of twelve units, of which the last has one value and does not count."""


def test_krippendorffs_example() -> None:
    assert round(krippendorff_alpha(EXAMPLE), 3) == 0.849


def test_perfect_agreement_is_1_and_systematic_disagreement_below_0() -> None:
    assert krippendorff_alpha(np.array([[1.0, 1, NAN], [2, NAN, 2], [NAN, 5, 5]])) == pytest.approx(1)
    # Items (0, 1), (1, 0): four coincidences, all of them off the diagonal: 1 - 3 · 2 / (2 · 2) = -1/2
    assert krippendorff_alpha(np.array([[0.0, 1], [1, 0]])) == pytest.approx(-0.5)


def test_what_is_undefined_is_said() -> None:
    def refuses(ratings: list, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            krippendorff_alpha(np.array(ratings))

    refuses([[], []], "none of 2 items has two ratings")
    refuses([[1, NAN], [NAN, 2]], "none of 2 items has two ratings")
    refuses([[3, 3, NAN], [3, 3, 3], [NAN, NAN, 5]], "alpha is undefined: all 5 ratings are 3")


def test_a_sample_with_a_single_value_counts_as_perfect_agreement() -> None:
    # Items (0, 1) and (1, 1): twice the first (1 - 3 · 2 / (2 · 2) = -1/2), both (1 - 3 · 1 / (1 · 3) = 0), twice the
    # second (undefined, counts as 1).
    of_items = np.stack(alpha_terms(np.array([[0.0, 1], [1, 1]])), axis=1)
    assert alpha_of_sums(*(np.array([[2, 0], [1, 1], [0, 2]]) @ of_items).T).tolist() == pytest.approx([-0.5, 0, 1])


def looped_alpha(ratings: np.ndarray) -> float:
    """The definition: coincidences pair by pair, totals and differences value by value. ZeroDivisionError if 0/0."""
    coincidences: Counter[tuple[float, float]] = Counter()
    for item in ratings.tolist():
        given = [value for value in item if value == value]
        for pair in permutations(given, 2):
            coincidences[pair] += 1 / (len(given) - 1)
    totals: Counter[float] = Counter()
    for (value, _), count in coincidences.items():
        totals[value] += count
    n = sum(totals.values())
    observed = sum(count * (c - k) ** 2 for (c, k), count in coincidences.items()) / n
    expected = sum(totals[c] * totals[k] * (c - k) ** 2 for c in totals for k in totals) / (n * (n - 1))
    return 1 - observed / expected


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 5)),
        elements=st.sampled_from([NAN, NAN, -0.0, 0.0, 0.5, 1.0, 2.0, 7.0]),
    )
)
def test_alpha_is_that_of_the_definition(ratings: np.ndarray) -> None:
    try:
        expected = looped_alpha(ratings)
    except ZeroDivisionError:  # no pairs, or all of the same value
        with pytest.raises(ValueError, match=r"none of|undefined"):
            krippendorff_alpha(ratings)
        return
    assert krippendorff_alpha(ratings) == pytest.approx(expected, abs=1e-9)
