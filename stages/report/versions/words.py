"""What differs between two texts, word by word: which words are gone, and which are new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

WORD = re.compile(
    r"(?:[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # Chinese has no blanks: each character by itself
    r"|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[^\w\s])\s*|\s+"
)


class Span(NamedTuple):
    """Words in a row that both texts have, or that this one alone has (`changed`)."""

    text: str
    changed: bool


def word_differences(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Return both texts in spans: what changed is what is outside of a longest common sequence of words.

    White space alone makes no other word; where nothing else differs, all of it is changed. Time grows with the product
    of the words between the first and last that differ, 64 of them at once.
    """
    ours, theirs = WORD.findall(before), WORD.findall(after)
    here, there = kept([word.strip() for word in ours], [word.strip() for word in theirs])
    if len(here) == len(ours) == len(theirs) and before != after:
        here, there = set(), set()
    return spans(ours, here), spans(theirs, there)


def spans(words: Sequence[str], common: set[int]) -> list[Span]:
    """Return words in spans, by the positions of those that both texts have."""
    runs = groupby(range(len(words)), key=lambda n: n not in common)
    return [Span("".join(words[n] for n in run), changed) for changed, run in runs]


def kept(ours: Sequence[str], theirs: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the positions of a longest common sequence in both."""
    first = same_at_start(ours, theirs)
    last = same_at_start(ours[first:][::-1], theirs[first:][::-1])
    ends = len(ours) - last, len(theirs) - last
    pairs = matched(ours[first : ends[0]], theirs[first : ends[1]])
    here, there = ({*range(first), *range(end, end + last)} for end in ends)
    return here | {first + one for one, _ in pairs}, there | {first + other for _, other in pairs}


def same_at_start(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Return with how many of the same words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))


def matched(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of positions of a longest common sequence (Hyyrö 2004: a row of the table as bits of a number).

    A bit of `rows[n]` that is 0 says that this word of `theirs` makes the sequence longer that the first n of `ours`
    share with it and those before it.
    """
    places: dict[str, int] = {}
    for n, word in enumerate(theirs):
        places[word] = places.get(word, 0) | 1 << n
    every = (1 << len(theirs)) - 1
    rows = [every]
    for word in ours:
        meeting = rows[-1] & places.get(word, 0)
        rows.append((rows[-1] + meeting | rows[-1] - meeting) & every)
    pairs = []
    row, column = len(ours), len(theirs)
    while row and column:
        if rows[row] >> column - 1 & 1:
            column -= 1
        elif rows[row - 1] >> column - 1 & 1:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        else:
            row -= 1
    return pairs
