"""From rows that were drawn to what is counted: strata, whether they are as they were, and folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from gamut.dataset.calibration.labels import BAD, GOOD, KINDS, Label
from gamut.dataset.calibration.operating_points import Floats
from gamut.dataset.calibration.sampling import FOLDS, DrawnRow, deal_into_folds, sample_of, strata_of

TABLE = np.array([1.0, 0, 12, 0, 0, 0, 0, 0, 0, 300, 0])
"""How many rows score so much: one 0, twelve 2, three hundred 9."""


def drawn(*groups: tuple[str, int, Sequence[int], int | None], weight: float | None = None) -> list[DrawnRow]:
    """Rows of strata (name, rows that there were, their scores, what is said)."""
    return [
        DrawnRow(f"{name}-{number}", Label(said, name, weight or size / len(scores)), score)
        for name, size, scores, said in groups
        for number, score in enumerate(scores)
    ]


def known(rows: Sequence[DrawnRow], table: Floats = TABLE) -> tuple[list[str], list[float], list[list[float]] | None]:
    names, strata = strata_of(rows, lambda: table)
    return names, strata.rows.tolist(), None if strata.scores is None else strata.scores.tolist()


BELOW, FROM = TABLE * (np.arange(11) < 6), TABLE * (np.arange(11) >= 6)


def test_halves_are_known_by_the_table() -> None:
    rows = drawn(("below 6", 13, [0, 2], BAD), ("from 6", 300, [9] * 7, None))
    assert known(rows) == (["below 6", "from 6"], [13, 300], [BELOW.tolist(), FROM.tolist()])


@pytest.mark.parametrize(
    "rows",
    [
        drawn(("below 6", 13, [0, 9], BAD), ("from 6", 300, [9] * 7, GOOD)),  # one scores more now
        drawn(("below 6", 12, [0, 2], BAD), ("from 6", 300, [9] * 7, GOOD)),  # a row has come
        drawn(("below 6", 13, [0, 2], BAD), ("from 6", 300, [9] * 7, GOOD))[:-1],  # a line was taken out of the file
    ],
)
def test_what_is_not_as_it_was_is_noticed(rows: list[DrawnRow]) -> None:
    names, sizes, of_scores = known(rows)
    assert of_scores is None and len(names) == 2
    assert sizes == pytest.approx([sum(one.label.weight for one in rows if one.label.stratum == n) for n in names])


def test_a_side_of_which_nothing_is_there_is_not_forgotten() -> None:
    # Somebody took the upper half out of the file: its rows are there all the same, and nothing is known of them.
    sample = sample_of(drawn(("below 6", 13, [0, 2], BAD)), lambda: TABLE, seed=1)
    assert sample.strata.rows.tolist() == [13, 300] and sample.counts.sum(axis=(1, 2)).tolist() == [2, 0]
    # Where the table has none there is nothing to know.
    assert known(drawn(("below 6", 13, [0, 2], BAD)), BELOW) == (["below 6"], [13], [BELOW.tolist()])


def test_one_stratum_needs_no_table() -> None:
    rows = drawn(("all", 3, [1, 5, 9], GOOD))
    sample = sample_of(rows, lambda: pytest.fail("it was read"), seed=1)
    assert sample.counts[0, GOOD].nonzero()[0].tolist() == [1, 5, 9] and sample.strata.scores is None
    assert sample_of([], lambda: TABLE, seed=1).counts.shape == (0, len(KINDS), 11)


def test_each_stratum_is_in_all_folds() -> None:
    rows = drawn(("below 6", 13, [0] * 13, BAD), ("from 6", 300, [9] * 21, GOOD), ("none", 4, [9] * 4, None))
    folds = [{one.row_id: fold for one, fold in deal_into_folds(rows, seed)} for seed in (1, 2)]
    for fold in folds:
        found = Counter((row_id.split("-")[0], number) for row_id, number in fold.items())
        assert [found["below 6", number] for number in range(FOLDS)] == [3, 3, 3, 2, 2]
        assert [found["from 6", number] for number in range(FOLDS)] == [5, 4, 4, 4, 4]
    assert folds[0] != folds[1] and len(folds[0]) == 38, "those without a label too"
    assert {one.row_id: fold for one, fold in deal_into_folds(rows[::-1], 1)} == folds[0], "in any order"
