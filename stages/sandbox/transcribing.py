"""The embedded world as a reader of the lettering in a picture."""

from __future__ import annotations

from collections.abc import Sequence

from .answering import Values
from .grades import CLEAR, STRONG, clarity_of, contrast_of, reading_of
from .looking import look


def find_text(images: Sequence[bytes]) -> Values:
    """Return whether there is lettering that can be read with ease: 0 without a sign, else by contrast and clarity."""
    sight = look("find_text", images)
    if sight.transcription is None:
        return {"reason": "there is no sign in the picture", "transcription": "", "legibility": 0}
    clarity, unclear = clarity_of(sight)
    contrast = contrast_of(sight)
    reason = reading_of(sight)
    if clarity < CLEAR:
        reason += f"; the picture is {unclear}"
    if contrast < STRONG:
        reason += "; ink and ground are nearly alike"
    legibility = min(clarity, contrast) if sight.transcription else 1
    return {"reason": reason, "transcription": sight.transcription, "legibility": legibility}
