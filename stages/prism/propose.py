"""All proposed prompts in both languages, for people to review; of what cannot be proposed, why not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import pyarrow as pa

from stages.evaluation.curating.editions import source_sha256
from stages.prism.proposals import (
    COMPOSED,
    CURATED,
    LOCALIZED,
    PROPOSAL,
    REPRESENTATIVES,
    SOURCE_ROWS,
    SYNTHESIZED,
    wave_of,
    write_wave,
)
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import TRACKS
from stages.project import settings
from stages.project.stage import main
from stages.tables.columns import Row, place
from stages.tables.reading import read_rows, shard_rows
from stages.tables.writing import TableWriter
from stages.texts.near_duplicates import find_near_duplicates

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("track", pa.string()),
        pa.field("origin", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("prompt_zh", pa.string()),
        pa.field("elements", pa.string()),
        pa.field("row", pa.string()),
        pa.field("row_sha256", pa.string()),
        pa.field("status", pa.string()),
        pa.field("reason", pa.string()),
    ]
)
"""`status`: ok, that of the question that failed, or `near_duplicate`. `row`: the dataset row that it is taken from;
`row_sha256`: the hash of that row's source, by which other builds know whether their row of this id is the same."""


def propose(params: Params, edition: str) -> None:
    """Bring sampled and curated prompts together, track by track."""
    chinese = {row["id"]: row for row in read_rows(LOCALIZED / edition, ["id", "prompt_zh", "status", "reason"])}
    rows = [
        proposed(row, "sampled", chinese)
        for row in read_rows(REPRESENTATIVES / edition, ["id", "track", "text", "row"])
    ]
    columns = ["id", "track", "prompt", "elements", "row", "status", "reason"]
    rows += [proposed(row, CURATED, chinese) for row in read_rows(COMPOSED / edition, columns)]
    sources = source_hashes({row["row"] for row in rows if row["row"]})
    rows = [row | {"row_sha256": sources.get(row["row"])} for row in rows]
    with TableWriter(PROPOSAL / edition, SCHEMA) as table:
        for track in TRACKS:
            of_track = [row for row in rows if row["track"] == track]  # the sampled ones come first
            leave_out_near_duplicates(of_track, params.near_duplicates.similarity, edition)
            for origin in ("sampled", CURATED):
                write_wave(table, wave_of(track, origin), [row for row in of_track if row["origin"] == origin])
    counts = Counter(row["status"] for row in rows)
    left_out = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()) if status != "ok")
    print(f"prism.propose@{edition}: {counts['ok']:,} of {len(rows):,} prompts, left out: {left_out or 'none'}")


def proposed(row: Mapping[str, str], origin: str, chinese: Mapping[str, Row]) -> Row:
    """Return a prompt with its Chinese twin; the status of whichever of the two is missing."""
    twin = chinese.get(row["id"], row)  # what could not be composed was not translated
    return {
        "id": row["id"],
        "track": row["track"],
        "origin": origin,
        "prompt": row["prompt"] if origin == CURATED else row["text"],
        "prompt_zh": twin.get("prompt_zh"),
        "elements": row.get("elements"),
        "row": row["row"],
        "status": twin["status"],
        "reason": twin["reason"],
    }


def source_hashes(row_ids: Iterable[str]) -> dict[str, str]:
    """Return the hash of the source of each of these dataset rows, by id."""
    found: dict[str, str] = {}
    for shard, named in groupby(sorted(row_ids, key=place), key=lambda row_id: place(row_id)[0]):
        ids = set(named)
        captions = {row["id"]: row["caption"] for row in shard_rows(SOURCE_ROWS, shard, ["id", "caption"], ids)}
        prompts = {row["id"]: row["prompt"] for row in shard_rows(SYNTHESIZED, shard, ["id", "prompt"], ids)}
        found |= {row_id: source_sha256(captions[row_id], prompts[row_id]) for row_id in ids}
    return found


def leave_out_near_duplicates(rows: Sequence[Row], similarity: float, edition: str) -> None:
    """Give every prompt that resembles an earlier one of its track another status, and the reason."""
    usable = [row for row in rows if row["status"] == "ok"]
    folder = settings.store_root() / "scratch" / f"prism.propose@{edition}"
    found = find_near_duplicates([[row["prompt"] for row in usable]], similarity, folder)
    for position, row in enumerate(usable):
        if found.reason(position):
            other = usable[found.of[position]]["id"]
            row |= {"status": "near_duplicate", "reason": f"resembles {other} ({found.similarity[position]:.2f})"}


if __name__ == "__main__":
    main("prism.propose", propose, Params, *sys.argv[1:])
