"""Reasoning perception: the region that was painted green, compared with the meant one (IoU).

OpenCV is imported inside functions: importing it takes longer than most stages of the benchmark, which do not need it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]
"""A picture: height, width, 3, in RGB."""
Mask = NDArray[np.uint8]
"""A region: height, width. Levels above `INSIDE_LEVEL` belong to it."""
INSIDE_LEVEL = 127
TOLERANCE = 100
"""Levels of 255 by which each channel may differ from pure green."""
LEAST_CHANGE = 32
"""Levels by which a pixel has to come nearer to pure green to count as paint: more than re-encoding changes it."""
AROUND, NEAREST = 5, 3
"""Pixels along the squares around a pixel that are used with it."""
GRAIN = 24
"""Levels by which grain may be nearer to pure green than its surface: fewer than paint needs."""
AT_END = AROUND // 2 + 1
"""Pixels of a line in the square around its end."""
SIDE = 512
"""Pixels along each side to which the released script scales everything."""
MUTED_GREEN = np.array((123, 159, 87))
"""Another green that the released script accepts as paint."""
SMALLEST, SMALLEST_SHARE, SMALL_SHARE = 50, 0.0005, 0.03
"""Regions that the released script drops: below so many pixels, or a share of the picture; then below another share."""


def score(answer: Pixels, question: Pixels, mask: Mask) -> float:
    """Return the intersection of the painted green with the mask, over their union, 0..1. `question`: the input.

    Unlike in `released_score`, paint is what is green now and was less green before. So a lawn is not paint, and
    neither is a frog that has to be found; but painting over them counts. What was pure green before counts nowhere:
    whether it was painted is unknown. Everything is compared at the mask's own size, and every region counts, however
    small. Scaled pixels count by the covered share, so that edges do not jump. Only pure green is paint, as the prompt
    asks: a muted green is near nearly all colours. ValueError if no paint could be right: with an answer that paints
    nothing the overlap is 0/0, and 1 would reward an answer that returns the input.
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
    """Return each pixel's distance from pure green in levels, in the channel that differs most."""
    red, green, blue = np.moveaxis(picture.astype(np.int16), 2, 0)
    return np.maximum(np.maximum(red, blue), 255 - green)


def greenest_around(picture: Pixels) -> NDArray[np.int16]:
    """Return the greenest pixel's distance from pure green around each pixel; for grain the median counts."""
    import cv2

    levels = green_distance(picture).astype(np.uint8)
    median = cv2.erode(cv2.medianBlur(levels, AROUND), np.ones((AROUND, AROUND), np.uint8))
    nearest = cv2.erode(levels, np.ones((NEAREST, NEAREST), np.uint8))
    return np.minimum(np.asarray(median, np.int16), np.asarray(nearest, np.int16) + GRAIN)


def drop_grain(region: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a region without pixels that have fewer of its pixels around them than the end of a thin line has."""
    import cv2

    kind, square = cv2.CV_8U, (AROUND, AROUND)
    around = cv2.boxFilter(region.astype(np.uint8), kind, square, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return region & (np.asarray(around) >= AT_END)


def coverage_at(region: NDArray[np.bool_], height: int, width: int) -> NDArray[np.float32]:
    """Return the covered share of each pixel, 0..1, at another height and width."""
    return np.asarray(Image.fromarray(region.astype(np.float32)).resize((width, height), Image.Resampling.BOX))


def released_score(answer: Pixels, mask: Mask, tolerance: int = TOLERANCE) -> float:
    """Return the IoU at 512², 0..1, without regions below 3 % of the picture; 1 if nothing is left in either."""
    import cv2

    meant = cv2.resize(((mask > INSIDE_LEVEL) * np.uint8(255)), (SIDE, SIDE), interpolation=cv2.INTER_NEAREST) > 0
    small = answer if answer.shape[:2] == (SIDE, SIDE) else cv2.resize(answer, (SIDE, SIDE))
    painted = drop_small_parts(released_region(small, tolerance), int(SMALL_SHARE * SIDE**2)) > 0
    union = np.logical_or(painted, meant).sum()
    return float(np.logical_and(painted, meant).sum() / union) if union else 1.0


def released_region(picture: Pixels, tolerance: int) -> Mask:
    """Return the painted region by the released script: two greens, smoothed, without specks.

    Limits of the muted green are 8-bit numbers that wrap around: from a tolerance of 88 its lower limit is above its
    upper one, and nothing is muted green.
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
    """Return a region without connected parts of fewer pixels. Pixels that touch at a corner are connected."""
    import cv2

    _, labels, figures, _ = cv2.connectedComponentsWithStats(region, connectivity=8)
    kept = figures[:, cv2.CC_STAT_AREA] >= least
    kept[0] = False  # the surroundings
    return np.where(kept[labels], np.uint8(255), np.uint8(0))
