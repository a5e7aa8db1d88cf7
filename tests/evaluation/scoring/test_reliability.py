"""Where variance comes from: by hand, by simulation, and as a stage reports it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.scoring.agreement import Rating
from gamut.evaluation.scoring.reliability import (
    PURCHASES,
    Design,
    Split,
    flat_reliability,
    level_means,
    levels,
    of_one_judge,
    purchases_in_words,
    reliabilities,
    to_halve,
    variance_components,
)
from tests.evaluation.scoring.statistics.simulated_scores import KNOWN, simulated


def of_items(*items: list[float]) -> tuple[np.ndarray, Design]:
    """Scores by a single judge of the samples of each item, in one stratum."""
    item = np.repeat(np.arange(len(items)), [len(samples) for samples in items])
    sample = np.concatenate([np.arange(len(samples)) for samples in items])
    nothing = np.zeros_like(item)
    return np.concatenate(items), Design(nothing, nothing, item, sample, nothing, nothing)


def test_two_samples_of_two_items_by_hand() -> None:
    """Means 2 and 6 of four scores: 2 * (2² + 2²) / 1 = 16 between items, 2 within them. So (16 - 2) / 2 = 7 is of the
    items; a mean of two items and four samples varies by 7 / 2 and 2 / 4.
    """
    found = variance_components(*of_items([1, 3], [5, 7]))
    assert found.sources == (("items", "judges_by_items"), ("samples", "judges_by_samples", "repeats"))
    assert found.components == pytest.approx([7, 2]) and found.of_mean == pytest.approx([3.5, 0.5])


def test_unequal_numbers_by_hand() -> None:
    """Items of 1, 2 and 3 samples with means 0, 3 and 6, of all 4: 1 * 4² + 2 * 1² + 3 * 2² = 30 between them, 2 + 8
    within them, of 3 degrees. What is between is expected to be 2 within and 6 - (1 + 4 + 9) / 6 of the items.
    """
    found, within = variance_components(*of_items([0], [2, 4], [4, 6, 8])), (2 + 8) / 3
    assert found.components == pytest.approx([(30 - 2 * within) / (6 - 14 / 6), within])


def test_known_components_are_recovered_from_500_boards() -> None:
    """What each adds to the variance of a mean sums up to how far means do vary from board to board."""
    scores, design = simulated(500, seed=1)
    found = variance_components(scores, design)
    assert [name for names in found.sources for name in names] == [*KNOWN]
    assert np.maximum(found.components, 0).mean(axis=1) == pytest.approx([*KNOWN.values()], rel=0.2)
    of_items = level_means(level_means(scores, levels(design.group, design.stratum)), np.repeat(np.arange(3), 4))
    assert found.of_mean.sum(axis=0).mean() == pytest.approx(of_items.var(axis=1).mean(), rel=0.1)


@pytest.mark.parametrize(
    ("counts", "sources"),
    [
        ({"samples": 1, "judges": 1, "repeats": 1}, [5]),
        ({"samples": 2, "judges": 1, "repeats": 1}, [2, 3]),
        ({"samples": 1, "judges": 2, "repeats": 1}, [2, 1, 3]),
        ({"samples": 1, "judges": 1, "repeats": 2}, [4, 1]),
        ({"samples": 2, "judges": 2, "repeats": 1}, [1, 1, 1, 1, 2]),
    ],
)
def test_what_scores_do_not_tell_apart_is_joined(counts: dict[str, int], sources: list[int]) -> None:
    """Of a single judge, what it adds throughout is in no score's variance."""
    found = variance_components(*simulated(2, seed=2, **counts))  # type: ignore[arg-type]
    assert [len(names) for names in found.sources] == sources
    assert ("judges",) in found.sources or counts["judges"] == 1
    assert not any("judges" in names for names in found.sources if len(names) > 1)


@given(st.lists(st.floats(-10, 10), min_size=12, max_size=12), st.floats(-5, 5), st.floats(0.1, 3))
def test_shifted_strata_change_nothing_and_a_scale_is_squared(values: list[float], shift: float, scale: float) -> None:
    stratum, item = np.repeat([0, 1], 6), np.repeat(np.arange(6), 2)
    nothing, sample = np.zeros(12, np.int64), np.tile([0, 1], 6)
    design = Design(nothing, stratum, item, sample, nothing, nothing)
    scores = np.array(values)
    found = variance_components(scores, design).components
    moved = variance_components(scale * (scores + shift * stratum), design).components
    assert moved == pytest.approx(scale**2 * found, abs=1e-6)


def test_scores_that_are_too_few_are_refused() -> None:
    with pytest.raises(ValueError, match="no stratum has two scores"):
        variance_components(*of_items([1]))


def test_what_to_buy_next() -> None:
    """Variances 3 and 1 are 4: half the interval is a variance of 1. Four times the items do; no number of samples."""
    names = (("items", "judges_by_items"), ("samples", "judges_by_samples", "repeats"))
    told = Split(names, np.array([6.0, 2.0]), np.array([3.0, 1.0]))
    assert {what: to_halve(told, what) for what in PURCHASES} == {
        "items": 4,
        "samples": float("inf"),
        "repeats": float("inf"),  # though all of the second were theirs: 3 are left
    }
    mostly_noise = told._replace(of_mean=np.array([0.5, 3.5]))
    assert to_halve(mostly_noise, "samples") == pytest.approx(3.5 / 0.5) and to_halve(mostly_noise, "repeats") is None


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
        "judges differ by 3.00 in all answers (standard deviation), however many scores there are"
    )


def test_what_is_below_zero_is_said() -> None:
    found = flat_reliability(reliabilities(ratings({"i0": [1, 7], "i1": [7, 1]}), {"i0": 0, "i1": 0}))
    assert found["en.fit.variance.items_and_judges_by_items"] == 0
    assert found["en.fit.variance.items_and_judges_by_items.below_zero"] == -9


def test_where_nothing_can_be_told_apart_nothing_is_said() -> None:
    assert [*reliabilities(ratings({"i0": [1], "i1": [5]}), {"i0": 0, "i1": 0})] == []
    assert [*reliabilities(ratings({"i0": [1]}), {"i0": 0})] == [] == [*reliabilities([], {})]
    assert purchases_in_words(Split((("items",),), np.zeros(1), np.zeros(1))) == "nothing varies"
