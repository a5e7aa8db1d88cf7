"""Questions about single facts, in words and back: of a picture, of a text, or of whether the two agree.

Each is answered yes or no. An inverted one is answered yes where the fact does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from . import vocabulary as v
from .captions import understand
from .facts import Fact, Sort, Thing, Value, facts_of
from .material import LONGEST_SENTENCE
from .naming import NUMBERS, ORDINALS, any_of, named, plain

About = Literal["image", "text", "consistency"]
_BOOK = """
# image
kind + Does the picture show {a_thing}?
kind + Does the picture contain {a_thing}?
kind - Does the picture fail to show {a_thing}?
kind - Does the picture lack {a_thing}?
count + {Be} there exactly {number} {thing} in the picture?
count + Does the picture show exactly {number} {thing}?
count - Does the picture fail to show exactly {number} {thing}?
colour + {Be} the {thing} in the picture {colour}?
colour + Does the picture show the {thing} in {colour}?
colour - Does the picture fail to show the {thing} in {colour}?
relation + {Be} the {thing} {relation} the {other} in the picture?
relation + Does the picture show the {thing} {relation} the {other}?
relation - Does the picture fail to show the {thing} {relation} the {other}?
light + Is it {light} in the picture?
light + Does the picture show {light}?
light - Does the picture fail to show {light}?
style + Is the picture {style}?
style + Does the picture appear as {style}?
style - Does the picture fail to be {style}?
mood + Is the mood of the picture {mood}?
mood + Does the picture have a {mood} mood?
mood - Does the picture lack a {mood} mood?
surreal + Does the picture show {surreal}?
surreal + Does the picture contain {surreal}?
surreal - Does the picture fail to show {surreal}?
sign + Does the picture show {sign}?
sign + Does the picture contain {sign}?
sign - Does the picture lack {sign}?
lettering + Does the picture show the words {lettering}?
lettering + Are the words {lettering} shown in the picture?
lettering - Does the picture fail to show the words {lettering}?
# text
kind + Does the text mention {a_thing}?
kind + {Be} {a_thing} mentioned in the text?
kind - Does the text leave out {a_thing}?
kind - Does the text fail to mention {a_thing}?
count + Does the text say that there {be} exactly {number} {thing}?
count + Does the text mention exactly {number} {thing}?
count - Does the text fail to say that there {be} exactly {number} {thing}?
colour + Does the text say that the {thing} {be} {colour}?
colour + Does the text describe the {thing} as {colour}?
colour - Does the text fail to say that the {thing} {be} {colour}?
colour + Does the text say that the colour is {colour}?
colour + Does the text state {colour} as the colour?
colour - Does the text fail to say that the colour is {colour}?
relation + Does the text say that the {thing} {be} {relation} the {other}?
relation + Does the text describe the {thing} as {relation} the {other}?
relation - Does the text fail to say that the {thing} {be} {relation} the {other}?
light + Does the text say that it is {light}?
light + Does the text mention {light}?
light - Does the text fail to mention {light}?
style + Does the text mention {style}?
style + Does the text describe {style}?
style - Does the text leave out {style}?
mood + Does the text say that the mood is {mood}?
mood + Does the text mention a {mood} mood?
mood - Does the text fail to mention a {mood} mood?
surreal + Does the text mention {surreal}?
surreal + Does the text describe {surreal}?
surreal - Does the text leave out {surreal}?
sign + Does the text mention {sign}?
sign + Does the text describe {sign}?
sign - Does the text leave out {sign}?
lettering + Does the text mention the words {lettering}?
lettering + Are the words {lettering} mentioned in the text?
lettering - Does the text leave out the words {lettering}?
truth + Does the text say {truth}?
truth + Does the text answer with {truth}?
truth - Does the text fail to say {truth}?
which + Does the text identify {which}?
which + Does the text mention {which}?
which - Does the text fail to identify {which}?
# consistency
count + Do the text and the picture agree about the number of {things}?
count + Do the picture and the text agree about the number of {things}?
count - Do the text and the picture fail to agree about the number of {things}?
colour + Do the text and the picture agree about the colour of the {thing}?
colour + Do the picture and the text agree about the colour of the {thing}?
colour - Do the text and the picture fail to agree about the colour of the {thing}?
relation + Do the text and the picture agree about how the {thing} and the {other} stand?
relation + Do the picture and the text agree about how the {thing} and the {other} stand?
relation - Do the text and the picture fail to agree about how the {thing} and the {other} stand?
"""
_THINGS = ("thing", "things", "a_thing")
_SLOT = re.compile(r"\{([A-Za-z_]+)\}")


class Wording(NamedTuple):
    """One way to ask about facts of a sort."""

    about: About
    sort: Sort
    inverted: bool
    template: str


class Asked(NamedTuple):
    """A fact that a question asks for; `inverted`: whether it does not hold."""

    fact: Fact
    inverted: bool


def ways(fact: Fact, about: About, inverted: bool = False) -> list[str]:
    """Return the questions that ask for a fact, in every wording that there is."""
    fitting = [one for one in _wordings() if (one.about, one.sort, one.inverted) == (about, fact.sort, inverted)]
    return [
        _SLOT.sub(lambda slot: _said(slot[1], fact), one.template)
        for one in fitting
        if (fact.of is not None) == bool(set(_SLOT.findall(one.template)) & set(_THINGS))
    ]


def in_short(facts: Sequence[Fact]) -> str:
    """Return facts of one thing, or a single other fact, in a few words: "two red cars", "night"."""
    fact, values = facts[0], {one.sort: one for one in facts}
    if fact.of is None:
        return _said(fact.sort, fact)
    if fact.other:
        return f"{_said('thing', fact)} {_said('relation', fact)} the {_said('other', fact)}"
    counted = values.get("count", fact)
    before = [_said(slot, values[sort]) for sort, slot in (("count", "number"), ("colour", "colour")) if sort in values]
    return " ".join([*before, _said("thing", counted)])


def both(one: str, other: str) -> str:
    """Return two questions as one compound question."""
    return f"{one.removesuffix('?')}, and {other[0].lower()}{other[1:]}"


def meant(question: str, about: About) -> Sequence[Asked] | None:
    """Return what a question asks for, all of it; None where it is not understood.

    Beside the wordings of `ways`: words such as "still", other names of picture and text, whole scenes in the place of
    a thing ("two red cars to the left of a blue house"), and compound questions.
    """
    if len(question) > LONGEST_SENTENCE:
        return None
    words = re.sub(r"\b(?:still|clearly|correctly) ", "", plain(question))
    words = re.sub(r"\bthe (?:(?:generated|edited|output) )?(?:image|photo|picture)\b", "the picture", words)
    words = re.sub(r"\bthe (?:(?:generated|output) )?(?:response|answer|caption|text)\b", "the text", words)
    if (found := _single(words, about)) is not None:
        return found
    for joint in re.finditer(r",? and ", words):
        first, second = words[: joint.start()], words[joint.end() :]
        if (one := _single(first, about)) and (rest := meant(second, about)):
            return [*one, *rest]
    return None


def _single(words: str, about: About) -> Sequence[Asked] | None:
    for one in _wordings():
        if one.about != about:
            continue
        match = _pattern(one.template).fullmatch(words)
        if match and (fact := _read(one, match)) is not None:
            return [Asked(fact, one.inverted)]
    scenes = {
        "image": r"(?:does the picture show|(?:is|are) there) (.+?)(?: in the picture)?",
        "text": r"does the text (?:mention|describe|say that there (?:is|are)) (.+)",
    }
    match = re.fullmatch(scenes[about], words) if about in scenes else None
    scene = understand(match[1]) if match else None
    return [Asked(fact, False) for fact in facts_of(scene)] if scene else None


def _read(wording: Wording, match: re.Match[str]) -> Fact | None:
    """Return the fact that a question is about; None where one of its slots holds nothing known."""
    found = {name: _meaning(name, text) for name, text in match.groupdict().items()}
    if None in found.values():
        return None
    value = found.get("number" if wording.sort == "count" else wording.sort, True)
    of, other = next((found[name] for name in _THINGS if name in found), None), found.get("other")
    assert (of is None or isinstance(of, Thing)) and (other is None or isinstance(other, Thing))
    return Fact(wording.sort, None if wording.about == "consistency" else value, of, other)


def _said(slot: str, fact: Fact) -> str:
    """Return what a slot of a wording says of a fact."""
    many = fact.value != 1 if fact.sort == "count" and fact.value is not None else bool(fact.of and fact.of.many)
    match slot:
        case "be" | "Be":
            words = "are" if many else "is"
            return words.capitalize() if slot == "Be" else words
        case "thing" | "other":
            thing = fact.of if slot == "thing" else fact.other
            assert thing is not None
            return _noun(thing, many if slot == "thing" else thing.many)
        case "things" | "a_thing":
            assert fact.of is not None
            words = _noun(fact.of, many or slot == "things")
            return words if many or slot == "things" else f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
        case "number":
            return list(NUMBERS)[int(str(fact.value))]
        case "which":
            assert isinstance(fact.value, tuple)
            return " and ".join(f"the {ORDINALS[number - 1]} picture" for number in fact.value) or "no picture"
        case "lettering":
            return f'"{fact.value}"'
    return next(words for words, value in _closed()[slot].items() if value == fact.value)


def _noun(thing: Thing, many: bool) -> str:
    kind = v.KINDS[thing.kind]
    return " ".join(filter(None, (thing.colour, kind.plural if many else kind.name)))


def _meaning(slot: str, text: str) -> Value | None:
    """Return what the words in a slot mean; None where that is nothing known."""
    match slot:
        case "thing" | "things" | "a_thing" | "other":
            found = named(text)
            if found is None or found.number not in (None, 1) or found.definite:
                return None
            return Thing(found.kind, found.colour, text.endswith(v.KINDS[found.kind].plural.lower()))
        case "number":
            return NUMBERS[text]
        case "which":
            return tuple(ORDINALS.index(word) + 1 for word in re.findall("|".join(ORDINALS), text))
        case "lettering":
            return text[1:-1].upper()
    return _closed()[slot][text]


@cache
def _closed() -> dict[str, dict[str, Value]]:
    """Every name of a value by slot, the first of each the one that is written."""
    found: dict[str, dict[str, Value]] = {"truth": {"yes": True, "no": False}}
    for slot, table in _TABLES.items():
        article = "a " if slot == "style" else ""
        found[slot] = {article + name: key for key, word in table.items() for name in (word.en, *word.also)}
    return found


_TABLES: Mapping[str, Mapping[str, v.Word]] = {
    "colour": v.COLOURS,
    "relation": v.RELATIONS,
    "light": v.LIGHTS,
    "style": v.STYLES,
    "mood": v.MOODS,
    "surreal": v.SURREALS,
    "sign": v.SIGNS,
}


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return what questions in a wording look like, as `plain` gives them; a slot is a group of its name."""
    pieces = re.split(_SLOT, plain(template))
    nth = f"the (?:{'|'.join(ORDINALS)}) picture"
    open_slots = {
        "be": "(?:is|are)",
        "number": f"(?P<number>{any_of(word for word in NUMBERS if word.isascii())})",
        "which": f"(?P<which>no picture|{nth}(?: and {nth})*)",
        "lettering": '(?P<lettering>"[^"]+")',
    }
    for place in range(1, len(pieces), 2):
        slot = pieces[place]
        if slot in _closed():
            pieces[place] = f"(?P<{slot}>{any_of(_closed()[slot])})"
        else:
            pieces[place] = open_slots.get(slot, f"(?P<{slot}>.+?)")
    for place in range(0, len(pieces), 2):
        pieces[place] = re.escape(pieces[place])
    return re.compile("".join(pieces))


@cache
def _wordings() -> tuple[Wording, ...]:
    found = []
    about: About = "image"
    for line in _BOOK.strip().splitlines():
        if line.startswith("# "):
            about = line[2:]  # type: ignore[assignment]
            continue
        sort, sign, template = line.split(" ", 2)
        found.append(Wording(about, sort, sign == "-", template))  # type: ignore[arg-type]
    return tuple(found)
