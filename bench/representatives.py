"""Choosing 50 representatives of 10,000 captions of 384 dimensions, around 50 planted centres.

    python bench/representatives.py
    python bench/representatives.py --captions 200 --clusters 5

One line of JSON at the end: seconds, the ratio to one start of K-means on all cores, how many planted clusters have a
representative, whether another process chooses the same, and which share of the choice stays when one caption in a
hundred is left out: of the planted captions, and of captions without any clusters.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np
from sklearn.cluster import KMeans

from stages.evaluation.curating.representatives import Embeddings, cluster

DIMENSIONS, SEED = 384, 0


def planted(captions: int, clusters: int) -> tuple[Embeddings, np.ndarray]:
    chance = np.random.default_rng(SEED)
    centres = chance.normal(size=(clusters, DIMENSIONS))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    belongs = chance.permutation(np.repeat(np.arange(clusters), captions // clusters))
    points = centres[belongs] + chance.normal(0, 0.02, (len(belongs), DIMENSIONS))
    return points.astype(np.float32), belongs


def kept(points: Embeddings, chosen: np.ndarray, clusters: int) -> float:
    """Which share of the representatives are chosen again without a random hundredth of the captions."""
    left = np.sort(np.random.default_rng(SEED + 1).permutation(len(points))[len(points) // 100 :])
    return float(np.isin(left[cluster(points[left], clusters, SEED).representatives], chosen).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captions", type=int, default=10_000)
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--choose", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    clusters = options.clusters
    points, belongs = planted(options.captions, clusters)
    started = time.perf_counter()
    chosen = cluster(points, clusters, SEED).representatives
    seconds = time.perf_counter() - started
    if options.choose:
        print(chosen.tolist())
        return
    started = time.perf_counter()
    KMeans(clusters, n_init=1, random_state=SEED).fit(points)
    floor = time.perf_counter() - started
    other = subprocess.run([sys.executable, *sys.argv, "--choose"], capture_output=True, text=True, check=True)
    noise = np.random.default_rng(SEED + 2).normal(size=points.shape).astype(np.float32)
    print(
        json.dumps(
            {
                "seconds": round(seconds, 2),
                "over_one_start": round(seconds / floor, 1),
                "planted_clusters_represented": len(set(belongs[chosen].tolist())),
                "same_in_another_process": json.loads(other.stdout) == chosen.tolist(),
                "kept_without_a_hundredth": round(kept(points, chosen, clusters), 2),
                "kept_without_a_hundredth_of_noise": round(
                    kept(noise, cluster(noise, clusters, SEED).representatives, clusters), 2
                ),
            }
        )
    )


if __name__ == "__main__":
    main()
