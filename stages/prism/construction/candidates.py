"""Which captions can become prompts: those with the highest scores of each track's characteristic (section 3.1).

Scores are whole numbers, so many captions share the highest one: among equals a seeded hash draws.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pyarrow as pa

from stages.evaluation.curating.proposals import write_wave
from stages.evaluation.curating.ranking import Best
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import (
    ANNOTATED,
    CANDIDATES,
    DESCRIPTION_OF,
    DETAIL,
    SCORED,
    SELECTED,
    good_looks,
    kept_ids,
    wave_of,
)
from stages.prism.shared.tracks import TRACKS
from stages.project.plain_text import amount
from stages.project.stage import main
from stages.tables.columns import make_id
from stages.tables.reading import read_shard, shard_names
from stages.tables.writing import TableWriter

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("track", pa.string()),
        pa.field("row", pa.string()),
        pa.field("text", pa.string()),
        pa.field("score", pa.int8()),
    ]
)


def candidates(params: Params, edition: str) -> None:
    best = {track: Best(params.propose.candidates, params.seed, track) for track in TRACKS}
    for shard in shard_names(SELECTED):
        offer(shard, {DESCRIPTION_OF[track]: of_track for track, of_track in best.items()})
    with TableWriter(CANDIDATES / edition, SCHEMA) as table:
        for track, of_track in best.items():
            ranked = of_track.ranked()
            rows = [
                {"id": make_id(wave_of(track), rank), "track": track, "row": r.row, "text": r.text, "score": r.score}
                for rank, r in enumerate(ranked)
            ]
            write_wave(table, wave_of(track), rows)
            scores = f", scores {ranked[-1].score} to {ranked[0].score}" if ranked else ""
            print(f"prism.candidates@{edition}: {track}: {amount(len(ranked), 'caption')}{scores}")


def offer(shard: str, best: Mapping[str, Best]) -> None:
    """Offer a shard's captions to the ranking of their description, with the score that counts there."""
    kept, looks = kept_ids(shard), good_looks(shard)
    relevance = {row["id"]: row for row in read_shard(SCORED, shard)}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        row_id, description = row["id"], row["description"]
        if row["status"] == "ok" and row_id in kept:
            score = looks[row_id] if description == DETAIL else relevance[row_id][f"score_{description}"]
            best[description].add(score, row_id, row["caption"])


if __name__ == "__main__":
    main("prism.candidates", candidates, Params, *sys.argv[1:])
