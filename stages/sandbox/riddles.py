"""Plain words hidden behind riddles, and riddles solved back to plain words; what is no riddle stays as it is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import NamedTuple

from . import vocabulary as v
from .riddle_book import RIDDLES, Riddle

_NUMBERS = ("two", "three", "four", "five")
_NAMES: Mapping[str, Mapping[str, str]] = {
    "number": dict(zip("2345", _NUMBERS, strict=True)),
    "colour": {key: word.en for key, word in v.COLOURS.items()},
    "relation": {key: word.en for key, word in v.RELATIONS.items()},
    "light": {key: word.en for key, word in v.LIGHTS.items()},
}
"""What a value is called in plain words; things have a plural too."""


class _Spot(NamedTuple):
    """A word that may be hidden: a slot of a phrase that was found in a text."""

    phrase: re.Match[str]
    slot: str
    value: str


def hide(text: str, reasoning: str, rng: random.Random) -> str:
    """Return an English text with one or two words behind riddles of a kind of reasoning; as it is where none can be.

    `solve` gives exactly the text back: riddles that would not are not put.
    """
    spots = [spot for spot in _spots(text) if _riddles(reasoning, spot)]
    rng.shuffle(spots)
    for count in rng.choice(((2, 1), (1,))):
        for chosen in combinations(spots, count):
            hidden = _hidden(text, {spot: rng.choice(_riddles(reasoning, spot)) for spot in chosen})
            if solve(hidden) == text:
                return hidden
    return text


def solve(text: str, rate: float = 0.0, rng: random.Random | None = None) -> str:
    """Return a text with its riddles solved, each wrongly at a rate of 0..1: as another number, thing, colour …, one
    that the text does not name. For that `rng` is needed; a text without riddles draws nothing from it.
    """

    def plain(match: re.Match[str]) -> str:
        riddle, many = _known()[match["riddle"].lower()]
        value = riddle.value
        if rng is not None and rng.random() < rate:
            value = rng.choice(_others(riddle, text))
        found = match.groupdict()
        words = " ".join(filter(None, (_name(riddle.slot, value, many), found.get("things"))))
        if article := found.get("article"):
            words = f"{_article(words)} {words}"
        return words[0].upper() + words[1:] if (article or match[0])[0].isupper() else words

    words = text.lower()
    if any(riddle in words for riddle in _known()):
        for pattern in _patterns():
            text = pattern.sub(plain, text)
    return text


def _spots(text: str) -> Iterator[_Spot]:
    """Yield all that might be hidden, outside quotation marks and names of pictures."""
    bare = re.sub(r'"[^"]*"|<[^<>]*>', lambda quoted: " " * len(quoted[0]), text)
    for phrase in _phrase().finditer(bare):
        lead, colour, thing = (phrase[name].lower() if phrase[name] else "" for name in ("lead", "colour", "thing"))
        if lead in _NUMBERS and not bare[: phrase.start()].endswith("the "):
            yield _Spot(phrase, "number", str(_NUMBERS.index(lead) + 2))
        if colour:
            yield _Spot(phrase, "colour", colour)
        yield _Spot(phrase, "kind", _nouns()[thing][0])
    taken = [phrase.span() for phrase in _phrase().finditer(bare)]
    for slot, pattern in (
        ("colour", rf"\b({_any_of(v.COLOURS)})\b"),
        ("relation", rf"\b({_any_of(_NAMES['relation'].values())})\b"),
        ("light", rf"(?<=\b(?:at|to|it) )({_any_of(v.LIGHTS)})\b"),
    ):
        values = {name: value for value, name in _NAMES[slot].items()}
        for word in re.finditer(pattern, bare):
            if not any(start < word.end() and word.start() < end for start, end in taken):
                yield _Spot(word, slot, values[word[1]])


def _hidden(text: str, riddles: Mapping[_Spot, Riddle]) -> str:
    """Return a text with riddles in the place of words."""
    phrases = {spot.phrase.span(): spot.phrase for spot in riddles}
    for start, end in sorted(phrases, reverse=True):
        slots = {spot.slot: riddle for spot, riddle in riddles.items() if spot.phrase.span() == (start, end)}
        words = _put(phrases[start, end], slots)
        text = text[:start] + (words[0].upper() + words[1:] if text[start].isupper() else words) + text[end:]
    return text


def _put(phrase: re.Match[str], riddles: Mapping[str, Riddle]) -> str:
    """Return a phrase with riddles in some of its slots."""
    found = phrase.groupdict()
    if "thing" not in found:
        [riddle] = riddles.values()
        return f"the colour {riddle.one}" if riddle.slot == "colour" else riddle.one
    words, lead = found["thing"], (found["lead"] or "").lower()
    thing, colour, number = (riddles.get(slot) for slot in ("kind", "colour", "number"))
    if thing:
        words = thing.many if _nouns()[words.lower()][1] else thing.one
    if colour:
        words = f"{words} in the colour {colour.one}"
    elif found["colour"]:
        words = f"{found['colour'].lower()} {words}"
    if number:
        return f"{number.one} {words}" if _stands_before(number) else f"as many {words} as {number.one}"
    return f"{_article(words) if lead in ('a', 'an') else lead} {words}".strip()


def _riddles(reasoning: str, spot: _Spot) -> list[Riddle]:
    wanted = (reasoning, spot.slot, spot.value)
    return [riddle for riddle in RIDDLES if (riddle.reasoning, riddle.slot, riddle.value) == wanted]


def _others(riddle: Riddle, text: str) -> list[str]:
    """Return the values that a riddle may be mistaken for: things and colours that the text does not name, if any."""
    values = v.KINDS if riddle.slot == "kind" else _NAMES[riddle.slot]
    others = [value for value in values if value != riddle.value]
    if riddle.slot not in ("kind", "colour"):
        return others
    words = text.lower()
    return [value for value in others if _name(riddle.slot, value, False).lower() not in words] or others


def _name(slot: str, value: str, many: bool) -> str:
    return (v.KINDS[value].plural if many else value) if slot == "kind" else _NAMES[slot][value]


def _article(words: str) -> str:
    return "an" if words[0].lower() in "aeiou" else "a"


def _stands_before(riddle: Riddle) -> bool:
    return riddle.slot == "number" and riddle.reasoning == "comparative"


@cache
def _known() -> dict[str, tuple[Riddle, bool]]:
    """Every riddle by its words in lower case, and whether these are of several things."""
    found = {riddle.many.lower(): (riddle, True) for riddle in RIDDLES}
    return found | {riddle.one.lower(): (riddle, False) for riddle in RIDDLES}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return what riddles look like in a text, in the order in which they are solved: things stand inside of others."""

    def words(slot: str, before: bool = False) -> str:
        fitting = [riddle for riddle in RIDDLES if riddle.slot == slot and _stands_before(riddle) == before]
        return rf"(?P<riddle>{_any_of({words for riddle in fitting for words in (riddle.one, riddle.many)})})\b"

    article = r"\b(?:(?P<article>an?) )?"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"\b{words('light')}",
            rf"\b{words('relation')}",
            article + words("kind"),
            rf"{article}(?P<things>{_any_of(_nouns())}) in the colour {words('colour')}",
            rf"\bthe colour {words('colour')}",
            rf'\bas many (?P<things>[^.,;:!?"<>]{{1,60}}?) as {words("number")}',
            rf"\b{words('number', before=True)}(?= \w)",
        )
    )


@cache
def _phrase() -> re.Pattern[str]:
    """Return what a thing is named like: "three red cars", "a car", "cars"."""
    lead, colour = f"(?P<lead>an?|{_any_of(_NUMBERS)})", f"(?P<colour>{_any_of(v.COLOURS)})"
    return re.compile(rf"\b(?:{lead} )?(?:{colour} )?(?P<thing>{_any_of(_nouns())})\b", re.IGNORECASE)


@cache
def _nouns() -> dict[str, tuple[str, bool]]:
    """Every kind by its own names in lower case, and whether that is the plural."""
    many = {kind.plural.lower(): (kind.name, True) for kind in v.KINDS.values()}
    return many | {kind.name.lower(): (kind.name, False) for kind in v.KINDS.values()}


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
