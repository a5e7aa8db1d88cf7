"""Puzzles of what is written, as cases of an edition (section 3.2)."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from gamut.evaluation.construction.slots import Slots, drawn_case_row, pack_case
from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict, read_checked, require_once
from gamut.texts.names import words_of
from stages.gir.construction.parameters import Params
from stages.gir.construction.words import in_words, phrase_of

SHARED_LETTERS = 3
"""Longest word, in letters, that a clue may share with its text, such as "the"."""
Phrase = Annotated[str, Field(pattern=r"^\S+( \S+)*$")]


class Riddle(Strict):
    clue: Phrase
    text: Phrase

    @model_validator(mode="after")
    def clue_does_not_tell(self) -> Self:
        said_already = set(words_of(self.clue)) & {word for word in words_of(self.text) if len(word) > SHARED_LETTERS}
        if said_already or self.text.casefold() in self.clue.casefold():
            raise ValueError(f"the clue to {self.text!r} contains {', '.join(sorted(said_already)) or 'it'}: reword it")
        return self


class Riddles(Strict):
    """A pool. No clue and no text is in it twice."""

    riddles: Annotated[list[Riddle], Field(min_length=1)]

    @model_validator(mode="after")
    def nothing_twice(self) -> Self:
        require_once(riddle.clue.casefold() for riddle in self.riddles)
        require_once(riddle.text.casefold() for riddle in self.riddles)
        return self


class Lettering(NamedTuple):
    prompt: str
    text: str


def read_riddles(folder: Path) -> list[Riddle]:
    return read_checked(Riddles, folder / "lettering.yaml").riddles


def letterings(seed: int, count: int, riddles: Sequence[Riddle]) -> Iterator[Lettering]:
    if count > len(riddles):
        raise UserError(
            f"{EDITIONS}: gir.drafts.text: {count:,} are expected, lettering.yaml of gir.pools has {len(riddles):,}: "
            "add some there"
        )
    shuffled = random.Random(f"lettering {seed}").sample(riddles, len(riddles))
    return (Lettering(riddle_prompt(riddle), riddle.text) for riddle in islice(shuffled, count))


def riddle_prompt(riddle: Riddle) -> str:
    lengths = [len(word) for word in words_of(riddle.text)]
    words = "one word" if len(lengths) == 1 else f"{in_words(len(lengths), {})} words"
    letters = phrase_of([in_words(length, {}) for length in lengths])
    return (
        f"{riddle.clue} Draw the answer as large lettering, and no other writing: {words} of {letters} letters or "
        "characters."
    )


def draw_lettering(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    cases = letterings(slots.seed(), propose.drafts.text, read_riddles(Path(propose.pools)))
    rows = [
        drawn_case_row("text", number, task="text", prompt=case.prompt, case=pack_case({"lettering": case.text}))
        for number, case in enumerate(cases)
    ]
    slots.write(rows)
