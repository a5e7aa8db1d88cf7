"""Spatial layout: each case with what the released formula makes of it, and what is right.

Boxes are left, top, right, bottom. Centres have to be apart by more than 0.25 · (size + size) across or down, and the
unit offset's component towards the direction has to be above 0.5.
"""

from __future__ import annotations

import pytest

from stages.gir.shared.measures.detections import Detections
from stages.gir.shared.measures.spatial import Relation, released, released_share, score, share
from tests.gir.measures.observed import boxes, placed

LEFT = Relation(("cat",), "left", ("car",))
RIGHT, ABOVE, BELOW = (LEFT._replace(direction=one) for one in ("right", "above", "below"))
GROUP = Relation(("cat", "dog"), "left", ("car", "bus"))
CAT = (0, 0, 20, 20)  # centre 10, 10; with a car of 20 x 20, 0.25 · (20 + 20) = 10 pixels have to be passed
CAR = (100, 0, 120, 20)

CASES = {
    # relations, what is seen, released, right
    "beside": ([LEFT], placed(cat=CAT, car=CAR), 1, 1),  # offset (-100, 0): 100 > 10, dx = -1 < -0.5
    "swapped": ([LEFT], placed(cat=CAR, car=CAT), 0, 0),  # dx = 1
    "right of it": ([RIGHT], placed(cat=CAR, car=CAT), 1, 1),
    "above": ([ABOVE], placed(cat=CAT, car=(0, 50, 20, 70)), 1, 1),  # offset (0, -50): dy = -1
    "below": ([BELOW], placed(cat=(0, 50, 20, 70), car=CAT), 1, 1),
    "too near": ([LEFT], placed(cat=CAT, car=(10, 0, 30, 20)), 0, 0),  # offset 10 = 10: not more
    "just far enough": ([LEFT], placed(cat=CAT, car=(11, 0, 31, 20)), 1, 1),  # 11 > 10
    # offset (-50, -100): length 111.8, dx = -0.447, dy = -0.894: above, and not left
    "slanting": ([LEFT], placed(cat=CAT, car=(50, 100, 70, 120)), 0, 0),
    "slanting, above": ([ABOVE], placed(cat=CAT, car=(50, 100, 70, 120)), 1, 1),
    # offset (-60, -100): length 116.6, dx = -0.514: both at once
    "slanting, both": ([LEFT, ABOVE], placed(cat=CAT, car=(60, 100, 80, 120)), 1, 1),
    "one does not hold": ([LEFT, ABOVE], placed(cat=CAT, car=CAR), 0, 0),  # dy = 0
    "at one place": ([LEFT], placed(cat=CAT, car=CAT), 0, 0),  # offset 0
    "two of one": ([LEFT], placed(cat=[CAT, CAT], car=CAR), 0, 0),  # each object once
    "one is not there": ([LEFT], placed(cat=CAT), 0, 0),
    # a number that is merely stated: released takes max(2, 1) = 2 for one cat too many, boxes show one
    "two stated": ([LEFT], Detections(placed(cat=CAT, car=CAR).found, {"cat": 2, "car": 1}), 0, 1),
    "reported missing, though boxed": ([LEFT], Detections(placed(cat=CAT, car=CAR).found, {}, ["cat"]), 0, 1),
    # the released form holds two birds, which no relation is about, against the picture; one bird it does not
    "two bystanders": ([LEFT], placed(cat=CAT, car=CAR, bird=[CAT, CAT]), 0, 1),
    "one bystander": ([LEFT], placed(cat=CAT, car=CAR, bird=CAT), 1, 1),
}


@pytest.mark.parametrize(("relations", "seen", "as_released", "right"), CASES.values(), ids=CASES)
def test_both_forms(relations: list[Relation], seen: Detections, as_released: float, right: float) -> None:
    objects = ["cat", "car"]
    assert (released(objects, relations, seen), score(objects, relations, seen)) == (as_released, right)


def test_a_group_is_the_box_around_it() -> None:
    """Around cat and dog 0..60, centre 30, size 60; around car and bus 70..130, centre 100: 70 > 0.25 · 120 = 30."""
    seen = placed(cat=(0, 0, 20, 20), dog=(40, 0, 60, 20), car=(70, 0, 90, 20), bus=(110, 0, 130, 20))
    objects = ["cat", "dog", "car", "bus"]
    assert released(objects, [GROUP], seen) == score(objects, [GROUP], seen) == 1
    # Around both groups 0..110: centres 55 and 55, though each cat is left of its car.
    mixed = placed(cat=(0, 0, 20, 20), dog=(90, 0, 110, 20), car=(30, 0, 50, 20), bus=(60, 0, 80, 20))
    assert released(objects, [GROUP], mixed) == score(objects, [GROUP], mixed) == 0


SHARES = {
    # relations, what is seen, released, right
    # LEFT twice is one entry by its words: of {left: holds, above: not} 1 / 2. As the case has it: 2 / 3
    "listed twice": ([LEFT, LEFT, ABOVE], placed(cat=CAT, car=CAR), 1 / 2, 2 / 3),
    "listed twice, not held": ([LEFT, ABOVE, ABOVE], placed(cat=CAT, car=CAR), 1 / 2, 1 / 3),
    # the first cat is left of the car; which of the two is meant, nobody can tell
    "two of one": ([LEFT], placed(cat=[CAT, (200, 0, 220, 20)], car=CAR), 1, 0),
    "one is not there": ([LEFT], placed(car=CAR), 0, 0),
    # without the dog the group is the cat alone; the group that is wanted is not there
    "a group without a member": ([GROUP._replace(object=("car",))], placed(cat=CAT, car=CAR), 1, 0),
}


@pytest.mark.parametrize(("relations", "seen", "as_released", "right"), SHARES.values(), ids=SHARES)
def test_share_of_relations(relations: list[Relation], seen: Detections, as_released: float, right: float) -> None:
    assert released_share(relations, seen) == pytest.approx(as_released)
    assert share(relations, seen) == pytest.approx(right)


def test_a_share_of_nothing() -> None:
    seen = Detections(boxes(cat=1))
    assert released_share([], seen) == 0
    with pytest.raises(ValueError, match="without relations"):
        share([], seen)
