"""The proposal of new prompts, and their ids.

An id is `<track>-<8 digits>` for a sampled prompt (its rank among the candidates) and `<track>-curated-<8 digits>` for
a composed one, with "-" for "_" in the track.
"""

from __future__ import annotations

from collections.abc import Mapping

from gamut.evaluation.construction.proposals import proposal_figures, write_proposal
from gamut.evaluation.construction.slots import Slots
from gamut.tables.columns import Row
from stages.prism.construction.parameters import Params
from stages.prism.shared.items import TRACKS

LONG_TEXT = "long_text"
TEXT_RENDERING = "text_rendering"
CURATED = "curated"


def wave_of(track: str, origin: str = "") -> str:
    return "-".join([track.replace("_", "-"), *([CURATED] if origin == CURATED else [])])


COLUMNS = ("track", "origin", "prompt", "prompt_zh", "elements")


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write all proposed prompts in both languages, and why others are left out. Return the proposal's figures."""
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
    return proposal_figures(written, ["track"], ["track", "origin"])


def proposed_row(row: Mapping[str, str], origin: str, chinese: Mapping[str, Row]) -> Row:
    """Return a prompt with its Chinese version, with the status of a missing one."""
    twin = chinese.get(row["id"], row)  # a prompt that failed was not translated
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
