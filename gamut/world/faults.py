"""The faults that the world's painter can inject, each at a rate of its own and as strong as it happens to be.

A fault that comes in degrees has a *limit of visibility*, in a unit of its own: from there on who looks is asked to
see it, and the truth calls the picture faulty. Strengths are multiples of it. The judge knows no limit.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

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


def visible(faults: Mapping[str, float]) -> frozenset[str]:
    return frozenset(name for name, strength in faults.items() if strength > 1 or name in _WHOLE)
