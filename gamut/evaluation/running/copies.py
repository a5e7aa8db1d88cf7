"""Copies: an answer that is one of the item's pictures, re-encoded or rescaled, is not an answer of its own. Both
pictures are scaled to one size and compared block by block: a picture with a local change, such as a marked choice, is
not a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gamut.asking.requests import Part, Picture
from gamut.evaluation.defining.questions import MeasuredValue, Pictures
from gamut.tables.images import upright_rgb

SIDE, BLOCK = 64, 4
"""Pixels of both sides when pictures are compared, and of a block."""
TOLERANCE = 0.02
"""Largest `unlikeness` of a copy."""


def known_copy(
    answer: Sequence[Part], pictures: Pictures, names: Sequence[str], tolerance: float = TOLERANCE
) -> MeasuredValue | None:
    """Return the value 0 if a picture of an answer copies one of these; None if none does."""
    for made in answer:
        if isinstance(made, Picture):
            for name in names:
                if unlikeness(made.data, pictures[name].data) <= tolerance:
                    return MeasuredValue(0, f"a copy of {name}")
    return None


def unlikeness(copy: bytes, original: bytes) -> float:
    """Return the RMS difference of colours, 0..1, in the block that differs most; 1 for a broken picture."""
    try:
        difference = thumbnail(copy) - cached_thumbnail(original)
    except ValueError:
        return 1.0
    blocks = SIDE // BLOCK
    squared = (difference**2).mean(axis=2).reshape(blocks, BLOCK, blocks, BLOCK).mean(axis=(1, 3))
    return float(np.sqrt(squared.max()))


def thumbnail(data: bytes) -> NDArray[np.float32]:
    """Return colours, 0..1, SIDE pixels high and wide. ValueError for bytes that are not a picture."""
    image = upright_rgb(data).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
    return np.asarray(image, np.float32) / np.float32(255)


@lru_cache(maxsize=64)
def cached_thumbnail(data: bytes) -> NDArray[np.float32]:
    return thumbnail(data)
