"""Perception: each case with what the released formula makes of it, and what is right.

Squares of 512 pixels a side unless said otherwise, so that released scales nothing: 3 % of it are 7,864 pixels.
"""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from stages.gir.shared.measures.overlap import Mask, Pixels, released_score, score
from tests.gir.measures.observed import picture

GREEN = (0, 255, 0)
SKY, GREY = (90, 140, 250), (120, 120, 120)
Box = tuple[int, int, int, int]
"""Left, top, right, bottom."""


def mask_of(box: Box, side: int = 512) -> Mask:
    return painted(box, (255, 255, 255), side, (0, 0, 0))[..., 0]


def painted(
    box: Box, colour: tuple[int, int, int] = GREEN, side: int = 512, around: tuple[int, int, int] = GREY
) -> Pixels:
    found = picture(side, around)
    left, top, right, bottom = box
    found[top:bottom, left:right] = colour
    return found


def scored(answer: Pixels, mask: Mask) -> float:
    return score(answer, np.full_like(answer, answer[-1, -1]), mask)


MEANT = (100, 100, 300, 300)  # 40,000 pixels
LITTLE = (100, 100, 180, 190)  # 80 · 90 = 7,200 pixels, 2.7 %

CASES = {
    # answer, mask, released, right
    "just so": (painted(MEANT), mask_of(MEANT), 1, 1),
    "nothing painted": (picture(512), mask_of(MEANT), 0, 0),
    "half of it": (painted((100, 100, 200, 300)), mask_of(MEANT), 0.5, 0.5),
    "another region": (painted((301, 301, 501, 501)), mask_of(MEANT), 0, 0),
    # 204 · 204 = 41,616: 40,000 / 41,616. What is smoothed keeps its corners
    "grown by two pixels": (painted((98, 98, 302, 302)), mask_of(MEANT), 40_000 / 41_616, 40_000 / 41_616),
    # below 3 % nothing is left of it: 0 / 7,200. It is just what was asked for
    "a little region": (painted(LITTLE), mask_of(LITTLE), 0, 1),
    # 90 · 90 = 8,100 pixels are above 7,864: the cliff
    "a little more": (painted((100, 100, 190, 190)), mask_of((100, 100, 190, 190)), 1, 1),
    # a level of 100 off is green, of 101 is none
    "nearly too pale": (painted(MEANT, (100, 155, 100)), mask_of(MEANT), 1, 1),
    "too pale": (painted(MEANT, (101, 155, 100)), mask_of(MEANT), 0, 0),
    "sky is no paint": (painted(MEANT, GREEN, around=SKY), mask_of(MEANT), 1, 1),
}


@pytest.mark.parametrize(("answer", "mask", "as_released", "right"), CASES.values(), ids=CASES)
def test_both_forms(answer: Pixels, mask: Mask, as_released: float, right: float) -> None:
    assert released_score(answer, mask) == pytest.approx(as_released)
    assert scored(answer, mask) == pytest.approx(right)


def test_a_tolerance_of_100_wraps_around() -> None:
    """The muted green 123, 159, 87. At 50 its ends are 73..173, 109..209, 37..137: what is painted with it is paint. At
    100 blue would begin at 87 - 100 = -13, which is 243 in 8 bits, above its upper end 187: nothing is muted green,
    and the first green takes none of it (red 123 > 100). At 87 blue begins at 0, at 88 at 255.
    """
    muted = painted(MEANT, (123, 159, 87), around=SKY)
    assert [released_score(muted, mask_of(MEANT), tolerance) for tolerance in (50, 87, 88, 100)] == [1, 1, 0, 0]
    # As long as nothing wraps, grey is paint too: 40,000 of 512² pixels are meant.
    grey = picture(512, GREY)
    assert released_score(grey, mask_of(MEANT), 50) == pytest.approx(40_000 / 512**2)
    assert scored(grey, mask_of(MEANT)) == scored(muted, mask_of(MEANT)) == 0  # asked for was pure green


def test_an_empty_union() -> None:
    """Nothing meant and nothing painted is 1 as released, also where 3 % swallow what was painted. A mask of nothing is
    no case: 0 / 0.
    """
    nothing = mask_of((0, 0, 0, 0))
    assert released_score(picture(512), nothing) == released_score(painted(LITTLE), nothing) == 1
    for answer in (picture(512), painted(LITTLE)):
        with pytest.raises(ValueError, match="the mask is empty"):
            scored(answer, nothing)


def test_a_thin_mask_that_scaling_loses() -> None:
    """Of 2,048 columns released takes each fourth, from 0 on: of column 1 it sees nothing, and gives the input 1."""
    mask = mask_of((1, 0, 2, 2048), 2048)
    assert released_score(picture(512), mask) == 1
    assert scored(picture(512), mask) == 0


def test_answers_at_another_size() -> None:
    """A region of 200 x 200 in 512 is 400 x 400 in 1,024, and 100 x 100 in 256: the same shares of the picture."""
    twice, half = painted((200, 200, 600, 600), side=1024), painted((50, 50, 150, 150), side=256)
    assert scored(twice, mask_of(MEANT)) == scored(half, mask_of(MEANT)) == 1
    # An edge in the middle of a pixel: columns 100 to 299 and half of column 300. 40,000 / (40,000 + 200 / 2).
    beyond = painted((200, 200, 601, 600), side=1024)
    assert scored(beyond, mask_of(MEANT)) == pytest.approx(40_000 / 40_100)
    # A mask that is no square, at its own size.
    wide: NDArray[np.uint8] = np.zeros((300, 500), np.uint8)
    wide[100:200, 100:200] = 255
    answer = np.zeros((600, 1000, 3), np.uint8)
    answer[200:400, 200:400] = GREEN
    assert scored(answer, wide) == 1


def test_small_regions_beside_the_meant_one_count_against_it() -> None:
    """80 · 90 = 7,200 pixels more are below 3 %: released does not see them. 40,000 / 47,200."""
    answer = painted(MEANT)
    answer[400:490, 400:480] = GREEN
    assert released_score(answer, mask_of(MEANT)) == 1
    assert scored(answer, mask_of(MEANT)) == pytest.approx(40_000 / 47_200)


def test_a_mask_that_grows() -> None:
    """By k pixels on each side: 200² / (200 + 2 k)²."""
    for k in (1, 16):
        grown = painted((100 - k, 100 - k, 300 + k, 300 + k))
        assert scored(grown, mask_of(MEANT)) == pytest.approx(200**2 / (200 + 2 * k) ** 2)


LAWN, SIDE = (86, 176, 60), 512
"""Within 100 levels of pure green in each channel: 86, 79 and 60 off."""


def with_lawn(share: float) -> Pixels:
    found = picture(SIDE).astype(np.int16)
    found[SIDE - round(SIDE * share) :] = LAWN
    return np.asarray(found + np.random.default_rng(0).integers(-12, 13, found.shape), np.uint8)


def edited(shown: Pixels, *boxes: Box) -> Image.Image:
    found = shown.copy()
    for left, top, right, bottom in boxes:
        found[top:bottom, left:right] = GREEN
    return Image.fromarray(found)


def as_jpeg(image: Image.Image) -> Image.Image:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=75)
    return Image.open(out)


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_a_lawn_in_the_picture_is_no_paint(share: float) -> None:
    """Taken for paint, a fifth of the picture would leave 40,000 / (40,000 + 512² / 5) = .43 to a perfect edit."""
    shown = with_lawn(share)
    right = edited(shown, MEANT)
    smaller, larger = (right.resize((side, side), Image.Resampling.BICUBIC) for side in (400, 1024))
    found = [right, as_jpeg(right), smaller, as_jpeg(smaller), larger]
    assert min(score(np.asarray(one), shown, mask_of(MEANT)) for one in found) >= 0.98
    for back in (Image.fromarray(shown), as_jpeg(Image.fromarray(shown))):
        assert score(np.asarray(back), shown, mask_of(MEANT)) == pytest.approx(0, abs=0.001)


def test_who_paints_over_what_is_green_has_painted() -> None:
    """A lawn of 102 rows: 40,000 / (40,000 + 102 · 512) = .434 where it is painted beside the region; 1 where it is the
    region, and handed back it is no paint.
    """
    shown, lawn = with_lawn(0.2), (0, SIDE - 102, SIDE, SIDE)
    both = np.asarray(edited(shown, MEANT, lawn))
    assert score(both, shown, mask_of(MEANT)) == pytest.approx(40_000 / (40_000 + 102 * 512))
    assert score(np.asarray(edited(shown, lawn)), shown, mask_of(lawn)) == 1
    assert score(shown, shown, mask_of(lawn)) == 0


@pytest.mark.parametrize("green", [(0, 220, 0), (40, 215, 40)])
def test_paint_on_a_grainy_lawn_need_not_be_quite_pure(green: tuple[int, int, int]) -> None:
    """35, 40 and 30 levels off, where the lawn is 86, and the greenest of 25 grains of it some 60."""
    grain = np.random.default_rng(0).normal(0, 20, (SIDE, SIDE, 3))
    shown = np.asarray(np.clip(LAWN + grain, 0, 255), np.uint8)
    answer = shown.copy()
    answer[100:300, 100:300] = green
    assert score(answer, shown, mask_of(MEANT)) >= 0.99
    faint = Image.blend(Image.fromarray(shown), Image.fromarray(painted(MEANT)), 0.7)
    overlaid = np.where(mask_of(MEANT)[..., None] > 127, np.asarray(as_jpeg(faint)), shown)
    assert score(overlaid, shown, mask_of(MEANT)) >= 0.98
    brighter = np.asarray(np.clip(shown * 1.1, 0, 255), np.uint8)
    assert score(brighter, shown, mask_of(MEANT)) == 0


@pytest.mark.parametrize(("green", "width"), [(GREEN, 1), ((60, 200, 60), 3)])
def test_green_lines_of_the_picture_are_no_paint_and_lines_may_be_painted(
    green: tuple[int, int, int], width: int
) -> None:
    shown = picture(SIDE)
    for row in range(20, SIDE, 50):
        shown[row : row + width] = green
    answer, line = shown.copy(), (100, 200, 300, 200 + width)
    answer[100:300, 100:300] = GREEN
    assert score(answer, shown, mask_of(MEANT)) == 1
    assert score(shown, shown, mask_of(MEANT)) == 0
    assert score(np.asarray(edited(picture(SIDE), line)), picture(SIDE), mask_of(line)) == 1


def test_what_was_pure_green_counts_nowhere() -> None:
    """Nor do two pixels around it, as edges move. Of a region half of which was green half is left to paint."""
    shown = painted((100, 100, 200, 300))
    assert score(painted(MEANT), shown, mask_of(MEANT)) == 1
    assert score(shown, shown, mask_of(MEANT)) == 0
    with pytest.raises(ValueError, match="covers only pure green"):
        score(shown, shown, mask_of((100, 100, 200, 300)))
