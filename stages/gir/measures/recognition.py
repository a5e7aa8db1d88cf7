"""UGC, understanding: whether an answer in words names the entity of reference pictures, or chooses it among others.

No form of these questions was published, nor how replies are read: this is our own, so there is no `released`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from stages.gir.measures.text import words_of

LETTERS = "ABCDEFGH"


def named(said: str, accepted: Collection[str], others: Collection[str]) -> float:
    """Return 1 where an accepted name stands in an answer as whole words, and none of the others does, else 0.

    Whoever names several things at once knows none. "Red panda" names no panda, where both are names.
    """
    words: list[str | None] = [*words_of(said)]
    names = {name: words_of(name) for name in (*accepted, *others)}
    there = set()
    for name, wanted in sorted(names.items(), key=lambda one: -len(one[1])):
        for start in range(len(words) - len(wanted) + 1):
            if words[start : start + len(wanted)] == wanted:
                there.add(name)
                words[start : start + len(wanted)] = [None] * len(wanted)
    return float(bool(there & {*accepted}) and not there & {*others})


def chosen(said: str, options: Sequence[str], right: int) -> float:
    """Return 1 where an answer chooses the right one of the options, lettered from A, else 0.

    It begins with its letter, alone or with a bracket, full stop or colon behind it; else it names the option.
    """
    letters = LETTERS[: len(options)]
    if found := re.match(rf"\s*\(?([{letters}])(?:[).:]|\s*$)", said, re.IGNORECASE):
        return float(letters.index(found[1].upper()) == right)
    return named(said, [options[right]], [option for place, option in enumerate(options) if place != right])
