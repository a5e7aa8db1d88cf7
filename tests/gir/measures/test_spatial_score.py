"""Spatial layout: which relations hold, and what is right altogether.

Boxes are left, top, right, bottom. Centres have to be apart by more than 0.25 · (size + size) across or down, and the
unit offset's component towards the direction has to be above 0.5.
"""

from __future__ import annotations

import pytest

from gamut.asking.seeing import Detection
from stages.gir.shared.measures.spatial import Relation, relation_share, score
from tests.gir.measures.observed import boxes, placed

LEFT = Relation(("cat",), "left", ("car",))
RIGHT, ABOVE, BELOW = (LEFT._replace(direction=one) for one in ("right", "above", "below"))
GROUP = Relation(("cat", "dog"), "left", ("car", "bus"))
CAT = (0, 0, 20, 20)  # centre 10, 10; with a car of 20 x 20, 0.25 · (20 + 20) = 10 pixels have to be passed
CAR = (100, 0, 120, 20)

CASES = {
    # relations, what is seen, right
    "beside": ([LEFT], placed(cat=CAT, car=CAR), 1),  # offset (-100, 0): 100 > 10, dx = -1 < -0.5
    "swapped": ([LEFT], placed(cat=CAR, car=CAT), 0),  # dx = 1
    "right of it": ([RIGHT], placed(cat=CAR, car=CAT), 1),
    "above": ([ABOVE], placed(cat=CAT, car=(0, 50, 20, 70)), 1),  # offset (0, -50): dy = -1
    "below": ([BELOW], placed(cat=(0, 50, 20, 70), car=CAT), 1),
    "too near": ([LEFT], placed(cat=CAT, car=(10, 0, 30, 20)), 0),  # offset 10 = 10: not more
    "just far enough": ([LEFT], placed(cat=CAT, car=(11, 0, 31, 20)), 1),  # 11 > 10
    # offset (-50, -100): length 111.8, dx = -0.447, dy = -0.894: above, and not left
    "slanting": ([LEFT], placed(cat=CAT, car=(50, 100, 70, 120)), 0),
    "slanting, above": ([ABOVE], placed(cat=CAT, car=(50, 100, 70, 120)), 1),
    # offset (-60, -100): length 116.6, dx = -0.514: both at once
    "slanting, both": ([LEFT, ABOVE], placed(cat=CAT, car=(60, 100, 80, 120)), 1),
    "one does not hold": ([LEFT, ABOVE], placed(cat=CAT, car=CAR), 0),  # dy = 0
    "at one place": ([LEFT], placed(cat=CAT, car=CAT), 0),  # offset 0
    "two of one": ([LEFT], placed(cat=[CAT, CAT], car=CAR), 0),  # each object once
    "one is not there": ([LEFT], placed(cat=CAT), 0),
    # birds, which no relation is about
    "two bystanders": ([LEFT], placed(cat=CAT, car=CAR, bird=[CAT, CAT]), 1),
    "one bystander": ([LEFT], placed(cat=CAT, car=CAR, bird=CAT), 1),
}


@pytest.mark.parametrize(("relations", "found", "right"), CASES.values(), ids=CASES)
def test_all_or_nothing(relations: list[Relation], found: list[Detection], right: float) -> None:
    assert score(["cat", "car"], relations, found) == right


def test_a_group_is_the_box_around_it() -> None:
    """Around cat and dog 0..60, centre 30, size 60; around car and bus 70..130, centre 100: 70 > 0.25 · 120 = 30."""
    seen = placed(cat=(0, 0, 20, 20), dog=(40, 0, 60, 20), car=(70, 0, 90, 20), bus=(110, 0, 130, 20))
    objects = ["cat", "dog", "car", "bus"]
    assert score(objects, [GROUP], seen) == 1
    # Around both groups 0..110: centres 55 and 55, though each cat is left of its car.
    mixed = placed(cat=(0, 0, 20, 20), dog=(90, 0, 110, 20), car=(30, 0, 50, 20), bus=(60, 0, 80, 20))
    assert score(objects, [GROUP], mixed) == 0


SHARES = {
    # relations, what is seen, right
    "listed twice": ([LEFT, LEFT, ABOVE], placed(cat=CAT, car=CAR), 2 / 3),  # as the case has it
    "listed twice, not held": ([LEFT, ABOVE, ABOVE], placed(cat=CAT, car=CAR), 1 / 3),
    "two of one": ([LEFT], placed(cat=[CAT, (200, 0, 220, 20)], car=CAR), 0),  # which is meant, nobody can tell
    "one is not there": ([LEFT], placed(car=CAR), 0),
    "a group without a member": ([GROUP._replace(object=("car",))], placed(cat=CAT, car=CAR), 0),
}


@pytest.mark.parametrize(("relations", "found", "right"), SHARES.values(), ids=SHARES)
def test_share_of_relations(relations: list[Relation], found: list[Detection], right: float) -> None:
    assert relation_share(relations, found) == pytest.approx(right)


def test_a_share_of_nothing() -> None:
    with pytest.raises(ValueError, match="there are no relations"):
        relation_share([], boxes(cat=1))
