"""The phrasebook (phrasebook.txt): families of twin templates (English, Chinese) with the same slots, of which captions
are made: rendered, and parsed back.

`# name` opens a family; each English sentence is followed by its Chinese twin after `=`, and an indented line goes on
with the one above. A family's sentences say the same in other words; no sentence stands twice in either language, so
that a translation leads back to where it came from.

A template is a sentence with slots in braces. `{a}` and `{b}` are the groups ("three red cars"), `{the_a}` the same
with an article, `{na}` the group without its colour, `{ca}` the colour, `{r}` the relation; `{style}`, `{light}`,
`{mood}`, `{weather}`, `{surreal}`, `{lettering}`, `{sign}` are the scene's. A capital letter starts the slot with one.
`{a:is|are}` chooses by number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import vocabulary as v
from .scene import Group, Scene

Slots = Mapping[str, object]
FORMS = ("prompt", "composition", "entity", "text", "imaginative", "style", "abstract", "detail", "long")
_BOOK = Path(__file__).with_name("phrasebook.txt")
_GROUPS = ("a", "b", "na", "nb")
PARTS = {"r": "relation", "weather": "mood"}
"""The parts of a scene that slots of other names stand for."""
_SLOT = re.compile(r"\{([A-Za-z_]+)(?::([^|}]*)\|([^}]*))?\}")
_CLOSED: dict[str, Mapping[str, v.Word]] = {
    "ca": v.COLOURS,
    "cb": v.COLOURS,
    "r": v.RELATIONS,
    "light": v.LIGHTS,
    "mood": v.MOODS,
    "weather": v.MOOD_SIGNS,
    "surreal": v.SURREALS,
    "sign": v.SIGNS,
    "style": {key: v.Word(f"a {word.en}", word.zh) for key, word in v.STYLES.items()},
}


class Twin(NamedTuple):
    """One sentence in both languages."""

    en: str
    zh: str


def _read_book() -> dict[str, tuple[Twin, ...]]:
    twins = re.compile(r"^(?![= ])(.+(?:\n  .+)*)\n= (.+(?:\n  .+)*)", re.MULTILINE)
    families: dict[str, tuple[Twin, ...]] = {}
    for family in re.split(r"^# ", _BOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, sentences = family.partition("\n")
        found = twins.findall(sentences)
        families[name] = tuple(Twin(english.replace("\n  ", " "), zh.replace("\n  ", "")) for english, zh in found)
    return families


FAMILIES: dict[str, tuple[Twin, ...]] = _read_book()


def slots_of(scene: Scene) -> dict[str, object]:
    names = ("r", "style", "light", "mood", "weather", "surreal", "lettering", "sign")
    found: dict[str, object] = {name: getattr(scene, PARTS.get(name, name)) for name in names}
    for name, group in zip("ab", scene.groups, strict=False):
        found[name], found["c" + name] = group, group.colour
        found["n" + name] = Group(group.kind, None, group.count)
    return {name: value for name, value in found.items() if value is not None}


def render(template: str, slots: Slots, language: str) -> str:
    """Fill a template. KeyError names a slot that is not given."""

    def fill(match: re.Match[str]) -> str:
        name, one, many = match.groups()
        key = name[0].lower() + name[1:]
        if one is not None:
            return str(many if _is_many(slots[key]) else one)
        text = surface(key, slots[_base(key)], language)
        return text[0].upper() + text[1:] if name[0].isupper() else text

    return _SLOT.sub(fill, template)


def surface(slot: str, value: object, language: str) -> str:
    if isinstance(value, Group):
        return group_words(value, language, definite=slot.startswith("the_"))
    if slot == "lettering":
        return f'"{value}"' if language == "en" else f"“{value}”"
    word = _CLOSED[slot][str(value)]
    return word.en if language == "en" else word.zh


def group_words(group: Group, language: str, definite: bool = False) -> str:
    kind = v.KINDS[group.kind]
    if language == "zh":
        number = v.COUNTS[group.count].zh
        if definite:
            number = "这" + (number if group.count > 1 else "")
        colour = v.COLOURS[group.colour].zh + "的" if group.colour else ""
        return number + kind.measure + colour + kind.zh
    noun = kind.name if group.count == 1 else kind.plural
    phrase = f"{group.colour} {noun}" if group.colour else noun
    if group.count > 1:
        return f"{'the ' if definite else ''}{v.COUNTS[group.count].en} {phrase}"
    article = "the" if definite else "an" if phrase[0].lower() in "aeiou" else "a"
    return f"{article} {phrase}"


def parse(template: str, sentence: str, language: str) -> dict[str, object] | None:
    """Return the slots with which the template gives exactly this sentence, or None."""
    match = _pattern(template, language).fullmatch(sentence)
    if match is None:
        return None
    slots: dict[str, object] = {}
    for name, text in match.groupdict().items():
        key = _base(name.rsplit("_", 1)[0])
        value = _value(key, text, language)
        if value is None or slots.setdefault(key, value) != value:
            return None
    try:
        return slots if render(template, slots, language) == sentence else None
    except KeyError:
        return None


def find_sentence(sentence: str, language: str) -> tuple[Twin, dict[str, object]] | None:
    """Return the twin of the phrasebook that gives this sentence, and the slots with which it does; None for none."""
    for twins in FAMILIES.values():
        for twin in twins:
            slots = parse(twin.en if language == "en" else twin.zh, sentence, language)
            if slots is not None:
                return twin, slots
    return None


def _base(slot: str) -> str:
    return slot.removeprefix("the_")


def _is_many(value: object) -> bool:
    if isinstance(value, Group):
        return value.count > 1
    return str(value) in ("twin moons", "floating islands") or (" " in str(value) and str(value) in v.LETTERING)


@cache
def _pattern(template: str, language: str) -> re.Pattern[str]:
    parts, last = [], 0
    for number, match in enumerate(_SLOT.finditer(template)):
        parts.append(re.escape(template[last : match.start()]))
        name, one, many = match.groups()
        if one is not None:
            parts.append(f"(?:{re.escape(one)}|{re.escape(many)})")
        else:
            key = name[0].lower() + name[1:]
            parts.append(f"(?P<{key}_{number}>{_alternatives(_base(key), language)})")
        last = match.end()
    return re.compile("".join(parts) + re.escape(template[last:]))


@cache
def _alternatives(slot: str, language: str) -> str:
    if slot == "lettering":
        return '"[^"]+"' if language == "en" else "“[^”]+”"
    if slot in _GROUPS:
        return r"[^.,;:\"“”，。；：]+?"
    texts = [word.en if language == "en" else word.zh for word in _CLOSED[slot].values()]
    texts += [text[0].upper() + text[1:] for text in texts if language == "en"]
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))


def _value(slot: str, text: str, language: str) -> object | None:
    if slot == "lettering":
        inner = text[1:-1]
        return inner if inner in v.LETTERING or inner in v.LETTERING_ZH else None
    if slot in _GROUPS:
        return group_table(language).get(text) or group_table(language).get(text[0].lower() + text[1:])
    for key, word in _CLOSED[slot].items():
        known = word.en if language == "en" else word.zh
        if text in (known, known[0].upper() + known[1:]):
            return key
    return None


@cache
def group_table(language: str) -> dict[str, Group]:
    """Every group by its words as `write` gives them, with and without article."""
    groups = [Group(k, c, n) for k in v.KINDS for c in (None, *v.COLOURS) for n in v.COUNTS]
    return {group_words(group, language, definite): group for group in groups for definite in (False, True)}
