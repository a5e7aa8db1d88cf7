"""Misspelt lettering: from a letter in the place of one that hardly differs, to letters that are missing."""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np

from .signs import letter_mask
from .vocabulary import LETTERING, LETTERING_ZH, WORDS

_LATIN = string.ascii_uppercase + "0568"
_CHINESE = "".join(dict.fromkeys("".join(LETTERING_ZH)))
_LEAST = 0.02
"""Share of a letter's ink; what differs by less looks the same."""


def misspell(text: str, size: float) -> str:
    """Return the text with its longest word misspelt into none of the vocabulary.

    Of all slips the one whose size (see `misspellings`) is nearest is taken, of several the first by the alphabet.
    """
    found = misspellings(text)
    return min(found, key=lambda slip: (abs(found[slip] - size), slip))


@lru_cache(maxsize=256)
def misspellings(text: str) -> Mapping[str, float]:
    """Return the text with each slip that its longest word can have, and the size of the slip: the share of one
    letter's ink by which it differs from the right one.

    A letter in the place of another has up to 1, an exchange of two that of both, a letter too few or too many 1.
    """
    words = text.split()
    where = max(range(len(words)), key=lambda k: len(words[k]))
    found = {}
    for slip, size in _slips(words[where]).items():
        result = " ".join([*words[:where], slip, *words[where + 1 :]])
        if size >= _LEAST and slip not in WORDS and result not in LETTERING + LETTERING_ZH:
            found[result] = size
    return found


def _slips(word: str) -> dict[str, float]:
    letters = _LATIN if word.isascii() else _CHINESE
    found = {}
    for k, right in enumerate(word):
        for wrong in letters:
            found[word[:k] + wrong + word[k + 1 :]] = unlikeness(right, wrong)
        found[word[:k] + right + word[k:]] = 1.0
        if len(word) > 1:
            found[word[:k] + word[k + 1 :]] = 1.0
    for k in range(1, len(word)):
        found[word[: k - 1] + word[k] + word[k - 1] + word[k + 1 :]] = 2 * unlikeness(word[k - 1], word[k])
    return found


@cache
def unlikeness(one: str, other: str) -> float:
    """Return which share of the ink of two letters, laid upon each other by their middles, is not common to both."""
    first, second = letter_mask(one), letter_mask(other)
    return float(np.abs(first - second).sum() / max(float(np.maximum(first, second).sum()), 1.0))
