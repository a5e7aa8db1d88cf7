"""Curated prompts: composed by the writer of drawn elements; long texts expanded from all captions of good pictures.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Category-Specific Prompt Construction".
"""

from __future__ import annotations

import sys
from collections.abc import Container, Generator, Sequence
from pathlib import Path

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.requests import seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.curating.ranking import Best
from stages.prism.construction.composing import COMPOSE_OF, EXPAND, laid_out
from stages.prism.construction.proposals import (
    ANNOTATED,
    COMPOSED,
    CURATED,
    DESCRIPTION_OF,
    LONG_TEXT,
    ORIGINAL,
    ORIGINALS,
    REPRESENTATIVES,
    SELECTED,
    good_looks,
    kept_ids,
    wave_of,
)
from stages.prism.construction.samples import draw_samples
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import TRACKS
from stages.project.errors import UserError
from stages.project.stage import main
from stages.tables.columns import ASKED, Row, make_id, place
from stages.tables.reading import read_rows, read_shard, shard_names

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("track", pa.string()),
        pa.field("elements", pa.string()),
        pa.field("row", pa.string()),
        pa.field("prompt", pa.string()),
        *ASKED,
    ]
)
"""`elements`: what was drawn, `role: text` a line. `row`: the picture whose captions were expanded."""


def compose(params: Params, edition: str) -> None:
    """Ask for every curated prompt."""
    shards = records(params, edition)
    job = Job(
        f"prism.compose@{edition}",
        params.proposers["writer"],
        shards=list(shards),
        records=lambda shard: iter(shards[shard]),
        total=sum(map(len, shards.values())),
        visit=composed(params),
        schema=SCHEMA,
        folder=COMPOSED / edition,
        max_failures=params.prism.propose.max_failures,
    )
    ask(job)


def records(params: Params, edition: str) -> dict[str, list[Row]]:
    """Return what is to be composed, by shard; a UserError when pools allow fewer draws than are wanted."""
    count, pools = params.prism.propose.curated, Path(params.prism.propose.pools)
    shards: dict[str, list[Row]] = {}
    for track in TRACKS:
        if track == LONG_TEXT:
            sampled = {row["row"] for row in read_rows(REPRESENTATIVES / edition, ["row"])}
            pictures = good_pictures(count, params.seed, sampled)
            wanted = [{"row": row_id, "captions": captions} for row_id, captions in pictures]
        else:
            try:
                drawn = draw_samples(track, count, params.seed, pools)
            except ValueError as error:
                raise UserError(f"prism.propose.curated in params.yaml: {error} ({pools})") from None
            wanted = [{"elements": laid_out(draw.elements)} for draw in drawn]
        wave = wave_of(track, CURATED)
        shards.setdefault(place(make_id(wave, 0))[0], [])
        for number, row in enumerate(wanted):
            row |= {"id": make_id(wave, number), "track": track}
            shards.setdefault(place(row["id"])[0], []).append(row)
    return shards


def good_pictures(count: int, seed: int, excluded: Container[str]) -> list[tuple[str, str]]:
    """Return ids of the pictures that look best, drawn by a seeded hash among equals, each with all its captions."""
    best = Best(count, seed, CURATED)
    for shard in shard_names(SELECTED):
        looks = good_looks(shard)
        captions = all_captions(shard)
        for row_id in kept_ids(shard) & captions.keys():
            if row_id not in excluded:
                best.add(looks[row_id], row_id, "\n".join(captions[row_id]))
    return [(picture.row, picture.text) for picture in best.ranked()]


def all_captions(shard: str) -> dict[str, list[str]]:
    """Return the English captions of a shard's pictures, `name: caption`; a source's own one, if true, comes last."""
    captions: dict[str, list[str]] = {}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        if row["status"] == "ok":
            name = "affection" if row["description"] == DESCRIPTION_OF["affection"] else row["description"]
            captions.setdefault(row["id"], []).append(f"{name}: {row['caption']}")
    for row in read_shard(ORIGINALS, shard, ["id", "caption", "kept"]):
        if row["kept"] and row["id"] in captions:
            captions[row["id"]].append(f"{ORIGINAL}: {row['caption']}")
    return captions


def composed(params: Params) -> Visit:
    """Return the visit to one draw, or to one picture's captions."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        seed = seed_of(record["id"], params.seed)
        if record["track"] == LONG_TEXT:
            conversation = EXPAND.about({"captions": record["captions"]}, seed=seed)
        else:
            conversation = COMPOSE_OF[record["track"]].about({"elements": record["elements"]}, seed=seed)
        [answer] = yield [conversation]
        row = {name: record.get(name) for name in ("id", "track", "elements", "row")}
        return [row | {"prompt": answer.value.prompt.strip() if answer.value else None} | answer.columns()]

    return visit


if __name__ == "__main__":
    main("prism.compose", compose, Params, *sys.argv[1:])
