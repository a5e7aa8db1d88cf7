"""How free text names things, colours and looks; all of it reads text as `plain` gives it."""

from __future__ import annotations

import re
from functools import cache

from . import vocabulary as v

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *map(str, range(11)),
    *("no", "none", "a", "an", "a single", "a pair of"),
    *"零一二三四五六七八九十两",
)
_DEFINITE = r"(?:(?:all|both|each|every)(?: of)?(?: the| these| those)?|the|this|these|those|that|its) "


def normalise_text(text: str) -> str:
    """Lower case outside quotation marks, which become straight; single spaces, no marks at its end."""
    text = re.sub(r"\s+", " ", text.replace("“", '"').replace("”", '"').replace("’", "'"))
    parts = re.split(r'("[^"]*")', text)
    return "".join(part if part.startswith('"') else part.lower() for part in parts).strip(" .!?,;:。！？，；：")


def named(text: str) -> tuple[str, str | None] | None:
    """Kind and colour of what a noun phrase names ("the two red cars", "cars", "两辆汽车"), or None."""
    bare = re.sub(f"^{_DEFINITE}", "", text)
    for word in ("", *_NUMBERS):  # single words come first: "a pair of scissors" is one
        rest = bare.removeprefix(word)
        if word and (rest == bare or (word.isascii() and not rest.startswith(" "))):
            continue
        if not rest.isascii() and rest not in things_by_name():
            rest = re.sub(f"^(?:{measure_words()})(?=.)", "", rest)
        if found := things_by_name().get(rest.strip().removeprefix("of the " if word else "")):
            return found
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
def measure_words() -> str:
    return "|".join(sorted({kind.measure for kind in v.KINDS.values()}))


@cache
def looks_by_name() -> dict[str, tuple[str, str]]:
    """Every name of a light, style, mood, wonder or sign, without article → part of a scene, value."""
    found = {"emerald": ("surreal", "emerald sky")}
    for part, table in v.LOOKS.items():
        for key, word in table.items():
            for name in (word.en, word.zh, *word.also):
                found[re.sub("^(?:an?|the) ", "", name)] = part, key
    return found
