"""What OpenCV finds of marks is what scipy finds, which takes long to import."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal as same
from scipy import ndimage

from gamut.world.brush import soften
from gamut.world.marks import close_gaps, depth, fill_holes, grow_marks, label_pieces, open_marks, piece_areas

SQUARE = np.ones((3, 3))


@pytest.mark.parametrize("seed", range(16))
def test_marks_of_any_size_and_density(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.random(chance.integers(4, 60, 2))
    marks = (ndimage.uniform_filter(values, 5) if seed % 2 else values) < chance.choice([0.1, 0.45, 0.55, 0.9])
    same(fill_holes(marks), ndimage.binary_fill_holes(marks))
    same(grow_marks(marks), ndimage.binary_dilation(marks, iterations=2))
    same(close_gaps(marks), ndimage.binary_closing(marks, SQUARE, iterations=2))
    for block in ((1, 1), (2, 3), (3, 2), (4, 7), (9, 1)):
        same(open_marks(marks, *block), ndimage.grey_opening(marks.astype(np.uint8), block) > 0)
    labels, number = ndimage.label(marks)
    found = np.bincount(labels.ravel(), minlength=number + 1)[1:]
    assert sorted(piece_areas(marks, 3)) == sorted(found[found >= 3])
    theirs, _ = ndimage.label(marks, SQUARE)
    ours, places = label_pieces(marks)
    assert sorted(map(repr, places)) == sorted(map(repr, ndimage.find_objects(theirs)))
    for one in range(1, len(places) + 1):
        same(ours == one, theirs == theirs[ours == one][0])
    for reach in (1, 3, 8):
        shades = np.random.default_rng(0).random(marks.shape, np.float32) * marks
        same(soften(shades, reach), ndimage.uniform_filter(shades, 2 * reach + 1, mode="constant"))
    marks[0, 0] = False  # without a pixel that is not marked there is no depth
    same(depth(marks), ndimage.distance_transform_edt(marks))
