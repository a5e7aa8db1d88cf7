"""Quantity: as many boxes of each label as wanted, and of no other."""

from __future__ import annotations

import pytest

from stages.asking.seeing import Found
from stages.gir.shared.measures.quantity import score
from tests.gir.measures.observed import boxes

CASES = {
    # wanted, what is seen, right
    "as wanted": ({"duck": 3, "dog": 1}, boxes(duck=3, dog=1), 1),  # 3 = 3, 1 = 1
    "one too few": ({"duck": 3, "dog": 1}, boxes(duck=2, dog=1), 0),  # 2 < 3
    "one too many": ({"duck": 3, "dog": 1}, boxes(duck=4, dog=1), 0),  # 4 > 3
    "half of it": ({"duck": 3, "dog": 1}, boxes(duck=3), 0),  # dog: 0
    "nothing found": ({"duck": 1}, [], 0),
    "wanted 0 times": ({"duck": 2, "cat": 0}, boxes(duck=2), 1),  # that no cat is there, and none is
    "wanted 0 times, and there": ({"duck": 2, "cat": 0}, boxes(duck=2, cat=1), 0),  # 1 > 0
    "a thing that nobody wants": ({"duck": 2}, boxes(duck=2, cat=1), 0),
    "labels in Chinese": ({"鸭子": 2}, boxes(鸭子=2), 1),
}


@pytest.mark.parametrize(("wanted", "found", "right"), CASES.values(), ids=CASES)
def test_boxes_are_counted(wanted: dict[str, int], found: list[Found], right: float) -> None:
    assert score(wanted, found) == right
