"""Whether two drawn pictures show the same, however they are encoded: marked options, and outcomes place by place."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

_LONG = 320
"""Pixels of the longer side of a picture as it is compared."""
_PLACE = 8
"""Pixels of a place, of these."""
_OTHER = 40.0
"""By how many levels, on average over a place, two pictures differ where they show something else there."""
_SHAPE = 0.03
"""By which share the forms of two pictures may differ."""
_COLOURED = 70
"""By how many levels the channels of what is marked in colour differ."""
_SPECKS = 0.0005
"""Share of a page that may be coloured without a mark."""
_COVERED = 0.6
"""Share of two boxes together that both cover, where they mark the same."""
_UNLIT = 8.0
"""Levels by which one picture may be lighter than the other as a whole."""


def same_outcome(answer: Image.Image, reference: Image.Image) -> str | None:
    """Return None where two pictures, RGB, show the same in all places, else why they do not."""
    if not _of_one_form(answer, reference):
        return "the answer has another form"
    one, other = _small(answer), _small(reference)
    return _differing(one, other)


def same_mark(answer: Image.Image, reference: Image.Image) -> str | None:
    """Return None where two pages, RGB, without colours of their own, say the same and the same is marked in colour,
    else why not.
    """
    if not _of_one_form(answer, reference):
        return "the answer has another form"
    wanted, found = _mark(reference), _mark(answer)
    if wanted is None or found is None:
        return "nothing is marked"
    across, down = (max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a, b in zip(wanted, found, strict=True))
    areas = [np.prod([end - start for start, end in box]) for box in (wanted, found)]
    if across * down < _COVERED * (sum(areas) - across * down):
        return "something else is marked"
    return _differing(*(_small(_without_colour(page)) for page in (answer, reference)))


def is_marked(reference: Image.Image, question: Image.Image) -> bool:
    """Return whether a reference, RGB, is its question with something marked: the one coloured, the other not."""
    return _mark(reference) is not None and _mark(question) is None


def _of_one_form(one: Image.Image, other: Image.Image) -> bool:
    return abs(one.width * other.height / (one.height * other.width) - 1) <= _SHAPE


def _small(image: Image.Image) -> NDArray[np.float32]:
    scale = _LONG / max(image.size)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    small = image.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    return np.asarray(cv2.GaussianBlur(np.asarray(small, np.float32), (0, 0), 1.0), np.float32)


def _differing(one: NDArray[np.float32], other: NDArray[np.float32]) -> str | None:
    height, width = (min(a, b) for a, b in zip(one.shape[:2], other.shape[:2], strict=True))
    apart = one[:height, :width] - other[:height, :width]
    whole = np.clip(np.median(apart, axis=(0, 1)), -_UNLIT, _UNLIT)
    places = cv2.blur(np.abs(apart - whole).max(2), (_PLACE, _PLACE))
    y, x = np.unravel_index(int(places.argmax()), places.shape)
    if places[y, x] <= _OTHER:
        return None
    return (
        f"the answer shows something else at {100 * x // width} % of its width and {100 * y // height} % of its height"
    )


def _mark(image: Image.Image) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return where what is coloured begins and ends, in shares of width and height; None where nothing is."""
    coloured = np.ptp(np.asarray(image, np.int16), axis=2) > _COLOURED
    if coloured.mean() < _SPECKS:
        return None
    found = []
    for axis, side in ((0, image.width), (1, image.height)):
        counts = np.cumsum(coloured.sum(axis)) / coloured.sum()
        found.append((np.searchsorted(counts, 0.002) / side, (np.searchsorted(counts, 0.998) + 1) / side))
    return (float(found[0][0]), float(found[0][1])), (float(found[1][0]), float(found[1][1]))


def _without_colour(page: Image.Image) -> Image.Image:
    """Return a page with what is coloured as white as its lightest channel is light."""
    light = np.asarray(page).max(2)
    return Image.fromarray(np.repeat(light[..., None], 3, axis=2))
