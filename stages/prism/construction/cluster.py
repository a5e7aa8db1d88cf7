"""Which captions become prompts: of those with the highest scores, the one nearest to the centroid of each cluster
(section 3.1, "Representative Prompt Sampling": k = 50 of the 10,000 with the highest score). The paper does not say how
K-means is initialised; ten starts are common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.asking.requests import Embed
from gamut.asking.seeing import Embedding
from gamut.evaluation.construction.slots import Slots
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import shard_names, shard_rows
from stages.prism.construction.captions import best_captions
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import wave_of
from stages.prism.shared.items import TRACKS

Embeddings = NDArray[np.float32]
"""One row for each caption, shape (captions, dimensions)."""
STARTS = 10
DIGITS = 4


class Clusters(NamedTuple):
    """Each caption's cluster, the caption nearest to each centroid (row numbers, ascending), and the inertia."""

    labels: NDArray[np.int64]
    representatives: NDArray[np.int64]
    inertia: float


def cluster(embeddings: Embeddings, k: int, seed: int) -> Clusters:
    """Run K-means, the same on any number of cores. If at most `k` captions differ, each is its own cluster."""
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


def candidates(slots: Slots[Params]) -> None:
    """Take the captions with the highest scores on each track. A seeded hash draws among equal ones."""
    rows: list[Row] = []
    for track, of_track in best_captions(slots.params.propose.candidates, slots.params.seed).items():
        for rank, one in enumerate(of_track.ranked()):
            own = {"id": make_id(wave_of(track), rank), "track": track, "status": "ok"}
            rows.append(own | {"row": one.row, "text": one.text, "score": one.score})
    slots.write(rows)


def embed(slots: Slots[Params]) -> None:
    """Have every candidate embedded, so that captions with similar meaning are close to each other."""
    rows = slots.rows("candidates")
    texts = [row["text"] for row in rows]
    slots.ask(
        "embedder", rows, lambda row: Embedding(Embed(row["text"])), lambda row, vector: {"vector": vector}, texts=texts
    )


def represent(slots: Slots[Params]) -> None:
    """Take from each cluster the caption nearest to its centroid whose picture no earlier track uses."""
    k, taken = slots.params.propose.sampled, set[str]()
    representatives: list[Row] = []
    metrics: dict[str, float] = {}
    for track in TRACKS:
        rows, embeddings = embedded_candidates(slots, track)
        clusters = cluster(embeddings, k, slots.params.seed) if rows and k else None
        chosen = choose_representatives(rows, embeddings, clusters, taken) if clusters else []
        taken |= {row["row"] for row in chosen}
        representatives += [row | {"status": "ok"} for row in chosen]
        metrics |= {f"{track}.{name}": value for name, value in cluster_figures(embeddings, clusters).items()}
        lacking = f", but {k:,} are expected: more pictures are needed" if len(chosen) < k else ""
        print(f"{slots.label}: {track}: {len(chosen):,} of {amount(len(rows), 'caption')}{lacking}")
    slots.write(representatives)
    write_json(slots.metrics("cluster"), metrics)


def embedded_candidates(slots: Slots[Params], track: str) -> tuple[list[Row], Embeddings]:
    rows, vectors = [], []
    for shard in shard_names(slots.path("candidates")):
        if shard.rpartition("-")[0] == wave_of(track):
            found = {
                row["id"]: np.array(row["vector"], np.float32)
                for row in shard_rows(slots.path("embed"), shard, ["id", "vector", "status"])
                if row["status"] == "ok"
            }
            columns = ["id", *slots.columns("candidates")]
            of_shard = [row for row in shard_rows(slots.path("candidates"), shard, columns) if row["id"] in found]
            rows += of_shard
            vectors += [found[row["id"]] for row in of_shard]
    return rows, np.stack(vectors) if vectors else np.zeros((0, 1), np.float32)


def choose_representatives(
    rows: Sequence[Row], embeddings: Embeddings, clusters: Clusters, taken: set[str]
) -> list[Row]:
    """Return from each cluster the candidate nearest to its centroid whose row is not taken, if any."""
    chosen: list[Row] = []
    for nearest in clusters.representatives.tolist():
        number = int(clusters.labels[nearest])
        members = np.flatnonzero(clusters.labels == number)
        centroid = embeddings[members].mean(axis=0)
        others = members[np.argsort(np.linalg.norm(embeddings[members] - centroid, axis=1), kind="stable")].tolist()
        for position in [nearest, *others]:
            if rows[position]["row"] not in taken:
                chosen.append(rows[position] | {"cluster": number, "captions": len(members)})
                break
    return sorted(chosen, key=lambda row: str(row["id"]))


def cluster_figures(embeddings: Embeddings, clusters: Clusters | None) -> Mapping[str, float]:
    figures: dict[str, float] = {
        "candidates": len(embeddings),
        "clusters": len(clusters.representatives) if clusters else 0,
    }
    if clusters:
        sizes = np.bincount(clusters.labels)
        figures |= {"smallest": int(sizes.min()), "largest": int(sizes.max())}
        figures |= {"inertia": round(clusters.inertia, DIGITS)} if clusters.inertia else {}
    return figures
