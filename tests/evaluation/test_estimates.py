"""Reported values: sums of column means, with intervals; nothing where a column has no scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stages.evaluation.estimates import Estimate, combined, estimates, flat, shared_weights, values

AEGIS = Path(__file__).resolve().parents[3] / "shared" / "data" / "tables" / "aegis.json"
NAN = np.nan
REPORTED = {"first": np.array([10.0, 0.0]), "both": np.array([5.0, 5.0])}
SCORES = np.array([[8, NAN], [6, NAN], [7, NAN], [NAN, 4], [NAN, 2], [NAN, 3]])
STRATA = np.array([0, 0, 0, 1, 1, 1])


def test_values_by_hand() -> None:
    # columns have the means 7 and 3: ten times the first is 70, ten times the mean of both is 50
    assert values(SCORES, REPORTED) == pytest.approx({"first": 70, "both": 50})


def test_an_unequal_number_of_items_does_not_weigh() -> None:
    more = np.vstack([SCORES, [[7, NAN]] * 10])
    assert values(more, REPORTED)["both"] == pytest.approx(50)


def test_a_column_without_scores_leaves_out_what_it_counts_in() -> None:
    assert values(SCORES[:3], REPORTED) == pytest.approx({"first": 70})
    assert values(np.full((6, 2), NAN), REPORTED) == {}


def test_estimates_have_an_interval_around_the_value_and_count_items() -> None:
    found = estimates(SCORES, shared_weights(STRATA, 0), REPORTED)
    assert {name: estimate.n for name, estimate in found.items()} == {"first": 3, "both": 6}
    for estimate in found.values():
        assert estimate.low is not None and estimate.high is not None
        assert estimate.low < estimate.value < estimate.high
    # a draw of three of 6, 7, 8 has at least the mean 6 and at most 8
    assert found["first"].low >= 60 and found["first"].high <= 80


def test_a_single_score_has_no_interval() -> None:
    alone = SCORES.copy()
    alone[1:3, 0] = NAN
    found = estimates(alone, shared_weights(STRATA, 0), REPORTED)
    assert found["first"] == Estimate(80.0, None, None, 1) and found["both"].low is None


def test_the_same_seed_gives_the_same_intervals() -> None:
    chance = np.random.default_rng(0)
    scores, strata = chance.uniform(0, 10, (50, 2)), np.zeros(50, np.int64)
    once, again = (estimates(scores, shared_weights(strata, 7), REPORTED) for _ in range(2))
    assert once == again != estimates(scores, shared_weights(strata, 8), REPORTED)


def test_flat_keys() -> None:
    found = {"overall": Estimate(81.23456, 79.0, 83.00004, 56), "style": Estimate(-0.0001, None, None, 1)}
    assert flat("en.gpt.", found) == {
        "en.gpt.overall": 81.235,
        "en.gpt.overall_lo": 79.0,
        "en.gpt.overall_hi": 83.0,
        "en.gpt.overall_n": 56,
        "en.gpt.style": 0.0,
        "en.gpt.style_n": 1,
    }
    assert str(flat("", found)["style"]) == "0.0"  # not -0.0


def test_micro_weights_as_genius_has_them() -> None:
    """0.6 RC + 0.35 VC + 0.05 AQ, each a mean over all its items: means of tasks weigh by their numbers of items."""
    rc, vc, aq = (
        np.array([66.86, 71.38, 76.67, 52.97, 35.45]),
        np.array([44.59, 50.00, 66.67, 41.38, NAN]),  # multi-semantic has none
        np.array([96.51, 92.11, 96.67, 90.59, 95.00]),
    )
    items, with_reference = np.array([86, 153, 60, 101, 110]), np.array([74, 131, 12, 58, 0])
    shares = [items / items.sum(), with_reference / with_reference.sum(), items / items.sum()]
    factors = np.concatenate([weight * share for weight, share in zip((0.6, 0.35, 0.05), shares, strict=True)])
    assert combined(np.concatenate([rc, vc, aq]), factors) == pytest.approx(57.19, abs=0.02)  # as printed


@pytest.mark.skipif(not AEGIS.exists(), reason="aegis.json is not beside this checkout")
def test_the_printed_overall_averages_of_aegis() -> None:
    """Four tasks weigh by their items, 315 : 315 : 315 : 105; each is the mean of three domains of seven topics."""
    factors = np.repeat(np.array([315, 315, 315, 105]) / 1050 / 3, 3)
    rows = {name: row for name, row in json.loads(AEGIS.read_text())["rows"].items() if None not in row}
    off = {name for name, row in rows.items() if abs(combined(np.array(row[:12]), factors) - row[12]) > 0.1}
    assert len(rows) >= 7 and off == {"BLIP3o∗"}  # prints 13.7, its parts give 12.72
