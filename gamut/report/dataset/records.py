"""Everything that the build's tables say about each picture, joined shard by shard: captions, scores, what the judge
said, and why it was left out. Tables that do not exist yet are skipped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamut.dataset.reporting.figures import SCORES
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import ORIGINAL
from gamut.dataset.steps import ASKING, DECIDING, STEPS, synthesize
from gamut.pipeline.steps import reason_key
from gamut.tables.columns import ANSWERED_BY, Row, prompt_id, wave_of
from gamut.tables.reading import manifest, manifest_path, shard_columns, shard_names, shard_rows

LIMIT = 100_000
"""How many pictures pages show at most: those whose ids have the lowest digests."""
HIGHEST = 2**64 - 1
KEPT = "kept"
WITHHELD = "no_chain_of_thought"
"""The reason why a picture without any fault is not released, by its name in the figures."""
JUDGED = {step.table: SCORES[step.table] for step in ASKING if step.filters and step.where is not None}
"""The tables in which a judge scored the painted picture (legibility is about the source's picture)."""
SHOWN_SCORES = tuple(name for names in JUDGED.values() for name in names)
DECIDED = tuple(step.table for step in DECIDING if step.of == "row" and step in STEPS[STEPS.index(synthesize.STEP) :])
"""The tables that can leave a painted picture out, in the order of the build."""

PAINTED = table_of("synthesize")
TABLES = (
    table_of("prompts"),
    PAINTED,
    *JUDGED,
    *DECIDED,
    *map(table_of, ("annotate", "originals", "translate", "release")),
)
"""All tables that pages are made from."""

Shards = Mapping[Path, Container[str]]
"""The shards that each table has."""


UNRELEASED, UNFLAGGED = "not released", "its flag is false"


class Caption(NamedTuple):
    """A caption in both languages; `remark` says why it is not released, or why its flag is false."""

    description: str
    english: str | None
    chinese: str | None
    remark: str | None


class Judgement(NamedTuple):
    about: str
    rationale: str | None
    status: str
    reason: str | None
    model: str | None
    replies: Sequence[str]


@dataclass(frozen=True)
class Record:
    """A painted picture. `outcome`: `kept` or the key of the `reason` why not; `held_out`: the item it resembles."""

    id: str
    wave: str
    prompt: str
    image: bytes | None
    outcome: str
    reason: str | None
    categories: Sequence[str]
    scores: Mapping[str, int]
    captions: Sequence[Caption]
    judgements: Sequence[Judgement] = ()
    held_out: Row | None = None
    route: str | None = None
    painter: str | None = None

    @property
    def texts(self) -> Iterator[str]:
        """Yield all that can be searched for: the prompt, and captions in both languages."""
        yield self.prompt
        for caption in self.captions:
            yield from filter(None, (caption.english, caption.chinese))


@dataclass(frozen=True)
class Gallery:
    """The shown pictures: painted ones whose ids have a digest up to `highest`."""

    total: int
    count: int
    highest: int
    shards: Shards


def gallery(limit: int) -> Gallery | None:
    """Return which pictures are shown, at most `limit`; None if none is painted."""
    there = {folder: set(shard_names(folder)) for folder in TABLES if manifest_path(folder).exists()}
    if PAINTED not in there:
        return None
    ids = (row_id for _, table in shard_columns(PAINTED, ["id"]) for row_id in table["id"].to_pylist())
    total = int(manifest(PAINTED)["rows"])
    return Gallery(total, min(total, limit), highest_shown(ids, limit), there)


def records(pictures: Gallery) -> Iterator[Record]:
    """Yield the pictures that are shown, in the table's order."""
    for shard in shard_names(PAINTED):
        every = (row["id"] for row in shard_rows(PAINTED, shard, ["id"]))
        if ids := {row_id for row_id in every if digest(row_id) <= pictures.highest}:
            yield from painted_records(pictures.shards, shard, ids)


def painted_records(shards: Shards, shard: str, ids: Set[str]) -> Iterator[Record]:
    """Yield a shard's painted pictures with everything that tables say about them."""

    def rows(folder: Path, *columns: str, of: Container[str] = ids) -> Iterator[Row]:
        return shard_rows(folder, shard, ["id", *columns], of) if shard in shards.get(folder, ()) else iter(())

    prompts = {row["id"]: row for row in rows(table_of("prompts"), "route", of=set(map(prompt_id, ids)))}
    decisions = {folder: {row["id"]: row for row in rows(folder, "reason")} for folder in DECIDED}
    held = ("reason", "edition", "item", "description", "similarity")
    decisions[table_of("hold_out")] = {row["id"]: row for row in rows(table_of("hold_out"), *held)}
    categories = {row["id"]: row["categories"] for row in rows(table_of("categorize"), "categories")}
    judged = {
        folder: {
            row["id"]: row
            for row in rows(folder, *(f"score_{name}" for name in names), "rationale", "status", "reason", *ANSWERED_BY)
        }
        for folder, names in JUDGED.items()
    }
    captions = captions_of(rows)
    is_released = {row["id"] for row in rows(table_of("release"))} if table_of("release") in shards else None
    for row in rows(PAINTED, "prompt", "image", "status", "reason", "model"):
        row_id = row["id"]
        said = {folder: found[row_id] for folder, found in judged.items() if row_id in found}
        reason = None if row["status"] == "ok" else f"synthesize_{row['status']}"
        reason = reason or next((r for d in DECIDED if (r := decisions[d].get(row_id, {}).get("reason"))), None)
        if reason is None and is_released is not None and row_id not in is_released:
            reason = WITHHELD
        held_out = decisions[table_of("hold_out")].get(row_id)
        yield Record(
            id=row_id,
            wave=wave_of(shard),
            prompt=row["prompt"] or "",
            image=(row["image"] or {}).get("bytes") if row["status"] == "ok" else None,
            outcome=reason_key(reason) if reason else KEPT,
            reason=row["reason"] if row["status"] != "ok" else reason,
            categories=categories.get(row_id) or [],
            scores={
                name: found[f"score_{name}"]
                for folder, found in said.items()
                for name in JUDGED[folder]
                if found[f"score_{name}"] is not None
            },
            captions=captions.get(row_id, []),
            judgements=[judgement(folder, found) for folder, found in said.items()],
            held_out=held_out if held_out and held_out["reason"] else None,
            route=prompts.get(prompt_id(row_id), {}).get("route"),
            painter=row["model"],
        )


def judgement(folder: Path, row: Row) -> Judgement:
    replies = [reply["content"] for reply in row["replies"] or () if reply["content"] is not None]
    return Judgement(folder.name, row["rationale"], row["status"], row["reason"], row["model"], replies)


def captions_of(rows: Callable[..., Iterator[Row]]) -> dict[str, list[Caption]]:
    """Return a shard's captions by id, the source's own last; those missing in a language come with the reason."""
    chinese = {
        (r["id"], r["description"]): r
        for r in rows(table_of("translate"), "description", "caption_cn", "status", "reason")
    }
    found: dict[str, list[Caption]] = {}

    def add(row: Row, description: str, english: str | None, why: str | None) -> None:
        other = chinese.get((row["id"], description))
        remark = UNRELEASED if english is None else UNFLAGGED
        if other and other["status"] != "ok":
            remark, why = UNRELEASED, f"translation: {other['reason'] or other['status']}"
        found.setdefault(row["id"], []).append(
            Caption(description, english, other["caption_cn"] if other else None, why and f"{remark}: {why}")
        )

    for row in rows(table_of("annotate"), "description", "caption", "status", "reason"):
        add(row, row["description"], row["caption"], None if row["status"] == "ok" else row["reason"] or row["status"])
    for row in rows(table_of("originals"), "caption", "reason"):
        add(row, ORIGINAL, row["caption"], row["reason"])
    return found


def digest(row_id: str) -> int:
    """Return a 64-bit number that depends only on the id: the same on every machine, with any other rows."""
    return int.from_bytes(hashlib.blake2b(row_id.encode(), digest_size=8).digest(), "big")


def highest_shown(ids: Iterable[str], limit: int = LIMIT) -> int:
    """Return the highest digest of an id that is shown, so that at most `limit` are; memory is 8 bytes an id."""
    digests = np.fromiter(map(digest, ids), np.uint64)
    return HIGHEST if len(digests) <= limit else int(np.partition(digests, limit - 1)[limit - 1])
