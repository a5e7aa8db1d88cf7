"""FID and KID equal the formulas as textbooks write them, also where there are fewer pictures than features."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from stages.gir.shared.measures.frechet import Features, fid, kid


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
    """Pair by pair."""

    def k(x: Features, y: Features) -> float:
        return (float(x @ y) / len(x) + 1) ** 3

    def among(some: Features) -> float:
        pairs = [k(x, y) for i, x in enumerate(some) for j, y in enumerate(some) if i != j]
        return float(np.mean(pairs))

    return among(first) + among(second) - 2 * float(np.mean([k(x, y) for x in first for y in second]))


def test_as_many_pictures_as_the_published_jigsaw() -> None:
    first, second = drawn(130, 2048, 0), drawn(130, 2048, 1, 0.1)
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
            with pytest.raises(ValueError, match="two pictures at least on either side, with the same features"):
                distance(some, other)
    with pytest.raises(ValueError, match="features that are no numbers"):
        fid(some, np.where(some == some[0, 0], np.nan, some))
