"""How things and numbers are said in the prompts of cases, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field

from stages.project.validation import Strict, read_yaml, validated

POOLS = Path(__file__).with_name("pools")
WORLD_POOLS = POOLS / "world"
"""What the embedded world can paint."""
SENTENCES = POOLS / "sentences.yaml"
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""English words; larger numbers stand in digits, as all do in Chinese."""


class Said(Strict):
    """The same in both languages: a name, or a sentence with slots."""

    en: str
    zh: str

    def within(self, language: Language) -> str:
        """Return it in a language."""
        return str(getattr(self, language))


class Thing(Strict):
    """A kind of thing; its English singular is its key. `measure`: what Chinese puts between a number and it."""

    plural: str
    zh: str
    measure: str
    group: str


class Things(Strict):
    """What can be painted, by English singular."""

    things: Annotated[dict[str, Thing], Field(min_length=2)]


class Amount(NamedTuple):
    """So many things of a kind."""

    number: int
    thing: str


Slot = int | str | Said | Amount | Sequence[str] | Sequence[Said] | Sequence[Amount]
"""A number, a kind of thing, what has a name of its own, so many of a kind, or several of these."""
Prompts = Mapping[Language, str]


def read_things(folder: Path) -> Mapping[str, Thing]:
    """Read the things of a folder of pools; UserError for a file that is malformed."""
    path = folder / "things.yaml"
    return validated(Things, read_yaml(path), path).things


def prompts_of(sentences: Sequence[tuple[Said, Mapping[str, Slot]]], things: Mapping[str, Thing]) -> Prompts:
    """Return sentences with their slots filled as one text, in every language."""
    told_in = {
        language: [told(sentence, language, things, slots) for sentence, slots in sentences] for language in LANGUAGES
    }
    return {"en": " ".join(told_in["en"]), "zh": "".join(told_in["zh"])}


def told(sentence: Said, language: Language, things: Mapping[str, Thing], slots: Mapping[str, Slot]) -> str:
    """Return a sentence with its slots filled."""
    return sentence.within(language).format(**{name: said(slot, language, things) for name, slot in slots.items()})


def said(slot: Slot, language: Language, things: Mapping[str, Thing]) -> str:
    """Return a slot in words; a kind of thing in its plural."""
    if isinstance(slot, Said):
        return slot.within(language)
    if isinstance(slot, int):
        return NUMBERS[slot] if language == "en" and slot < len(NUMBERS) else str(slot)
    if isinstance(slot, str):
        return things[slot].plural if language == "en" else things[slot].zh
    if isinstance(slot, Amount):
        thing = things[slot.thing]
        if language == "zh":
            return f"{slot.number}{thing.measure}{thing.zh}"
        return f"{said(slot.number, language, things)} {slot.thing if slot.number == 1 else thing.plural}"
    return joined([said(one, language, things) for one in slot], language)


def joined(names: Sequence[str], language: Language) -> str:
    """Return names as one phrase: a, b and c."""
    mark, last = (", ", " and ") if language == "en" else ("、", "和")
    return last.join(filter(None, [mark.join(names[:-1]), names[-1]]))
