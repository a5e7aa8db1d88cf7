"""Puzzles in words into the plain prompts that they mean; what is no puzzle stays as it is."""

from __future__ import annotations

import random

from . import clues, placings, quantities
from .descriptions import named_plainly

_LONGEST = 2_000
"""Characters of a text that may be a puzzle."""


def work_out(text: str, rate: float, rng: random.Random) -> str:
    """Return what a puzzle of numbers, places or lettering, or a description, asks for in plain words, solved wrongly
    at a rate of 0..1; another text as it is, without drawing from `rng`.
    """
    if len(text) > _LONGEST:
        return text
    for puzzle in (quantities, placings, clues):
        if (plain := puzzle.solved(text, rate, rng)) is not None:
            return plain
    return named_plainly(text, rate, rng)
