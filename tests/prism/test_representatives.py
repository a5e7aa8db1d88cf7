"""Clusters of captions: a representative of each planted one, the same everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from stages.prism.construction.cluster import cluster


def planted(clusters: int = 20, each: int = 50, dimensions: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Points around well-separated directions of length 1, in mixed order; and which belongs to which."""
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(clusters, dimensions))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    belongs = chance.permutation(np.repeat(np.arange(clusters), each))
    points = centres[belongs] + chance.normal(0, 0.02, (len(belongs), dimensions))
    return points.astype(np.float32), belongs


def test_the_nearest_to_the_centroid_stands_for_its_cluster() -> None:
    # The centroid of 0, 1 and 5 is 2, to which 1 is nearest; that of 100, 101 and 108 is 103, to which 101 is.
    points = np.array([[5], [108], [0], [101], [1], [100]], np.float32)
    found = cluster(points, 2, seed=0)
    assert found.representatives.tolist() == [3, 4]
    assert found.inertia == pytest.approx((4 + 1 + 9) + (9 + 4 + 25))


def test_another_number_of_threads_finds_the_same() -> None:
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(cluster(planted()[0], 20, 3).labels.tobytes())
    assert found[0] == found[1]


def test_few_captions_all_stand_for_themselves() -> None:
    points = np.array([[2, 0], [1, 0], [2, 0], [0, 1]], np.float32)
    found = cluster(points, 50, seed=0)
    assert (found.labels.tolist(), found.representatives.tolist(), found.inertia) == ([0, 1, 0, 2], [0, 1, 3], 0)


@pytest.mark.parametrize("bad", [np.zeros((0, 3), np.float32), np.array([[1, np.nan]], np.float32)])
def test_what_cannot_be_clustered_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match="K-means needs embeddings, all of finite numbers"):
        cluster(bad, 2, seed=0)
