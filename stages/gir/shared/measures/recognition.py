"""UGC, understanding: whether an answer in words names the entity of reference pictures, or chooses it among others.

No form of these questions was published, nor how replies are read: this is our own, so there is no `released`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from stages.gir.shared.measures.text import words_of

LETTERS = "ABCDEFGH"
MARKUP = re.compile("[*_`]")
ARTICLE = r"A (?!or\b|and\b)[a-z]"


def named(said: str, accepted: Collection[str], others: Collection[str]) -> float:
    """Return 1 where an accepted name stands in an answer as whole words, and none of the others does, else 0.

    Whoever names one of the others as well knows none; what is neither is not seen to be a name. "Red panda" names no
    panda, where both are names.
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

    A letter that stands by itself chooses ("B", "(b)", "The answer is **B**."), but for an A that is an article;
    whoever chooses several chooses none. Without a letter it names the option.
    """
    letters, plain = LETTERS[: len(options)], MARKUP.sub("", said).strip()
    found = {*re.findall(rf"(?<!\w)(?!{ARTICLE})([{letters}])(?!\w)", plain)}
    found |= {one.upper() for one in re.findall(rf"^\(?([{letters.lower()}])(?:[).:]|$)", plain)}
    if found:
        return float(found == {letters[right]})
    return named(said, [options[right]], [option for place, option in enumerate(options) if place != right])
