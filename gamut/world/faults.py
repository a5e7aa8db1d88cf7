"""The faults that the world's painter can inject, each at a rate of its own and as strong as it happens to be.

A fault that comes in degrees has a *limit of visibility*, in a unit of its own: from there on who looks is asked to
see it, and the truth calls the picture faulty. Strengths are multiples of it. The judge knows no limit.
"""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np

from .scene import Scene
from .signs import letter_mask
from .vocabulary import LETTERING, LETTERING_ZH, WORDS

FAULTS = ("wrong_count", "swapped_relation", "misspelt_lettering", "low_contrast", "blur", "noise", "distortion")
_WHOLE = ("wrong_count", "swapped_relation")
"""Those that come in no degrees: they are there or not."""

BLUR = 1.0
"""Standard deviation of a Gaussian blur, in pixels."""
NOISE = 4.0
"""Standard deviation of the noise of a pixel, in grey levels."""
SHIFT = 0.04
"""By how much the slices of a broken pictogram are shifted on average, as a share of its size."""
CONTRAST = 110.0
"""Grey levels between ink and ground of lettering; what has less is faint, so a strength divides it."""
MISSPELLING = 0.35
"""Share of the ink of one letter by which a misspelt word differs from the right one."""

WEAKEST, STRONGEST = 0.5, 4.0
"""Between these a drawn strength lies, its logarithm anywhere alike: a third of all faults stays below the limit."""


def draw_strength(rng: random.Random) -> float:
    return WEAKEST * (STRONGEST / WEAKEST) ** rng.random()


def visible_faults(faults: Mapping[str, float]) -> frozenset[str]:
    return frozenset(name for name, strength in faults.items() if strength > 1 or name in _WHOLE)


def applicable_faults(scene: Scene) -> tuple[str, ...]:
    """Return the faults that a picture of this scene can have, in the order of FAULTS."""
    needs = {
        "wrong_count": bool(scene.groups),
        "distortion": bool(scene.groups),
        "swapped_relation": scene.relation is not None,
        "misspelt_lettering": scene.lettering is not None,
        "low_contrast": scene.lettering is not None,
    }
    return tuple(fault for fault in FAULTS if needs.get(fault, True))


def draw_faults(scene: Scene, rates: Mapping[str, float], rng: random.Random) -> dict[str, float]:
    """Draw each applicable fault at its rate, 0..1; of several one stays, drawn at random. Value: its strength."""
    unknown = set(rates) - set(FAULTS)
    if unknown:
        raise ValueError(f"unknown faults {sorted(unknown)}; the world knows {', '.join(FAULTS)}")
    possible = applicable_faults(scene)
    drawn = [fault for fault in FAULTS if rng.random() < rates.get(fault, 0.0) and fault in possible]
    if not drawn:
        return {}
    fault, strength = rng.choice(drawn), draw_strength(rng)
    if fault == "misspelt_lettering" and scene.lettering:  # words have few slips: the nearest is as strong as it is
        slip = misspell(scene.lettering, MISSPELLING * strength)
        strength = misspellings(scene.lettering)[slip] / MISSPELLING
    return {fault: strength}


def painted_lettering(scene: Scene, faults: Mapping[str, float]) -> str:
    """Return what a sign carries letter by letter, misspelt or not; "" without one."""
    if scene.lettering is None or "misspelt_lettering" not in faults:
        return scene.lettering or ""
    return misspell(scene.lettering, MISSPELLING * faults["misspelt_lettering"])


_LATIN = string.ascii_uppercase + "0568"
_CHINESE = "".join(dict.fromkeys("".join(LETTERING_ZH)))
_LEAST = 0.02
"""Share of a letter's ink; what differs by less looks the same."""


def misspell(text: str, size: float) -> str:
    """Misspell the longest word into none of the vocabulary, by the slip whose size (see `misspellings`) is nearest; of
    several the first by the alphabet.
    """
    found = misspellings(text)
    return min(found, key=lambda slip: (abs(found[slip] - size), slip))


@lru_cache(maxsize=256)
def misspellings(text: str) -> Mapping[str, float]:
    """The text with each slip that its longest word can have, and the slip's size: by which share of one letter's ink
    it differs from the right one. A letter in the place of another has up to 1, an exchange of two that of both, a
    letter too few or too many 1.
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
def unlikeness(letter: str, other: str) -> float:
    """Return which share of the ink of two letters, laid upon each other by their middles, is not common to both."""
    first, second = letter_mask(letter), letter_mask(other)
    return float(np.abs(first - second).sum() / max(float(np.maximum(first, second).sum()), 1.0))
