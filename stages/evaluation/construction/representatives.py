"""Which captions stand for all: K-means over their embeddings, and the caption nearest to each centroid.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Representative Prompt Sampling": k = 50 of the 10,000 with the highest
score. How the paper initialises K-means is not said; ten starts are the common choice.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Embeddings = NDArray[np.float32]
"""One row a caption, shape (captions, dimensions)."""
STARTS = 10
OTHER_SEEDS = 4
MOST_COMPARED = 2_000
"""Captions that a silhouette is computed of: it takes the square of their number."""


class Clusters(NamedTuple):
    """Each caption's cluster, the caption nearest to each centroid (row numbers, ascending), and the inertia."""

    labels: NDArray[np.int64]
    representatives: NDArray[np.int64]
    inertia: float


class Quality(NamedTuple):
    """`silhouette`: -1..1 (Rousseeuw 1987). `adjusted_rand`: how alike the clusters of five seeds are (Hubert and
    Arabie 1985), the mean of all pairs; `same_representatives`: which share two seeds have in common, likewise.
    """

    inertia: float
    silhouette: float
    adjusted_rand: float
    same_representatives: float


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


def quality(embeddings: Embeddings, clusters: Clusters, k: int, seed: int) -> Quality | None:
    """Measure clusters, also against those of the next four seeds; None where all captions stand for themselves."""
    if clusters.inertia == 0:
        return None
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    runs = [clusters] + [cluster(embeddings, k, seed + other) for other in range(1, OTHER_SEEDS + 1)]
    pairs = list(combinations(runs, 2))
    compared = MOST_COMPARED if len(embeddings) > MOST_COMPARED else None
    return Quality(
        clusters.inertia,
        float(silhouette_score(embeddings, clusters.labels, sample_size=compared, random_state=seed)),
        float(np.mean([adjusted_rand_score(one.labels, other.labels) for one, other in pairs])),
        float(np.mean([np.isin(one.representatives, other.representatives).mean() for one, other in pairs])),
    )
