"""Which candidates become prompts: of each cluster of like captions the one nearest to its centroid (section 3.1).

Where its picture was chosen on an earlier track, the next nearest: no two prompts tell of the same picture.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from stages.evaluation.curating.proposals import write_wave
from stages.evaluation.curating.representatives import Clusters, Embeddings, cluster, quality
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import CANDIDATES, EMBEDDINGS, REPRESENTATIVES, wave_of
from stages.prism.shared.tracks import TRACKS
from stages.project.files import write_json
from stages.project.plain_text import amount
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_shard, shard_names, shard_rows
from stages.tables.writing import TableWriter

METRICS = Path("metrics/prism")
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("track", pa.string()),
        pa.field("row", pa.string()),
        pa.field("text", pa.string()),
        pa.field("score", pa.int8()),
        pa.field("cluster", pa.int32()),
        pa.field("captions", pa.int32()),
    ]
)
"""`captions`: how many candidates the cluster has."""
DIGITS = 4


def represent(params: Params, edition: str) -> None:
    k, taken = params.propose.sampled, set[str]()
    metrics: dict[str, float] = {}
    with TableWriter(REPRESENTATIVES / edition, SCHEMA) as table:
        for track in TRACKS:
            rows, embeddings = embedded(edition, track)
            clusters = cluster(embeddings, k, params.seed) if rows and k else None
            chosen = choose(rows, embeddings, clusters, taken) if clusters else []
            taken |= {row["row"] for row in chosen}
            write_wave(table, wave_of(track), chosen)
            figures = measured(embeddings, clusters, k, params.seed)
            metrics |= {f"{track}.{name}": value for name, value in figures.items()}
            print(f"prism.represent@{edition}: {track}: {len(chosen):,} of {amount(len(rows), 'caption')}")
    write_json(METRICS / edition / "representatives.json", metrics)


def embedded(edition: str, track: str) -> tuple[list[Row], Embeddings]:
    """Return a track's candidates that have an embedding, and their embeddings."""
    rows, vectors = [], []
    for shard in shard_names(CANDIDATES / edition):
        if shard.rpartition("-")[0] == wave_of(track):
            found = {
                row["id"]: np.array(row["vector"], np.float32)
                for row in shard_rows(EMBEDDINGS / edition, shard, ["id", "vector", "status"])
                if row["status"] == "ok"
            }
            of_shard = [row for row in read_shard(CANDIDATES / edition, shard) if row["id"] in found]
            rows += of_shard
            vectors += [found[row["id"]] for row in of_shard]
    return rows, np.stack(vectors) if vectors else np.zeros((0, 1), np.float32)


def choose(rows: Sequence[Row], embeddings: Embeddings, clusters: Clusters, taken: set[str]) -> list[Row]:
    """Of each cluster the candidate nearest to its centroid whose dataset row is not taken; none where all are."""
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


def measured(embeddings: Embeddings, clusters: Clusters | None, k: int, seed: int) -> Mapping[str, float]:
    """Return a track's figures; those of `Quality` only where there are at least two clusters of several captions."""
    figures: dict[str, float] = {
        "candidates": len(embeddings),
        "clusters": len(clusters.representatives) if clusters else 0,
    }
    found = quality(embeddings, clusters, k, seed) if clusters and k > 1 else None
    return figures | ({name: round(value, DIGITS) for name, value in found._asdict().items()} if found else {})


if __name__ == "__main__":
    main("prism.represent", represent, Params, *sys.argv[1:])
