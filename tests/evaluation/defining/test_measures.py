"""Averages of what is measured: each on its own scale, 100 for the highest."""

from __future__ import annotations

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Linear, OfSums, Scale, averages, ends_of

TWO = {"fit": Scale(0, 10), "holds": Scale(0, 1)}


def values(strata: tuple[str, ...], means: list[float]) -> dict[str, float]:
    reported = averages("en", strata, TWO).reported
    return {name: float(one.factors @ np.array(means)) for name, one in reported.items() if isinstance(one, Linear)}


def test_every_measure_counts_alike_whatever_its_scale() -> None:
    # cats: fit 5 of 10, holds .8 of 1; dogs: fit 10 of 10, holds .2 of 1
    assert values(("cats", "dogs"), [5, 0.8, 10, 0.2]) == pytest.approx(
        {
            "overall": (50 + 80 + 100 + 20) / 4,
            "fit": 75,
            "holds": 50,
            "cats": 65,
            "dogs": 60,
            "cats.fit": 50,
            "cats.holds": 80,
            "dogs.fit": 100,
            "dogs.holds": 20,
        }
    )


def test_a_single_stratum_is_not_told_twice() -> None:
    assert values(("all",), [5, 0.8]) == pytest.approx({"overall": 65, "fit": 50, "holds": 80})


def test_a_scale_that_begins_elsewhere_has_no_share() -> None:
    with pytest.raises(ValueError, match="need scales that begin at 0"):
        averages("en", ("all",), {"fit": Scale(1, 5)})
    with pytest.raises(ValueError, match="need scales that begin at 0"):
        averages("en", ("all",), {"fit": Scale(0, 0)})


def test_the_ends_of_what_is_reported() -> None:
    metric = averages("en", ("cats", "dogs"), TWO)
    assert set(ends_of(metric, TWO).values()) == {(0, 100)}
    ratio = OfSums(np.square, np.sqrt)
    reported = {"gap": Linear(np.array([1, -2, 0, 0])), "sums": ratio, "share": ratio._replace(ends=Scale(0, 1))}
    # the columns' scales are 0..10 and 0..1; a function of sums may have no ends
    assert ends_of(metric._replace(reported=reported), TWO) == {"gap": (0 - 2 * 1, 10 - 0), "share": (0, 1)}
