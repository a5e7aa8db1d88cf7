"""Marks in a picture, (h, w) and true or false: their pieces, holes, openings and closings.

By OpenCV, where `scipy.ndimage` would do as well: importing that takes as long as starting a stage.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.bool_]
_CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
_SQUARE = np.ones((3, 3), np.uint8)


def piece_areas(marks: Marks, least: float) -> list[int]:
    """Pixels of each piece that has at least so many, in no order. Pieces hang together by their sides."""
    if np.count_nonzero(marks) < least:
        return []
    *_, found, _ = cv2.connectedComponentsWithStats(_bytes(marks), connectivity=4)
    return [area for area in found[1:, cv2.CC_STAT_AREA].tolist() if area >= least]


def label_pieces(marks: Marks) -> tuple[NDArray[np.int32], list[tuple[slice, slice]]]:
    """Return for each pixel the number of its piece, 0 without a mark, and where piece 1, 2, … stands: its rows, its
    columns. Pieces hang together, if only by corners; they are in no order.
    """
    _, labels, found, _ = cv2.connectedComponentsWithStats(_bytes(marks), connectivity=8)
    boxes = found[1:, : cv2.CC_STAT_AREA].tolist()
    return labels, [(slice(y, y + height), slice(x, x + width)) for x, y, width, height in boxes]


def fill_holes(marks: Marks) -> Marks:
    around = np.pad(_bytes(marks), 1)
    cv2.floodFill(around, None, (0, 0), (2,), flags=4)
    return np.asarray(around[1:-1, 1:-1] != 2)


def grow_marks(marks: Marks) -> Marks:
    """Return marks grown by two pixels to the sides."""
    return np.asarray(cv2.dilate(_bytes(marks), _CROSS, iterations=2) > 0)


def close_gaps(marks: Marks) -> Marks:
    """Return marks with gaps of up to four pixels closed; at the rim of the picture they lose two."""
    wide = cv2.dilate(_bytes(marks), _SQUARE, iterations=2)
    return np.asarray(cv2.erode(wide, _SQUARE, iterations=2, borderType=cv2.BORDER_CONSTANT, borderValue=(0,)) > 0)


def open_marks(marks: Marks, rows: int, columns: int) -> Marks:
    """Return what is left of the marks that a block of rows × columns pixels fits into."""
    block = np.ones((rows, columns), np.uint8)
    fits = cv2.erode(_bytes(marks), block, anchor=(columns // 2, rows // 2))
    return np.asarray(cv2.dilate(fits, block, anchor=((columns - 1) // 2, (rows - 1) // 2)) > 0)


def depth(marks: Marks) -> NDArray[np.float64]:
    """Return how far each pixel is from the nearest one that is not marked, in pixels."""
    found = cv2.distanceTransform(_bytes(marks), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.sqrt(np.rint(np.square(found.astype(np.float64))))  # squares are whole: no digit is lost


def _bytes(marks: Marks) -> NDArray[np.uint8]:
    return np.ascontiguousarray(marks).view(np.uint8)
