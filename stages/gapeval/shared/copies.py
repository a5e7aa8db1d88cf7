"""Near-copies: an answer that is the reference, or a question's picture, is no answer of its own (appendix F, table 5).

Computed from pixels, where the released instructions leave it to the judge. Both pictures are brought to one size,
turned and mirrored, freed of plain frames and shifted onto each other; gain and offset of each channel are fitted. A
copy is like its original in every block of the picture: what differs in a single place, such as a marked choice or one
thing added, is none. OpenCV is imported where it is used: that takes longer than most stages of the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stages.asking.requests import Part, Picture
from stages.evaluation.defining.inquiries import Judged, Pictures
from stages.tables.images import upright_rgb

Pixels = NDArray[np.float32]
"""Of shape (height, width, 3), 0..1."""
SIDE = 128
"""Pixels of both sides in which pictures are compared, whatever their form."""
BLOCK = 8
"""Pixels of both sides of a block."""
GAIN, OFFSET = (0.8, 1.25), 0.1
"""How much brighter or darker a copy may be: what is darker than that, such as a night, may have been asked for."""
LEAST_ALIKE = 0.5
"""Correlation of coarse greys below which nobody tries to shift one picture onto the other."""
LEAST_LEFT = 0.75
"""Share of the picture that has to be left where one was shifted onto the other."""
PLAIN, BLURRED = 24, 0.01
"""Range of the colours, 0..255, within a line of a plain frame; the share of a side that it may run into the picture.
"""
TURNS = [(quarters, mirrored) for quarters in range(4) for mirrored in (False, True)]
"""By how many quarters a picture may have been turned, and whether it was mirrored."""


def known_copy(answer: Sequence[Part], pictures: Pictures, names: Sequence[str], tolerance: float) -> Judged | None:
    """Return that an answer is worth nothing, as its picture is a copy of one of the item's pictures of these names;
    None where it is none. What cannot be decoded is a copy of nothing.
    """
    for made in answer:
        if isinstance(made, Picture):
            for name in names:
                if unlikeness(made.data, pictures[name].data) <= tolerance:
                    return Judged(0, f"a copy of {name}")
    return None


def unlikeness(made: bytes, original: bytes) -> float:
    """Return how unlike a picture is to an original, 0..1, 0 for the same: the root mean square difference of their
    colours in the block where they differ most, in the position in which that is least; 1 where one is no picture.
    """
    try:
        of_made, of_original = forms(made), forms_of_original(original)
    except ValueError:
        return 1.0
    return min(unlike(one, other) for one in of_made for other in of_original)


def unlike(made: Pixels, original: Pixels) -> float:
    """Return how unlike what was made is to an original in one form of each, as `unlikeness` has it."""
    coarse_made, coarse_original = coarse(made), coarse(original)
    alike = {turn: correlation(coarse_made, turned(coarse_original, turn)) for turn in TURNS}
    best = max(alike, key=lambda turn: alike[turn])
    found = [worst_block(made, turned(original, turn)) for turn in {TURNS[0], best}]
    if alike[best] > LEAST_ALIKE and (shifted := aligned(made, turned(original, best))) is not None:
        found.append(worst_block(made, *shifted))
    return min(found)


@lru_cache(maxsize=64)
def forms_of_original(data: bytes) -> tuple[Pixels, ...]:
    """Return the forms of a picture that is looked at beside every answer."""
    return forms(data)


def forms(data: bytes) -> tuple[Pixels, ...]:
    """Return a picture SIDE pixels high and wide, and once more without its plain frame where it has one; ValueError
    for what is no picture.
    """
    image = upright_rgb(data)
    inside = without_frame(image)
    return (small(image),) if inside.size == image.size else (small(image), small(inside))


def small(image: Image.Image) -> Pixels:
    """Return an image's colours SIDE pixels high and wide."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float32) / np.float32(255)


def without_frame(image: Image.Image) -> Image.Image:
    """Return an image without the lines of one colour at its edges, and a little more where there are any, as lossy
    formats blur where they end; as it is where nothing else would be left.
    """
    pixels = np.asarray(image)
    kept = [np.flatnonzero((np.ptp(pixels, axis=across) > PLAIN).any(axis=1)) for across in (0, 1)]
    sides = list[tuple[int, int]]()
    for lines, length in zip(kept, image.size, strict=True):
        if len(lines) < length / 2:
            return image
        more = max(1, round(BLURRED * length))
        first, last = int(lines[0]), int(lines[-1]) + 1
        sides.append((first + more if first else 0, last - more if last < length else length))
    (left, right), (top, bottom) = sides
    return image.crop((left, top, right, bottom))


def turned(pixels: NDArray[np.float32], turn: tuple[int, bool]) -> NDArray[np.float32]:
    """Return a picture turned by quarters, and then mirrored or not."""
    quarters, mirrored = turn
    found = np.rot90(pixels, quarters)
    return np.ascontiguousarray(found[:, ::-1] if mirrored else found)


def worst_block(made: Pixels, original: Pixels, seen: NDArray[np.bool_] | None = None) -> float:
    """Return the root mean square difference of the colours in the block where it is greatest, once the original is as
    bright as what was made of it; `seen` (height, width): where both are there.
    """
    import cv2

    where = np.ones(made.shape[:2], bool) if seen is None else seen
    difference = (made - as_bright(original, made, where)) * where[..., np.newaxis]
    squared = (cv2.GaussianBlur(difference, (0, 0), 1) ** 2).mean(axis=2) * where  # half a pixel matters less then
    blocks = SIDE // BLOCK
    sums, counts = (
        values.reshape(blocks, BLOCK, blocks, BLOCK).sum(axis=(1, 3)) for values in (squared, where.astype(np.float32))
    )
    whole = counts >= BLOCK * BLOCK / 2
    return float(np.sqrt((sums[whole] / counts[whole]).max()))


def as_bright(original: Pixels, made: Pixels, where: NDArray[np.bool_]) -> Pixels:
    """Return an original with gain and offset of each channel fitted by least squares to what was made of it, within
    GAIN and OFFSET; what is black or white in that says nothing of them.
    """
    fitted = np.empty_like(original)
    for channel in range(3):
        telling = where & (made[..., channel] > 0.01) & (made[..., channel] < 0.99)
        if telling.sum() < BLOCK * BLOCK:
            telling = where
        x, y = original[..., channel][telling], made[..., channel][telling]
        mean_x, mean_y = float(x.mean()), float(y.mean())
        spread, together = float(np.dot(x - mean_x, x - mean_x)), float(np.dot(x - mean_x, y - mean_y))
        gain = min(max(together / spread, GAIN[0]), GAIN[1]) if spread > 1e-3 else 1.0
        offset = min(max(mean_y - gain * mean_x, -OFFSET), OFFSET)
        fitted[..., channel] = np.clip(gain * original[..., channel] + offset, 0, 1)
    return fitted


def coarse(pixels: Pixels) -> NDArray[np.float32]:
    """Return the mean grey of each block."""
    import cv2

    blocks = SIDE // BLOCK
    return cv2.resize(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (blocks, blocks), interpolation=cv2.INTER_AREA)


def correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return how far two greys rise and fall together, -1..1; 0 where one does neither."""
    first, second = one - one.mean(), other - other.mean()
    length = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / length if length > 1e-6 else 0.0


def aligned(made: Pixels, original: Pixels) -> tuple[Pixels, NDArray[np.bool_]] | None:
    """Return an original shifted and stretched onto what was made of it, and where it is there; None where that finds
    no place, or too little of it is left.
    """
    import cv2

    grey = [cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for pixels in (made, original)]
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-5)
    start = np.eye(2, 3, dtype=np.float32)
    try:
        _, warp = cv2.findTransformECC(grey[0], grey[1], start, cv2.MOTION_AFFINE, stop, None, 5)
    except cv2.error:  # they do not come together
        return None
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(original, warp, (SIDE, SIDE), flags=flags)
    there = cv2.warpAffine(np.ones((SIDE, SIDE), np.float32), warp, (SIDE, SIDE), flags=flags) > 0.999
    return (moved.astype(np.float32), there) if there.mean() >= LEAST_LEFT else None
