"""Puzzles of where: which of two things stands left or above, by what is said of their places."""

from __future__ import annotations

import random
import re

from .descriptions import article
from .naming import Named, named, plain

_OPENINGS = {
    "to the left of": r"draw side by side in one row, each exactly once: (?P<a>[\w -]+) and (?P<b>[\w -]+)",
    "above": r"draw one above the other in one column, each exactly once: (?P<a>[\w -]+) and (?P<b>[\w -]+)",
}
_A, _B = r"the (?P<a>[\w -]+?)", r"the (?P<b>[\w -]+?)"
_FIRST = {
    "to the left of": (
        rf"put {_A} further left than {_B}",
        rf"do not put {_B} further left than {_A}",
        rf"put {_B} further right than {_A}",
        rf"put {_A} right beside {_B}, on its left",
        rf"put nothing further left than {_A}",
    ),
    "above": (
        rf"put {_A} higher than {_B}",
        rf"do not put {_B} higher than {_A}",
        rf"put {_B} lower than {_A}",
        rf"put {_A} directly above {_B}, with nothing between",
        rf"put nothing higher than {_A}",
    ),
}
"""What says that `a` is the first of the two, and `b` the other."""


def solved(text: str, rate: float, rng: random.Random) -> str | None:
    """Return in plain words what a puzzle wants painted, turned round at a rate of 0..1; None for what is no such
    puzzle, or does not say which is first.
    """
    opening, *facts = (plain(sentence) for sentence in re.split(r"(?<=[.!?])\s+", text.strip()))
    for relation, pattern in _OPENINGS.items():
        if (match := re.fullmatch(pattern, opening)) is None:
            continue
        pair = [match["a"], match["b"]]
        things = [named(name) for name in pair]
        if not all(_single(thing) for thing in things) or things[0] == things[1]:
            return None
        firsts = {first(fact, relation, pair) for fact in facts}
        if len(firsts) != 1 or (found := firsts.pop()) is None:
            return None
        wrong = rng.random() < rate
        one, other = sorted(pair, key=lambda name: (name != found) != wrong)
        return f"{article(one).capitalize()} {one} {relation} {article(other)} {other}."
    return None


def first(fact: str, relation: str, pair: list[str]) -> str | None:
    """Return which of a pair is the first by a plain sentence; None where it does not say that."""
    for pattern in _FIRST[relation]:
        if (match := re.fullmatch(pattern, fact)) and match["a"] in pair:
            other = match.groupdict().get("b")
            if other is None or {match["a"], other} == {*pair}:
                return match["a"]
    return None


def _single(thing: Named | None) -> bool:
    return thing is not None and thing.number is None and not thing.definite
