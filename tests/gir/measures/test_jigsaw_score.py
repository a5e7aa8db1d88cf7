"""Jigsaw: tiles that are moved cost what the formula says, and nothing is right by chance."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg
from PIL import Image

from stages.gir.shared.measures.jigsaw import Features, Pixels, accuracy, fid, kid, released_score, similarity
from tests.gir.measures.observed import picture

ROWS, COLUMNS = 3, 4


def scene(seed: int = 0, side: int = 240) -> Pixels:
    rough = np.random.default_rng(seed).integers(0, 256, (24, 24, 3), np.uint8)
    return np.asarray(Image.fromarray(rough).resize((side, side), Image.Resampling.BICUBIC))


def moved(whole: Pixels, order: list[int]) -> Pixels:
    high, wide = whole.shape[0] // ROWS, whole.shape[1] // COLUMNS
    found = whole.copy()
    for place, tile in enumerate(order):
        row, column = divmod(place, COLUMNS)
        y, x = (n * size for n, size in zip(divmod(tile, COLUMNS), (high, wide), strict=True))
        found[row * high : (row + 1) * high, column * wide : (column + 1) * wide] = whole[y : y + high, x : x + wide]
    return found


def in_circle(k: int) -> list[int]:
    return [*range(1, k), 0, *range(k, ROWS * COLUMNS)] if k else [*range(ROWS * COLUMNS)]


@pytest.mark.parametrize("k", [0, 2, 12])
def test_tiles_that_are_moved(k: int) -> None:
    """Of 12 tiles k lie where others belong: (12 - k) / 12."""
    whole = scene()
    assert accuracy(moved(whole, in_circle(k)), whole, ROWS, COLUMNS) == pytest.approx((12 - k) / 12)


def test_answers_at_another_size_and_not_quite_the_same() -> None:
    whole = scene()
    answer = moved(whole, in_circle(3))
    for side in (120, 500):
        other = np.asarray(Image.fromarray(answer).resize((side, side)))
        assert accuracy(other, whole, ROWS, COLUMNS) == pytest.approx(9 / 12)
    noise = np.random.default_rng(1).normal(0, 20, answer.shape)
    for roughly in (answer + noise, 0.7 * answer + 40, np.roll(answer, 5, axis=1)):  # rough, dull, moved by 5 pixels
        painted_anew = np.clip(roughly, 0, 255).astype(np.uint8)
        assert accuracy(painted_anew, whole, ROWS, COLUMNS) == pytest.approx(9 / 12)


def test_what_is_no_answer_has_no_tile_right() -> None:
    """Of a grey picture each tile is nearest to the flattest one, and lacks all of that one's variance."""
    whole = scene()
    grey = picture(240, tuple(int(level) for level in whole.mean(axis=(0, 1))))
    assert accuracy(grey, whole, ROWS, COLUMNS) == accuracy(scene(1), whole, ROWS, COLUMNS) == 0
    # With each tile in its mean colour, all is at its place and nothing of what the tiles show.
    even = Image.fromarray(whole).resize((COLUMNS, ROWS), Image.Resampling.BOX)
    mosaic = np.asarray(even.resize((240, 240), Image.Resampling.NEAREST))
    assert accuracy(mosaic, whole, ROWS, COLUMNS) == 0
    # The same tile everywhere is right in its own place alone.
    assert accuracy(moved(whole, [5] * 12), whole, ROWS, COLUMNS) == pytest.approx(1 / 12)


def test_tiles_that_look_the_same_may_change_places() -> None:
    """The upper row is sky: to exchange two of its tiles changes no pixel. Saved as a JPEG it is still the same."""
    whole = scene().copy()
    whole[:80] = (90, 140, 250)
    assert accuracy(moved(whole, [1, 0, *range(2, 12)]), whole, ROWS, COLUMNS) == 1
    rough = whole.astype(int) + np.random.default_rng(2).integers(-3, 4, whole.shape)
    assert accuracy(np.clip(rough, 0, 255).astype(np.uint8), whole, ROWS, COLUMNS) == 1


def test_similarity() -> None:
    """1 - squared differences / squared differences from the mean colour.

    Left half black, right half white: the mean is 127.5, from which each pixel is 127.5 away. Its mirror image differs
    by 255 everywhere: 1 - 255² / 127.5² = -3, so 0. With the right half 51 darker than white: 1 - ½ · 51² / 127.5² =
    1 - 1300.5 / 16256.25 = 0.92. Grey 127 is 127 and 128 away: 1 - (127² + 128²) / 2 / 127.5² < 0, so 0.
    """
    whole = picture(240, (0, 0, 0))
    whole[:, 120:] = 255
    darker = np.minimum(whole, 204)
    assert similarity(whole, whole, ROWS, COLUMNS) == 1
    assert similarity(whole[:, ::-1], whole, ROWS, COLUMNS) == 0
    assert similarity(darker, whole, ROWS, COLUMNS) == pytest.approx(0.92)
    assert similarity(picture(240, (127, 127, 127)), whole, ROWS, COLUMNS) == 0
    with pytest.raises(ValueError, match="one colour"):
        similarity(whole, picture(240), ROWS, COLUMNS)


def test_two_tiles_exchanged_lose_what_lies_between_them() -> None:
    """Twelve even tiles of grey 0, 20, .. 220: mean 110, squares of 110, 90, .. 10 twice, in all 2 · 28,600 = 57,200.
    To exchange the tiles 0 and 3 (0 and 60) differs by 60 twice: 1 - 7,200 / 57,200.
    """
    whole = picture(240)
    for place in range(12):
        row, column = divmod(place, COLUMNS)
        whole[row * 80 : row * 80 + 80, column * 60 : column * 60 + 60] = 20 * place
    swapped = moved(whole, [3, 1, 2, 0, *range(4, 12)])
    assert similarity(swapped, whole, ROWS, COLUMNS) == pytest.approx(1 - 7_200 / 57_200)
    assert accuracy(swapped, whole, ROWS, COLUMNS) == pytest.approx(10 / 12)


def test_released_is_a_function_of_the_sets_distance() -> None:
    """exp(-FID / 60); below 0, which rounding may bring, counts as 0."""
    assert [released_score(fid) for fid in (0.0, -1e-9, 60.0)] == [1, 1, pytest.approx(1 / math.e)]
    assert released_score(300.0) == pytest.approx(math.exp(-5))


def drawn(n: int, features: int, seed: int, shift: float = 0.0) -> Features:
    return np.random.default_rng(seed).normal(shift, 1, (n, features))


def textbook_fid(first: Features, second: Features) -> float:
    """With covariances, and the root by eigenvalues: tr (S1^½ S2 S1^½)^½.

    Of n pictures S1 has n - 1 eigenvalues; the others are 0 but for rounding, whose roots would add up.
    """
    s1, s2 = np.cov(first.T), np.cov(second.T)
    values, vectors = scipy.linalg.eigh(s1, subset_by_index=(len(s1) - len(first) + 1, len(s1) - 1))
    half = vectors * np.sqrt(values)
    shared = scipy.linalg.eigvalsh(half.T @ s2 @ half)
    means = first.mean(axis=0) - second.mean(axis=0)
    return float(means @ means + np.trace(s1) + np.trace(s2) - 2 * np.sqrt(shared).sum())


def textbook_kid(first: Features, second: Features) -> float:
    def k(x: Features, y: Features) -> float:
        return (float(x @ y) / len(x) + 1) ** 3

    def among(some: Features) -> float:
        pairs = [k(x, y) for i, x in enumerate(some) for j, y in enumerate(some) if i != j]
        return float(np.mean(pairs))

    return among(first) + among(second) - 2 * float(np.mean([k(x, y) for x in first for y in second]))


def test_fewer_pictures_than_features() -> None:
    first, second = drawn(130, 512, 0), drawn(130, 512, 1, 0.1)
    assert fid(first, second) == pytest.approx(textbook_fid(first, second), rel=1e-6)
    assert kid(first, second) == pytest.approx(textbook_kid(first, second), rel=1e-6)


def test_more_pictures_than_features() -> None:
    """Where covariances have full rank, the root of their product is what scipy finds."""
    first, second = drawn(300, 40, 2), drawn(200, 40, 3, 0.2) @ np.diag(np.linspace(0.5, 2, 40))
    s1, s2 = np.cov(first.T), np.cov(second.T)
    means = first.mean(axis=0) - second.mean(axis=0)
    plain = means @ means + np.trace(s1 + s2 - 2 * scipy.linalg.sqrtm(s1 @ s2).real)
    assert fid(first, second) == pytest.approx(plain, rel=1e-9)
    assert kid(first, second) == pytest.approx(textbook_kid(first, second), rel=1e-9)


def test_by_hand() -> None:
    """One feature: 0, 2 (mean 1, variance 2) and 3, 5, 7 (mean 5, variance 4): 16 + 2 + 4 - 2 · √8.

    Kernel (xy + 1)³: among 0, 2 the pair (0, 2) gives 1. Among 3, 5, 7: 16³, 22³, 36³, whose mean is
    (4,096 + 10,648 + 46,656) / 3 = 61,400 / 3. Across: 1, 1, 1, 7³, 11³, 15³: (3 + 343 + 1,331 + 3,375) / 6 = 842.
    """
    first, second = np.array([[0.0], [2.0]]), np.array([[3.0], [5.0], [7.0]])
    assert fid(first, second) == pytest.approx(22 - 2 * 8**0.5)
    assert kid(first, second) == pytest.approx(1 + 61_400 / 3 - 2 * 842)


def test_a_set_and_itself() -> None:
    some = drawn(30, 100, 4)
    assert fid(some, some) == pytest.approx(0, abs=1e-9)
    assert fid(some, some[::-1] + 1) == pytest.approx(100)  # moved by 1 along each of 100 features


def test_what_is_no_set_of_features() -> None:
    some = drawn(3, 4, 7)
    for other in (some[:1], some[:, :3], some[0]):
        for distance in (fid, kid):
            with pytest.raises(ValueError, match="each side needs at least two pictures with the same features"):
                distance(some, other)
    with pytest.raises(ValueError, match="some features are not finite numbers"):
        fid(some, np.where(some == some[0, 0], np.nan, some))
