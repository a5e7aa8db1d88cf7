"""What is measured of a picture as grades 0..10."""

from __future__ import annotations

from math import log

from .seeing import Sight

CLEAR = 7  # clarity from which shapes and lettering can be judged
STRONG = 6  # contrast from which lettering can be judged


def grade_of(value: float, bad: float, good: float) -> int:
    """0..10: 3 at `bad`, 9 at `good`, linear between and beyond."""
    return int(min(10, max(0, round(3 + 6 * (value - bad) / (good - bad)))))


def clarity_of(sight: Sight) -> tuple[int, str]:
    """Clarity, 0..10, and what is most against it. Both measures are graded by their logarithms, as eyes do."""
    sharp = grade_of(log(max(sight.sharpness, 0.01)), log(0.207), log(0.687))
    clean = grade_of(-log(1 + sight.noise), -log(16), -log(1.45))
    return min(sharp, clean), "blurred" if sharp < clean else "noisy"


def structure_of(sight: Sight, clear: bool) -> int:
    """How whole the least whole pictogram is, 0..10; in an unclear picture, where shapes cannot be judged, 8."""
    return grade_of(sight.structure, 0.62, 0.99) if clear else 8


def contrast_of(sight: Sight) -> int:
    """Return how far the ink of a sign stands out from its ground, 0..10."""
    return grade_of(sight.contrast, 45, 187)


def reading_of(sight: Sight) -> str:
    return f"the sign reads {sight.transcription!r}" if sight.transcription else "nothing can be read on the sign"
