"""Questions of one checklist that ask the same twice, in other words or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from stages.evaluation.checklists.wording import MOST_READ, TAG, straight

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
_WORD = re.compile(r"[-−+]?\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:'[^\W\d_]+)?")


def duplicates(questions: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions, the earlier first, of questions that ask the same; each with the first that does.

    They have the same words but for those that say nothing here ("Does the image show a red car?" and "Is the car
    red?"), with names, numbers and places in one order. A tag in front counts: text and image are asked apart.
    """
    first: dict[object, int] = {}
    pairs = []
    for position, question in enumerate(questions):
        if (earlier := first.setdefault(asked(question), position)) != position:
            pairs.append((earlier, position))
    return pairs


def asked(question: str) -> object:
    """Return what is the same for questions that ask the same."""
    tag = TAG.match(question)
    words = [word for word in _WORD.findall(straight(question)) if word not in SAYS_NOTHING]
    decisive = [word for word in words if word in DECIDES or len(word) == 1 or not word[-1].isalpha()]
    names = re.findall(r"(?<=[^\W_] )[A-Z]\w*", question[:MOST_READ])
    rest = frozenset(Counter(map(stem, words)).items())
    return (tag and tag[0].strip().casefold(), tuple(decisive), tuple(names), rest or question)


def stem(word: str) -> str:
    """Return an English word without the ending of a plural or participle."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
