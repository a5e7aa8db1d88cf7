"""Quantity: a picture is right when it has just so many of everything, else worth nothing.

There is no `released`: the scripts ask their detector how many there are and what is missing, too, and count what it
states where that is more than its boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from stages.asking.seeing import Found


def score(wanted: Mapping[str, int], found: Sequence[Found]) -> float:
    """Return 1 where there are as many boxes of each label as wanted, and of no other label any, else 0.

    What is wanted 0 times is right when it is not there; with the released scripts it never is. Labels that were looked
    for beside the wanted ones are wanted 0 times, so that a cat among the ducks is not overlooked.
    """
    return float(Counter(one.label for one in found) == Counter(wanted))
