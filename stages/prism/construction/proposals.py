"""How prompts are proposed: the dataset's tables that they come from, their ids, and the proposal.

An id is `<track>-<8 digits>` for what was sampled (its rank among the candidates) and `<track>-curated-<8 digits>` for
what was composed, with "-" for "_" in the track.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gamut.evaluation.construction.proposals import counts, write_proposal
from gamut.evaluation.construction.slots import Slots
from gamut.tables.columns import Row
from gamut.tables.reading import read_shard
from stages.prism.construction.parameters import Params
from stages.prism.shared.items import TRACKS

SELECTED = Path("datasets/select")
ANNOTATED = Path("datasets/annotate")
ORIGINALS = Path("datasets/originals")
SCORED = Path("datasets/score")
EXAMINED = Path("datasets/examine")

DETAIL = "detail"
"""The published name of the generation chain-of-thought."""
ORIGINAL = "original"
"""The published name of the source's own caption."""
LONG_TEXT = "long_text"
TEXT_RENDERING = "text_rendering"
CURATED = "curated"
CHARACTERISTICS = ("imaginative", "entity", "text", "style", "abstract", "composition", DETAIL)
DESCRIPTION_OF = dict(zip(TRACKS, CHARACTERISTICS, strict=True))
"""Which caption of a picture is a prompt of which track; `detail` is the generation chain-of-thought."""


def wave_of(track: str, origin: str = "") -> str:
    return "-".join([track.replace("_", "-"), *([CURATED] if origin == CURATED else [])])


def kept_ids(shard: str) -> set[str]:
    return {row["id"] for row in read_shard(SELECTED, shard, ["id", "kept"]) if row["kept"]}


def good_looks(shard: str) -> dict[str, int]:
    """Return the lower of clarity and structure, 0..10, of examined pictures; the paper names no such score."""
    rows = read_shard(EXAMINED, shard, ["id", "score_image_clarity", "score_image_structure", "status"])
    return {
        row["id"]: min(row["score_image_clarity"], row["score_image_structure"])
        for row in rows
        if row["status"] == "ok"
    }


COLUMNS = ("track", "origin", "prompt", "prompt_zh", "elements")


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write all proposed prompts in both languages, with why others are left out; return its figures."""
    chinese = {row["id"]: row for row in slots.rows("localize")}
    rows = [proposed_row(row, "sampled", chinese) for row in slots.rows("represent")]
    rows += [proposed_row(row, CURATED, chinese) for row in slots.rows("compose")]
    waves = {
        wave_of(track, origin): [row for row in rows if (row["track"], row["origin"]) == (track, origin)]
        for track in TRACKS
        for origin in ("sampled", CURATED)
    }
    similarity = slots.params.near_duplicates.similarity
    written = write_proposal("prism", slots.edition, waves, COLUMNS, similarity, among="track")
    return counts(written, ["track"], ["track", "origin"])


def proposed_row(row: Mapping[str, str], origin: str, chinese: Mapping[str, Row]) -> Row:
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
