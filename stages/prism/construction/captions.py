"""The dataset's captions that become prompts (section 3.1): the best of each track, and all of good pictures."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path

from gamut.evaluation.construction.drawing import BestTexts
from gamut.tables.reading import read_shard, shard_names
from stages.prism.construction.proposals import CURATED
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
CHARACTERISTICS = ("imaginative", "entity", "text", "style", "abstract", "composition", DETAIL)
DESCRIPTION_OF = dict(zip(TRACKS, CHARACTERISTICS, strict=True))
"""The caption of a picture that is a prompt of each track. `detail` is the generation chain-of-thought."""


def kept_ids(shard: str) -> set[str]:
    return {row["id"] for row in read_shard(SELECTED, shard, ["id", "kept"]) if row["kept"]}


def good_looks(shard: str) -> dict[str, int]:
    """Return the lower of clarity and structure, 0..10, of examined pictures. The paper names no such score."""
    rows = read_shard(EXAMINED, shard, ["id", "score_image_clarity", "score_image_structure", "status"])
    return {
        row["id"]: min(row["score_image_clarity"], row["score_image_structure"])
        for row in rows
        if row["status"] == "ok"
    }


def best_captions(count: int, seed: int) -> dict[str, BestTexts]:
    """Return by track the captions of its characteristic with the highest scores."""
    best = {track: BestTexts(count, seed, track) for track in TRACKS}
    for shard in shard_names(SELECTED):
        offer_captions(shard, {DESCRIPTION_OF[track]: of_track for track, of_track in best.items()})
    return best


def offer_captions(shard: str, best: Mapping[str, BestTexts]) -> None:
    """Add a shard's captions to the ranking of their description, with the score that counts there."""
    kept, looks = kept_ids(shard), good_looks(shard)
    relevance = {row["id"]: row for row in read_shard(SCORED, shard)}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        row_id, description = row["id"], row["description"]
        if row["status"] == "ok" and row_id in kept:
            score = looks[row_id] if description == DETAIL else relevance[row_id][f"score_{description}"]
            best[description].add(score, row_id, row["caption"])


def good_pictures(count: int, seed: int, excluded: Container[str]) -> list[tuple[str, str]]:
    """Return ids of the best-looking pictures, with ties drawn by a seeded hash, each with all its captions."""
    best = BestTexts(count, seed, CURATED)
    for shard in shard_names(SELECTED):
        looks = good_looks(shard)
        captions = all_captions(shard)
        for row_id in kept_ids(shard) & captions.keys():
            if row_id not in excluded:
                best.add(looks[row_id], row_id, "\n".join(captions[row_id]))
    return [(picture.row, picture.text) for picture in best.ranked()]


def all_captions(shard: str) -> dict[str, list[str]]:
    """Return the English captions of a shard's pictures, `name: caption`, a true one of the source last."""
    captions: dict[str, list[str]] = {}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        if row["status"] == "ok":
            name = "affection" if row["description"] == DESCRIPTION_OF["affection"] else row["description"]
            captions.setdefault(row["id"], []).append(f"{name}: {row['caption']}")
    for row in read_shard(ORIGINALS, shard, ["id", "caption", "kept"]):
        if row["kept"] and row["id"] in captions:
            captions[row["id"]].append(f"{ORIGINAL}: {row['caption']}")
    return captions
