"""Quantity: each case with what the released formula makes of it, and what is right.

Released: count = max(stated, boxes), 0 if reported missing; right if all counts are as wanted, and none is missing.
"""

from __future__ import annotations

import pytest

from stages.asking.seeing import MOST_FOUND
from stages.gir.shared.measures.detections import Detections
from stages.gir.shared.measures.quantity import released, score
from tests.gir.measures.observed import boxes

CASES = {
    # wanted, what is seen, released, right
    "as wanted": ({"duck": 3, "dog": 1}, Detections(boxes(duck=3, dog=1)), 1, 1),  # 3 = 3, 1 = 1
    "one too few": ({"duck": 3, "dog": 1}, Detections(boxes(duck=2, dog=1)), 0, 0),  # 2 < 3
    "one too many": ({"duck": 3, "dog": 1}, Detections(boxes(duck=4, dog=1)), 0, 0),  # 4 > 3
    "half of it": ({"duck": 3, "dog": 1}, Detections(boxes(duck=3)), 0, 0),  # dog: 0, so missing
    "nothing found": ({"duck": 1}, Detections([]), 0, 0),
    # max(3, 2) = 3 of which one is nowhere: a picture with two ducks is not right because a model says three
    "more stated than shown": ({"duck": 3}, Detections(boxes(duck=2), {"duck": 3}), 1, 0),
    # max(2, 3) = 3: both go by the boxes
    "fewer stated than shown": ({"duck": 3}, Detections(boxes(duck=3), {"duck": 2}), 1, 1),
    # max(3, 2) = 3, so that two ducks that are there are too many for both: boxes are 2
    "right by boxes alone": ({"duck": 2}, Detections(boxes(duck=2), {"duck": 3}), 0, 1),
    # reported missing: 0, whatever the boxes show; the boxes show it
    "missing with boxes": ({"duck": 3}, Detections(boxes(duck=3), {}, ["duck"]), 0, 1),
    # 0 = 0, but what is not there is missing: 0. Wanted is that no cat is there, and none is
    "wanted 0 times": ({"duck": 2, "cat": 0}, Detections(boxes(duck=2)), 0, 1),
    "wanted 0 times, reported": ({"duck": 2, "cat": 0}, Detections(boxes(duck=2), {"cat": 0}, ["cat"]), 0, 1),
    "wanted 0 times, and there": ({"duck": 2, "cat": 0}, Detections(boxes(duck=2, cat=1)), 0, 0),  # 1 > 0
    # the cat is in no list, so the released formula does not look at it; it is an animal too many
    "a thing that nobody wants": ({"duck": 2}, Detections(boxes(duck=2, cat=1)), 1, 0),
    "labels in Chinese": ({"鸭子": 2}, Detections(boxes(鸭子=2)), 1, 1),
}


@pytest.mark.parametrize(("wanted", "seen", "as_released", "right"), CASES.values(), ids=CASES)
def test_both_forms(wanted: dict[str, int], seen: Detections, as_released: float, right: float) -> None:
    assert (released(wanted, seen), score(wanted, seen)) == (as_released, right)


def test_a_model_that_repeats_itself_has_counted_nothing() -> None:
    assert score({"duck": MOST_FOUND}, Detections(boxes(duck=MOST_FOUND))) == 1
    with pytest.raises(ValueError, match="500 boxes in one picture, at most 200 are a count"):
        Detections(boxes(duck=500))
    with pytest.raises(ValueError, match="a count below 0 is stated: dog"):
        Detections(boxes(duck=2), {"duck": 2, "dog": -1})
