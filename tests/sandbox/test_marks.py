"""What OpenCV finds of marks is what scipy finds, which takes long to import."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from stages.sandbox.brush import softened
from stages.sandbox.marks import Marks, areas, closed, depth, filled, grown, opened, pieces

SQUARE = np.ones((3, 3))


def some(seed: int) -> Marks:
    """Marks of any size and density: single pixels, or blots."""
    chance = np.random.default_rng(seed)
    values = chance.random(chance.integers(4, 60, 2))
    return (ndimage.uniform_filter(values, 5) if seed % 2 else values) < chance.choice([0.1, 0.45, 0.55, 0.9])


@pytest.fixture(params=range(16))
def marks(request: pytest.FixtureRequest) -> Marks:
    return some(request.param)


def test_holes_gaps_and_rims(marks: Marks) -> None:
    np.testing.assert_array_equal(filled(marks), ndimage.binary_fill_holes(marks))
    np.testing.assert_array_equal(grown(marks), ndimage.binary_dilation(marks, iterations=2))
    np.testing.assert_array_equal(closed(marks), ndimage.binary_closing(marks, SQUARE, iterations=2))


def test_blocks_that_fit(marks: Marks) -> None:
    for rows, columns in ((1, 1), (2, 3), (3, 2), (4, 7), (9, 1)):
        expected = ndimage.grey_opening(marks.astype(np.uint8), (rows, columns)) > 0
        np.testing.assert_array_equal(opened(marks, rows, columns), expected)


def test_pieces(marks: Marks) -> None:
    labels, number = ndimage.label(marks)
    found = np.bincount(labels.ravel(), minlength=number + 1)[1:]
    assert sorted(areas(marks, 3)) == sorted(found[found >= 3])
    theirs, _ = ndimage.label(marks, SQUARE)
    ours, places = pieces(marks)
    assert sorted(map(repr, places)) == sorted(map(repr, ndimage.find_objects(theirs)))
    for one, place in enumerate(places, start=1):
        other = theirs[ours == one][0]
        np.testing.assert_array_equal(ours[place] == one, theirs[place] == other)
        assert ((ours == one) == (theirs == other)).all()


def test_depth_to_the_last_digit(marks: Marks) -> None:
    marks[0, 0] = False  # without a pixel that is not marked there is no depth
    np.testing.assert_array_equal(depth(marks), ndimage.distance_transform_edt(marks))


@pytest.mark.parametrize("reach", [1, 3, 8])
def test_softened_to_the_last_digit(marks: Marks, reach: int) -> None:
    shades = np.random.default_rng(0).random(marks.shape, np.float32) * marks
    expected = ndimage.uniform_filter(shades, 2 * reach + 1, mode="constant")
    np.testing.assert_array_equal(softened(shades, reach), expected)
