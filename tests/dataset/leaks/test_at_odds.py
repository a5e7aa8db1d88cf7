"""Which texts are at odds: each names a colour, number, time of day or lettering that the other does not."""

from __future__ import annotations

import pytest

from gamut.dataset.leaks.nearest import at_odds, traits_of


@pytest.mark.parametrize(
    ("one", "other", "odd"),
    [
        ("a red kite", "a blue kite", True),
        ("a red kite on a white wall", "A crimson kite, on grey stone", True),  # white, grey
        ("a red kite on a white wall", "a red kite", False),  # one alone names more
        ("a red kite", "a kite", False),
        ("two kites", "three kites and two dogs", False),
        ("two kites", "three kites", True),
        ("a kite at dawn", "a kite at night", True),
        ("a kite at sunrise", "a kite at dawn", False),
        ('a sign that says "OPEN"', "a sign that says “Open”", False),
        ('a sign that says "OPEN"', "写着“关门”的招牌", True),
        ("三只红色的风筝", "three red kites", False),
        ("三只红色的风筝", "两只红色的风筝", True),
        ("the third kite, redder than sevenfold", "a blue kite, two stories up", False),  # parts of words are none
    ],
)
def test_by_hand(one: str, other: str, odd: bool) -> None:
    assert at_odds(traits_of([one]), traits_of([other])).tolist() == [[odd]]
    assert at_odds(traits_of([other]), traits_of([one])).tolist() == [[odd]]
    assert traits_of([]).shape == (0, 4)
