"""Multiple choice as a picture, computed by rule. The reference has the right option in a coloured box (2.2)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image

from gamut.evaluation.construction.drawing import font_of
from gamut.tables.images import as_png
from stages.gapeval.construction.cases import INK, MARK, WIDTH, Case, empty_sheet, wrap_text
from stages.gapeval.construction.questions import EXERCISES, WRONG_OPTIONS

LETTERS = "ABCDEFGHIJ"
TEXT = 26
"""Size of the font in pixels: readers of whole pages read it without mistakes."""
LINE, GAP, MARGIN = 38, 22, 32
"""Pixels from line to line, between paragraphs, and around the page."""
INDENT = 44
"""Pixels from an option's letter to its text."""


def page(question: str, options: Sequence[str], marked: int | None = None, diagram: Image.Image | None = None) -> bytes:
    question_lines = wrap_text(question, TEXT, WIDTH - 2 * MARGIN)
    answers = [wrap_text(option, TEXT, WIDTH - 2 * MARGIN - INDENT) for option in options]
    top = diagram.height if diagram else MARGIN
    height = top + LINE * (len(question_lines) + sum(map(len, answers))) + GAP * len(answers) + MARGIN
    image, draw = empty_sheet(WIDTH, height)
    font = font_of(TEXT)
    if diagram:
        image.paste(diagram, (0, 0))
    for line in question_lines:
        draw.text((MARGIN, top), line, font=font, fill=INK)
        top += LINE
    for number, lines in enumerate(answers):
        top += GAP
        if number == marked:
            box = (MARGIN - 14, top - 8, WIDTH - MARGIN + 14, top + LINE * len(lines) + 1)
            draw.rectangle(box, outline=MARK, width=5)
        draw.text((MARGIN, top), f"{LETTERS[number]})", font=font, fill=INK)
        for line in lines:
            draw.text((MARGIN + INDENT, top), line, font=font, fill=INK)
            top += LINE
    return as_png(image)


QUESTION = "The picture asks a question and gives its options. Which option is right? Answer with its letter and text."
PROMPT = (
    "The picture asks a question and gives its options. Return the same picture with a coloured box around the right "
    "option, and leave everything else as it is."
)


class Choice(NamedTuple):
    """A question with its options. `right`: the place of the right one, from 0. `proof`: how it was computed."""

    question: str
    options: tuple[str, ...]
    right: int
    proof: str

    @property
    def right_option(self) -> str:
        """Return the right option as it is on the page: `C) 42`."""
        return f"{LETTERS[self.right]}) {self.options[self.right]}"


def sameness(choice: Choice) -> tuple[str, frozenset[str]]:
    """Return a key that is equal for the same question: its words and options, in any order."""
    return choice.question, frozenset(choice.options)


def draw_choice(chance: random.Random) -> Choice | None:
    made = chance.choice(EXERCISES)(chance)
    if made is None:
        return None
    enough = len({made.right, *made.wrong}) == 1 + WRONG_OPTIONS
    return shuffle_options(made.question, made.right, made.wrong, made.proof, chance) if enough else None


def shuffle_options(question: str, right: str, wrong: Sequence[str], proof: str, chance: random.Random) -> Choice:
    options = chance.sample([right, *wrong], len(wrong) + 1)
    return Choice(question, tuple(options), options.index(right), proof)


def choice_case(choice: Choice) -> Case:
    pictures = (page(choice.question, choice.options),)
    reference = page(choice.question, choice.options, choice.right)
    return Case("choice", QUESTION, PROMPT, pictures, choice.right_option, reference, choice.proof)
