"""All proposed prompts in both languages, for people to review; of what cannot be proposed, why not."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from stages.evaluation.curating.proposals import write_proposal
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import COMPOSED, CURATED, LOCALIZED, REPRESENTATIVES, wave_of
from stages.prism.shared.tracks import TRACKS
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

COLUMNS = ("track", "origin", "prompt", "prompt_zh", "elements")


def propose(params: Params, edition: str) -> None:
    chinese = {row["id"]: row for row in read_rows(LOCALIZED / edition, ["id", "prompt_zh", "status", "reason"])}
    rows = [
        proposed(row, "sampled", chinese)
        for row in read_rows(REPRESENTATIVES / edition, ["id", "track", "text", "row"])
    ]
    columns = ["id", "track", "prompt", "elements", "row", "status", "reason"]
    rows += [proposed(row, CURATED, chinese) for row in read_rows(COMPOSED / edition, columns)]
    waves = {
        wave_of(track, origin): [row for row in rows if (row["track"], row["origin"]) == (track, origin)]
        for track in TRACKS
        for origin in ("sampled", CURATED)
    }
    write_proposal("prism", edition, waves, COLUMNS, params.near_duplicates.similarity, among="track")


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


if __name__ == "__main__":
    main("prism.propose", propose, Params, *sys.argv[1:])
