"""Questions of one checklist that ask the same twice, in other words or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from stages.evaluation.checklists.wording import MOST_READ, TAG, straight, untagged

_SAYS_NOTHING = """\
a an the this that these those its his her their it they there is are was were be been being do does did has have had
can could will would in on at of to for with by as from and or any some so also both
response answer output reply generated final edited image picture text
correctly accurately clearly explicitly specifically visibly properly exactly actually indeed
show shows shown showing depict depicts depicted depicting display displayed present presented visible contain contains
include includes included including feature features featured portray portrayed
state states stated mention mentions mentioned say says said identify identifies identified specify specifies specified
describe describes described indicate indicates indicated appear appears
"""
SAYS_NOTHING = frozenset(_SAYS_NOTHING.split())
"""Words by which two questions may differ and yet ask the same."""
_DECIDES = """\
no not never without first second third fourth fifth last left right top bottom upper lower above below before after
under over behind front more less than
"""
DECIDES = frozenset(_DECIDES.split())
"""Words whose order decides what is asked, as that of numbers, letters and names does."""
_NAME = re.compile(r"(?<=[^\W_] )[A-Z]\w*")
_WORD = re.compile(r"[-−+]?\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:'[^\W\d_]+)?")


class Asked(NamedTuple):
    """What a question asks: its tag, its words in no order and in order, those that decide, and its names in order,
    None where capitals do not tell them.
    """

    tag: str
    stems: frozenset[tuple[str, int]]
    words: tuple[str, ...]
    decisive: tuple[str, ...]
    names: tuple[str, ...] | None


def duplicates(questions: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions, the earlier first, of questions that ask the same; each with the first that does.

    They have the same words but for those that say nothing here ("Does the image show a red car?" and "Is the car
    red?"), with names, numbers and places in one order. A tag in front counts: text and image are asked apart.
    """
    first: dict[object, list[tuple[int, Asked]]] = {}
    pairs = []
    for position, question in enumerate(questions):
        own = asked(question)
        alike = first.setdefault((own.tag, own.stems, own.decisive), [])
        same = (
            other
            for other, its in alike
            if its.names == own.names or (None in (its.names, own.names) and its.words == own.words)
        )
        if (earlier := next(same, None)) is not None:
            pairs.append((earlier, position))
        else:
            alike.append((position, own))
    return pairs


def asked(question: str) -> Asked:
    """Return what a question asks; one of nothing but words that say nothing asks for these."""
    tag, every, plain = TAG.match(question), _WORD.findall(straight(question)), untagged(question[:MOST_READ])
    words = tuple(word for word in every if word not in SAYS_NOTHING) or tuple(every) or (question,)
    return Asked(
        tag[0].strip().casefold() if tag else "",
        frozenset(Counter(map(stem, words)).items()),
        words,
        tuple(word for word in words if word in DECIDES or len(word) == 1 or not word[-1:].isalpha()),
        None if plain.isupper() or plain.islower() else tuple(_NAME.findall(plain)),
    )


def stem(word: str) -> str:
    """Return an English word without the ending of a plural or participle."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
