"""Puzzles of how many: sentences about the numbers of one or two kinds of things, read as equations and solved."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from itertools import product

from . import vocabulary as v
from .naming import NUMBERS, named, plain

_LARGEST = 99
"""An answer is looked for up to this number of each kind of thing."""
_MOST_KINDS = 2
_PARTS: Mapping[str, Mapping[str, int]] = {
    "legs": {"butterfly": 6}
    | dict.fromkeys(["cat", "cow", "dog", "elephant", "horse", "mouse", "panda", "pig", "rabbit", "turtle"], 4)
    | dict.fromkeys(["bird", "duck", "kangaroo", "owl", "penguin", "turkey"], 2)
    | dict.fromkeys(["dolphin", "fish", "shark", "snail", "snake"], 0),
    "wheels": {"bicycle": 2, "car": 4, "motorcycle": 2, "skateboard": 4}
    | dict.fromkeys(["helicopter", "hot air balloon", "rocket", "sailboat"], 0),
    "corners": {"circle": 0, "heart": 0, "square": 4, "triangle": 3},
    "strings": {"guitar": 6, "violin": 4},
}
"""How many of a part each kind of thing has."""
_WORDS = NUMBERS | {"eleven": 11, "twelve": 12}
_NUMBER = r"(?:\d+|\w+)"
_THINGS = r"[\w ,-]+?"
_FACTS = {
    "parts": rf"counted together, the (?P<things>{_THINGS}) have (?P<total>{_NUMBER}) (?P<part>\w+)",
    "number": rf"taken together, the (?P<things>{_THINGS}) number (?P<total>{_NUMBER})",
    "more": rf"the (?P<a>{_THINGS}) outnumber the (?P<b>{_THINGS}) by (?P<total>{_NUMBER})",
    "alike": rf"there are as many (?P<a>{_THINGS}) as (?P<b>{_THINGS})",
    "times": rf"the number of (?P<a>{_THINGS}) is (?P<times>{_NUMBER}) times the number of (?P<b>{_THINGS})",
    "share": rf"divide (?P<amount>{_NUMBER}) {_THINGS} into (?P<times>{_NUMBER}) equal shares:"
    rf" the (?P<a>{_THINGS}) are one of the shares",
    "gone": rf"there were (?P<amount>{_NUMBER}) (?P<a>{_THINGS}), and (?P<total>{_NUMBER}) of them have gone",
    "parts_of": rf"the (?P<a>{_THINGS}) have as many (?P<part>\w+) as (?P<others>{_THINGS}) taken together",
}
_OPENING = re.compile(rf"work out how many (?P<things>{_THINGS}) there are, and draw exactly that many of each")
_ENDING = "if the answer for something is zero, leave it out"
Equation = tuple[Mapping[str, int], int]
"""The sum of weight times number over kinds is the total."""


def solved(text: str, rate: float, rng: random.Random) -> str | None:
    """Return in plain words what a puzzle wants painted, wrongly at a rate of 0..1; None for what is no such puzzle, or
    has not just one answer, or wants nothing at all.
    """
    opening, *facts = (plain(sentence) for sentence in re.split(r"(?<=[.!?])\s+", text.strip()))
    kinds = kinds_in(match["things"]) if (match := _OPENING.fullmatch(opening)) else None
    if not kinds or not 1 <= len(kinds) <= _MOST_KINDS:
        return None
    equations = [equation(fact) for fact in facts if fact != _ENDING]
    if None in equations:
        return None
    found = list(answers(kinds, [one for one in equations if one]))
    if len(found) != 1 or not any(found[0].values()):
        return None
    return in_words(mistaken(found[0], rng) if rng.random() < rate else found[0])


def equation(sentence: str) -> Equation | None:
    """Return what a plain sentence says of numbers of things; None where it is not understood."""
    for fact, pattern in _FACTS.items():
        if match := re.fullmatch(pattern, sentence):
            try:
                return _equation(fact, match.groupdict())
            except KeyError:  # a number, a thing or a part that is not known
                return None
    return None


def _equation(fact: str, slots: Mapping[str, str]) -> Equation:
    number = {name: _number(slots[name]) for name in ("total", "times", "amount") if name in slots}
    a, b = (kind_of(slots[name]) if name in slots else "" for name in "ab")
    match fact:
        case "parts":
            has = _PARTS[slots["part"]]
            return {kind: has[kind] for kind in kinds_of(slots["things"])}, number["total"]
        case "number":
            return dict.fromkeys(kinds_of(slots["things"]), 1), number["total"]
        case "more":
            return {a: 1, b: -1}, number["total"]
        case "alike":
            return {a: 1, b: -1}, 0
        case "times":
            return {a: 1, b: -number["times"]}, 0
        case "share":
            return {a: number["times"]}, number["amount"]
        case "gone":
            return {a: 1}, number["amount"] - number["total"]
    has = _PARTS[slots["part"]]
    others = [one.partition(" ") for one in _listed(slots["others"])]
    return {a: has[a]}, sum(_number(count) * has[kind_of(name)] for count, _, name in others)


def answers(kinds: list[str], equations: list[Equation]) -> Iterator[dict[str, int]]:
    """Yield all numbers of the kinds that fulfil the equations; none where these are about other kinds."""
    if any(not weights.keys() <= {*kinds} for weights, _ in equations):
        return
    for numbers in product(range(_LARGEST + 1), repeat=len(kinds)):
        counts = dict(zip(kinds, numbers, strict=True))
        if all(sum(weight * counts[kind] for kind, weight in weights.items()) == total for weights, total in equations):
            yield counts


def mistaken(counts: Mapping[str, int], rng: random.Random) -> dict[str, int]:
    """Return another number of one kind, as many as can be painted, and not nothing at all."""
    kind = rng.choice(list(counts))
    none_left = not any(count for other, count in counts.items() if other != kind)
    numbers = [n for n in (*([] if none_left else [0]), *v.COUNTS) if n != counts[kind]]
    return {**counts, kind: rng.choice(numbers)}


def in_words(counts: Mapping[str, int]) -> str:
    """Return numbers of things as a plain prompt; what there is none of is left out."""
    words = list(NUMBERS)
    said = [
        f"{words[n] if n <= 10 else n} {v.KINDS[kind].name if n == 1 else v.KINDS[kind].plural}"
        for kind, n in counts.items()
        if n
    ]
    return f"{' and '.join(said).capitalize()}."


def kinds_in(words: str) -> list[str] | None:
    """Return the kinds of a list such as "cats, dogs and cows", each once; None where one is not known."""
    try:
        kinds = kinds_of(words)
    except KeyError:
        return None
    return kinds if len({*kinds}) == len(kinds) else None


def kinds_of(words: str) -> list[str]:
    """Return the kinds of a list; KeyError where one is not known."""
    return [kind_of(one) for one in _listed(words)]


def kind_of(words: str) -> str:
    """Return the kind that a noun names, in one or in many; KeyError for another word."""
    thing = named(words)
    if thing is None or thing.colour or thing.number is not None:
        raise KeyError(words)
    return thing.kind


def _listed(words: str) -> list[str]:
    return re.split(r", (?:and )?| and ", words)


def _number(word: str) -> int:
    """Return a number; KeyError for another word."""
    return int(word) if re.fullmatch(r"[0-9]{1,6}", word) else _WORDS[word]
