"""What a metric file holds of a filter, by hand; what is undefined is left out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gamut.dataset.calibration.labels import KINDS, Agreement
from gamut.dataset.calibration.measures import Least, measure
from gamut.dataset.calibration.operating_points import Strata
from tests.dataset.calibration.small_samples import one_stratum, sampled

LEAST = Least(0.95, 0.5)
CHOOSING = one_stratum(bad=[2] * 20, good=[9] * 20)


def test_measures() -> None:
    judging = one_stratum(bad=[2] * 90 + [8] * 10, good=[9] * 98 + [6] * 2, disputed=[9])
    measured = measure(sampled(CHOOSING, judging), 4, 7, True, LEAST, Agreement(3, None, 0.5))
    found = measured.model_dump(exclude_none=True)
    # Below 7 are 110 bad rows and 2 good ones, from 7 10 bad ones.
    assert [found[key] for key in ("labels", "unscored", "threshold", "disputed", "positives")] == [241, 4, 7, 1, 120]
    assert [found[key] for key in ("found", "missed", "false_alarms")] == [110, 10, 2]
    assert (found["precision"], found["recall"]) == (round(110 / 112, 6), round(110 / 120, 6))
    # The first fold chooses 3 .. 9, of which today's 7 stays; the other 3 .. 6, of which 4 is taken. Of these two 4
    # finds less, and the first fold judges it: 20 of 20.
    assert (found["candidate"], found["candidate_precision"]) == (4, 1.0)
    assert found["candidate_precision_low"] == round(0.025 ** (1 / 20), 6)
    assert "suggested" not in found and found["enough_labels"] > 241
    assert [found.get(key) for key in ("twice", "kappa", "alpha")] == [3, None, 0.5]
    json.loads(measured.model_dump_json(), parse_constant=pytest.fail)


def test_a_suggestion_is_a_candidate_that_holds() -> None:
    judging = one_stratum(bad=[2] * 100, good=[9] * 100)
    found = measure(sampled(CHOOSING, judging), 0, 1, True, LEAST).model_dump(exclude_none=True)
    # 3 .. 9 part them: the middle is 6. All of 120: .025^(1/120).
    assert (found["threshold"], found["candidate"], found["suggested"]) == (1, 6, 6)
    assert found["candidate_recall_low"] == round(0.025 ** (1 / 120), 6) and "enough_labels" not in found
    assert "precision" not in found, "below 1 nothing is found"


def test_nothing_is_suggested_by_labels_of_which_those_against_it_are_left_blank() -> None:
    judging = one_stratum(bad=[2] * 100, good=[9] * 100, blank=[2] * 10)
    found = measure(sampled(CHOOSING, judging), 0, 6, True, LEAST).model_dump(exclude_none=True)
    # All of 120 labels that are found are bad, and 10 more were drawn there: of 130 120, surely more than .86.
    assert (found["labels"], found["blank"], found["precision"], found["candidate"]) == (240, 10, 1.0, 6)
    assert 0.86 < found["candidate_precision_low"] < 0.95 and "suggested" not in found
    assert found["enough_labels"] < 400, "so many are enough where none is left"


def test_what_is_undefined_is_left_out() -> None:
    nothing = np.zeros((0, len(KINDS), 11))
    empty = measure(sampled(nothing, nothing, strata=Strata(np.zeros(0))), 4, 7, True, LEAST)
    assert empty.model_dump(exclude_none=True) == {"labels": 0, "unscored": 4, "threshold": 7}
    good = one_stratum(bad=[], good=[8, 9])
    all_good = measure(sampled(0 * good, good), 0, 7, True, LEAST)
    assert all_good.are_alike and all_good.model_dump(exclude_none=True) == {
        "labels": 2,
        "unscored": 0,
        "threshold": 7,
        "positives": 0,
        "found": 0,
        "missed": 0,
        "false_alarms": 0,
    }
