"""How free text names things, numbers, colours, looks and pictures: what instructions and questions consist of.

All of it reads text as `plain` gives it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from . import vocabulary as v
from .scene import Group

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: n for n, word in enumerate(_WORDS)}
NUMBERS |= {str(n): n for n in range(11)} | {"no": 0, "none": 0, "a": 1, "an": 1, "a single": 1, "a pair of": 2}
NUMBERS |= {sign: n for n, sign in enumerate("零一二三四五六七八九十")} | {"两": 2}
_DEFINITE = r"(?:(?:all|both|each|every)(?: of)?(?: the| these| those)?|the|this|these|those|that|its) "


class Named(NamedTuple):
    """A thing as a text names it; `number` None: not said. `definite`: one that is there ("the car"), whole."""

    kind: str
    colour: str | None
    number: int | None
    definite: bool

    def fits(self, group: Group) -> bool:
        """Return whether a group is of such things, whatever its number."""
        return group.kind == self.kind and self.colour in (None, group.colour)


def plain(text: str) -> str:
    """Return a text in lower case outside quotation marks, which become straight, with single spaces, and
    no marks at its end.
    """
    text = re.sub(r"\s+", " ", text.replace("“", '"').replace("”", '"').replace("’", "'"))
    parts = re.split(r'("[^"]*")', text)
    return "".join(part if part.startswith('"') else part.lower() for part in parts).strip(" .!?,;:。！？，；：")


def named(text: str) -> Named | None:
    """Return the thing that a noun phrase names, in English or Chinese ("the two red cars", "cars", "两辆汽车"), or
    None.
    """
    bare = re.sub(f"^{_DEFINITE}", "", text)
    definite = bare != text
    for word in ("", *NUMBERS):  # single words come first: "a pair of scissors" is one
        rest, number = bare.removeprefix(word), NUMBERS.get(word)
        if word and (rest == bare or (word.isascii() and not rest.startswith(" "))):
            continue
        rest = (
            re.sub(f"^(?:{measures()})(?=.)", "", rest) if not rest.isascii() and rest not in things_by_name() else rest
        )
        rest = rest.strip() if number is None else rest.strip().removeprefix("of the ")
        if found := things_by_name().get(rest):
            return Named(*found, number, definite)
    return None


@cache
def things_by_name() -> dict[str, tuple[str, str | None]]:
    """Every name of a kind in lower case, alone and after every name of a colour → kind, colour."""
    found: dict[str, tuple[str, str | None]] = {}
    for kind in v.KINDS.values():
        names = {name.lower() for pair in ((kind.name, kind.plural), *kind.synonyms) for name in pair}
        for name in (*sorted(names), kind.zh.lower()):
            found[name] = kind.name, None
            for colour, word in v.COLOURS.items():
                for said in (word.en, word.zh, *word.also):
                    if said.isascii() == (name != kind.zh.lower()):
                        found[f"{said} {name}" if said.isascii() else f"{said}的{name}"] = kind.name, colour
    return found


@cache
def measures() -> str:
    return "|".join(sorted({kind.measure for kind in v.KINDS.values()}))


@cache
def looks() -> dict[str, tuple[str, str]]:
    """Every name of a light, style, mood, wonder or sign, without article → part of a scene, value."""
    found = {"emerald": ("surreal", "emerald sky")}
    for part, table in v.LOOKS.items():
        for key, word in table.items():
            for name in (word.en, word.zh, *word.also):
                found[re.sub("^(?:an?|the) ", "", name)] = part, key
    return found
