"""VQA probes: whoever cannot paint what is right may still know which of four texts says it (section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from stages.evaluation.defining.editions import Text

Letter = Literal["A", "B", "C", "D"]
LETTERS: tuple[Letter, ...] = ("A", "B", "C", "D")
ASKS = "Nothing is to be painted now. Which of these is true of a right picture?"
CHOOSE = "Answer with its letter."
MARKUP = re.compile("[*_`]")
CHOICE = re.compile(r"\(?([A-D])(?:[).:]\)?)?(?: (.+))?", re.IGNORECASE)
"""A letter, perhaps in brackets, and the text of an option."""


class Probe(BaseModel):
    """Four different texts, lettered from A, and the letter of the one that is right."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    options: Annotated[tuple[Text, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))]
    right: Letter

    @model_validator(mode="after")
    def _has_four_options(self) -> Self:
        if len({plain(option) for option in self.options}) < len(LETTERS):
            raise ValueError("two options are the same: make each differ")
        if any("\n" in option for option in self.options):
            raise ValueError("an option has several lines: put each in one")
        return self


def probing(text: str, probe: Probe) -> str:
    """Return a context and its instruction, which name their pictures, with the question in the place of a picture."""
    lettered = (f"{letter}) {option}" for letter, option in zip(LETTERS, probe.options, strict=True))
    return "\n".join([text, ASKS, *lettered, CHOOSE])


def is_right(said: str, probe: Probe) -> bool:
    """Return whether an answer chooses the right option; ValueError where it chooses none."""
    return chosen(said, probe.options) == probe.right


def chosen(said: str, options: Sequence[str]) -> str:
    """Return the letter of the option that an answer chooses.

    A letter alone chooses, in brackets or bold as it may be, and so does one before the text of its own option.
    ValueError for all else: several letters, none, reasons, another option's text.
    """
    choice = CHOICE.fullmatch(plain(said))
    if choice is None:
        raise ValueError(f"one of the letters {', '.join(LETTERS)} is wanted, and nothing else")
    letter, text = choice[1].upper(), choice[2]
    if text is not None and text != plain(options[ord(letter) - ord(LETTERS[0])]):
        raise ValueError(f"behind the letter {letter} stands another text than that of its option")
    return letter


def plain(text: str) -> str:
    """Return a text in small letters with single blanks, without marks of bold type and full stops at its end."""
    return " ".join(MARKUP.sub("", text).split()).rstrip(".").lower()
