"""Reasoning perception: the region that was painted green, held against the one that was meant (IoU).

OpenCV is imported where it is used: that takes longer than most stages of the benchmark, nearly all of which use none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]
"""A picture: height, width, 3, in RGB."""
Mask = NDArray[np.uint8]
"""A region: height, width, of which what is above `INSIDE_LEVEL` belongs to it."""
INSIDE_LEVEL = 127
TOLERANCE = 100
"""Levels of 255 that each channel may be off pure green."""
LEAST_CHANGE = 32
"""Levels by which a pixel has to come nearer to pure green to be paint: more than coding a picture anew moves it."""
AROUND, NEAREST = 5, 3
"""Pixels along the squares around a pixel that are looked at with it."""
GRAIN = 24
"""Levels by which grain may be nearer to pure green than what it is of: less than paint has to come."""
AT_END = AROUND // 2 + 1
"""Pixels of a line in the square around its end."""
SIDE = 512
"""Pixels along either side, to which the released script scales everything."""
MUTED_GREEN = np.array((123, 159, 87))
"""Another green that the released script takes for paint."""
SMALLEST, SMALLEST_SHARE, SMALL_SHARE = 50, 0.0005, 0.03
"""Regions that the released script drops: below so many pixels, or a share of the picture; then below another share."""


def score(answer: Pixels, question: Pixels, mask: Mask) -> float:
    """Return the intersection of what was painted green with the mask, by their union, 0..1; `question`: the input.

    Unlike `released_score`: paint is what is green now and was not as green before. So a lawn is no paint, and neither
    is a frog that is to be found before it is painted; who paints over them has painted. What was pure green before
    counts nowhere: nobody can tell whether it was painted. Everything is compared at the mask's own size, and every
    region counts, however small; what is scaled counts by how much of a pixel is covered, so that no edge is a cliff.
    Pure green alone is paint, as was asked for: so near a muted green are nearly all colours. ValueError where no paint
    could be right: with an answer that paints nothing overlap is 0/0, and 1 would be a gift to whoever hands back the
    input.
    """
    height, width = mask.shape
    size = answer.shape[1], answer.shape[0]
    of_its_size = np.asarray(Image.fromarray(question).resize(size, Image.Resampling.BILINEAR))
    before, after = greenest_around(of_its_size), green_distance(answer)
    painted = drop_grain((after <= TOLERANCE) & (after + LEAST_CHANGE <= before))
    meant = (mask > INSIDE_LEVEL) * coverage_at(before >= LEAST_CHANGE, height, width)
    if not meant.any():
        raise ValueError("the mask is empty or covers only pure green: there is nothing to paint")
    covered = coverage_at(painted, height, width)
    return float(np.minimum(covered, meant).sum() / np.maximum(covered, meant).sum())


def green_distance(picture: Pixels) -> NDArray[np.int16]:
    """Return how many levels each pixel is off pure green, in the channel that is farthest off."""
    red, green, blue = np.moveaxis(picture.astype(np.int16), 2, 0)
    return np.maximum(np.maximum(red, blue), 255 - green)


def greenest_around(picture: Pixels) -> NDArray[np.int16]:
    """Return by how many levels the greenest around each pixel is off pure green; of grain the median counts."""
    import cv2

    levels = green_distance(picture).astype(np.uint8)
    median = cv2.erode(cv2.medianBlur(levels, AROUND), np.ones((AROUND, AROUND), np.uint8))
    nearest = cv2.erode(levels, np.ones((NEAREST, NEAREST), np.uint8))
    return np.minimum(np.asarray(median, np.int16), np.asarray(nearest, np.int16) + GRAIN)


def drop_grain(region: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a region without pixels that have fewer of it around them than the end of a thin line has."""
    import cv2

    kind, square = cv2.CV_8U, (AROUND, AROUND)
    around = cv2.boxFilter(region.astype(np.uint8), kind, square, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return region & (np.asarray(around) >= AT_END)


def coverage_at(region: NDArray[np.bool_], height: int, width: int) -> NDArray[np.float32]:
    """Return how much of each pixel a region covers, 0..1, at another height and width."""
    return np.asarray(Image.fromarray(region.astype(np.float32)).resize((width, height), Image.Resampling.BOX))


def released_score(answer: Pixels, mask: Mask, tolerance: int = TOLERANCE) -> float:
    """Return the IoU at 512², 0..1, without regions of less than 3 % of the picture; 1 where nothing is left at all."""
    import cv2

    meant = cv2.resize(((mask > INSIDE_LEVEL) * np.uint8(255)), (SIDE, SIDE), interpolation=cv2.INTER_NEAREST) > 0
    small = answer if answer.shape[:2] == (SIDE, SIDE) else cv2.resize(answer, (SIDE, SIDE))
    painted = drop_small_parts(released_region(small, tolerance), int(SMALL_SHARE * SIDE**2)) > 0
    union = np.logical_or(painted, meant).sum()
    return float(np.logical_and(painted, meant).sum() / union) if union else 1.0


def released_region(picture: Pixels, tolerance: int) -> Mask:
    """Return what the released script takes for painted: two greens, smoothed, without specks.

    Ends of the muted green are 8-bit numbers that wrap around: from a tolerance of 88 on its lower end is above its
    upper one, and nothing is muted green any more.
    """
    import cv2

    pure = cv2.inRange(picture, (0, 255 - tolerance, 0), (tolerance, 255, tolerance))
    low, high = (tuple(int(level) for level in end % 256) for end in (MUTED_GREEN - tolerance, MUTED_GREEN + tolerance))
    region = pure | cv2.inRange(picture, low, high)
    region = cv2.morphologyEx(region, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    region = cv2.morphologyEx(region, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    region = drop_small_parts(region, max(SMALLEST, SMALLEST_SHARE * region.size))
    closed: Mask = cv2.morphologyEx(region, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return closed


def drop_small_parts(region: Mask, least: float) -> Mask:
    """Return a region without connected parts of fewer pixels; pixels that touch at a corner are connected."""
    import cv2

    _, labels, figures, _ = cv2.connectedComponentsWithStats(region, connectivity=8)
    kept = figures[:, cv2.CC_STAT_AREA] >= least
    kept[0] = False  # what is around
    return np.where(kept[labels], np.uint8(255), np.uint8(0))
