"""How prompts come to be proposed: the dataset's tables that they come from, the tables on the way, and their ids.

An id is `<track>-<8 digits>` for what was sampled (its rank among the candidates) and `<track>-curated-<8 digits>` for
what was composed, with "-" for "_" in the track.
"""

from __future__ import annotations

from pathlib import Path

from stages.prism.shared.tracks import TRACKS
from stages.tables.reading import read_shard

SELECTED = Path("datasets/select")
ANNOTATED = Path("datasets/annotate")
ORIGINALS = Path("datasets/originals")
SCORED = Path("datasets/score")
EXAMINED = Path("datasets/examine")

CANDIDATES = Path("datasets/prism/candidates")
EMBEDDINGS = Path("datasets/prism/embeddings")
REPRESENTATIVES = Path("datasets/prism/representatives")
COMPOSED = Path("datasets/prism/composed")
LOCALIZED = Path("datasets/prism/localized")

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
