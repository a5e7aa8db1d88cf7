"""Texts and pictures given in order, and the scenes that texts tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .captions import understand
from .reading import translate
from .scene import Scene

Parts = Sequence[str | bytes]
"""Texts and encoded pictures in order."""
Enclosed = Mapping[str, Parts]
"""Blocks of material by their names."""
LONGEST = 10_000
"""Characters of a text that is read for scenes; the longest captions of the world have a third of that."""


def texts_of(parts: Parts) -> list[str]:
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


def pictures_of(parts: Parts) -> list[bytes]:
    return [part for part in parts if isinstance(part, bytes)]


def tellings(text: str) -> list[Scene]:
    """Return the scenes that a text tells: as a whole, or else each sentence that tells one. What else it says, such as
    an instruction, is left.
    """
    if len(text) > LONGEST:
        return []
    whole = understand(text)
    if whole is not None:
        return [whole]
    lines = [line.strip() for line in re.split(r"(?<=[.!?:])\s+|(?<=[。！？])|\n+", text) if line.strip()]
    known = understand(" ".join(line for line in lines if _readable(line)))
    return [known] if known is not None else [scene for line in lines if (scene := understand(line)) is not None]


def _readable(line: str) -> bool:
    return any(translate(line, source, target) is not None for source, target in (("en", "zh"), ("zh", "en")))
