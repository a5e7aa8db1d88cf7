"""Where variance comes from, as a stage tells it: flat keys and words."""

from __future__ import annotations

import numpy as np

from gamut.evaluation.scoring.agreement import Rating
from gamut.evaluation.scoring.reliability import (
    Split,
    flat_reliability,
    of_one_judge,
    purchases_in_words,
    reliabilities,
)

SAMPLES = {"i0": [1, 3], "i1": [5, 7]}


def ratings(samples: dict[str, list[float]], parts: int = 1) -> list[Rating]:
    """Scores by one judge of one contestant; of several questions an item's score is the mean."""
    spread = np.arange(parts) - (parts - 1) / 2
    return [
        Rating("en", "fit", "gpt", ("one", item, sample, part), value + spread[part])
        for item, values in samples.items()
        for sample, value in enumerate(values)
        for part in range(parts)
    ]


def test_flat_keys() -> None:
    """As by hand in test_variance_components: 7 and 2, of the mean 3.5 and 0.5; 4 = 4 / 1."""
    expected = {
        "en.fit.variance.items_and_judges_by_items": 7,
        "en.fit.variance.items_and_judges_by_items.share": 87.5,
        "en.fit.variance.samples_and_judges_by_samples_and_repeats": 2,
        "en.fit.variance.samples_and_judges_by_samples_and_repeats.share": 12.5,
        "en.fit.to_halve.items": 4,
    }
    for parts in (1, 3):
        found = [*reliabilities(ratings(SAMPLES, parts), {"i0": 0, "i1": 0})]
        assert flat_reliability(found) == expected
    assert purchases_in_words(found[0].split) == "4.0 times the items; any number of samples or repeats cannot"


def test_a_board_is_of_one_judge() -> None:
    """What judges add throughout, 9, is in no interval of a board: 3 of items and 1 of repeats are. It is said."""
    split = Split((("items",), ("judges",), ("repeats",)), np.array([6.0, 9, 2]), np.array([3.0, 4.5, 1]))
    assert of_one_judge(split).of_mean.tolist() == [3, 1]
    assert purchases_in_words(split) == (
        "4.0 times the items; any number of samples or repeats cannot; "
        "judges differ by 3.00 throughout (standard deviation), whatever is bought"
    )


def test_what_is_below_zero_is_said() -> None:
    found = flat_reliability(reliabilities(ratings({"i0": [1, 7], "i1": [7, 1]}), {"i0": 0, "i1": 0}))
    assert found["en.fit.variance.items_and_judges_by_items"] == 0
    assert found["en.fit.variance.items_and_judges_by_items.below_zero"] == -9


def test_where_nothing_can_be_told_apart_nothing_is_said() -> None:
    assert [*reliabilities(ratings({"i0": [1], "i1": [5]}), {"i0": 0, "i1": 0})] == []
    assert [*reliabilities(ratings({"i0": [1]}), {"i0": 0})] == [] == [*reliabilities([], {})]
    assert purchases_in_words(Split((("items",),), np.zeros(1), np.zeros(1))) == "nothing varies"
