"""Which captions stand for all: K-means over their embeddings, and the caption nearest to each centroid.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Representative Prompt Sampling": k = 50 of the 10,000 with the highest
score. How the paper initialises K-means is not said; ten starts are the common choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Embeddings = NDArray[np.float32]
"""One row a caption, shape (captions, dimensions)."""
STARTS = 10


class Clusters(NamedTuple):
    """Each caption's cluster, the caption nearest to each centroid (row numbers, ascending), and the inertia."""

    labels: NDArray[np.int64]
    representatives: NDArray[np.int64]
    inertia: float


def cluster(embeddings: Embeddings, k: int, seed: int) -> Clusters:
    """Cluster captions by K-means, on any number of cores the same; all stand for themselves where no more than `k`
    differ.
    """
    if not len(embeddings) or not np.isfinite(embeddings).all():
        raise ValueError("K-means needs embeddings, all of finite numbers")
    _, first, same = np.unique(embeddings, axis=0, return_index=True, return_inverse=True)
    if len(first) <= k:
        order = np.argsort(first)
        return Clusters(np.argsort(order)[same.reshape(-1)], first[order], 0.0)
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums split among threads differ in their last bits
        found = KMeans(k, n_init=STARTS, random_state=seed).fit(embeddings)
    distances = np.linalg.norm(embeddings - found.cluster_centers_[found.labels_], axis=1)
    order = np.lexsort((np.arange(len(distances)), distances, found.labels_))
    _, nearest = np.unique(found.labels_[order], return_index=True)
    return Clusters(found.labels_.astype(np.int64), np.sort(order[nearest]), float(found.inertia_))
