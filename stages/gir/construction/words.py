"""Words for things and numbers in the prompts of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from gamut.project.validation import Strict, read_checked

POOLS = Path(__file__).with_name("pools")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Larger numbers are written in digits."""


class Thing(Strict):
    """A kind of thing. Its singular is its key."""

    plural: str
    group: str


class Things(Strict):
    things: Annotated[dict[str, Thing], Field(min_length=2)]


class Amount(NamedTuple):
    number: int
    thing: str


class Verbatim(str):
    """Words that a sentence contains unchanged."""


Slot = int | str | Verbatim | Amount | Sequence[str] | Sequence[Amount]
"""A number, a kind of thing, something with a name of its own, a number of a kind, or several of these."""


def read_things(folder: Path) -> Mapping[str, Thing]:
    return read_checked(Things, folder / "things.yaml").things


def in_words(slot: Slot, things: Mapping[str, Thing]) -> str:
    """Return a slot in words, with a kind of thing in its plural."""
    if isinstance(slot, Verbatim):
        return slot
    if isinstance(slot, int):
        return NUMBERS[slot] if slot < len(NUMBERS) else str(slot)
    if isinstance(slot, str):
        return things[slot].plural
    if isinstance(slot, Amount):
        return f"{in_words(slot.number, things)} {slot.thing if slot.number == 1 else things[slot.thing].plural}"
    return phrase_of([in_words(one, things) for one in slot])


def phrase_of(names: Sequence[str]) -> str:
    """Return names as one phrase: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
