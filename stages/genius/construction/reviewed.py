"""From reviewed rows of a proposal to items, and what speaks against a row, as proposed or as rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import orjson

from stages.evaluation.running.placing import names_in
from stages.genius.shared.items import GeniusItem
from stages.tables.columns import Row

BESIDE = ("task", "sub_task", "shown", "consistency_hints")
TEXTS = ("context", "prompt", "rule_hint", "text_hint", "multimodal_hint")
REPEATABLE = ("context", "prompt", "rule_hint", "text_hint", "multimodal_hint")
"""Texts that may be the same for several items: what differs may stand in the pictures alone."""
AMONG = "shown"
"""Two cases may be put in the same words: which of them is meant say their pictures."""


def items_of(accepted: Sequence[Row]) -> list[GeniusItem]:
    """Return accepted rows as items; ValueError where one cannot be."""
    return [item_of(row) for row in accepted]


def item_of(row: Row) -> GeniusItem:
    """Return a row as an item."""
    own = {name: row[name] for name in ("id", "task", "sub_task", *TEXTS)}
    own |= {"consistency_hints": orjson.loads(row["consistency_hints"]), "images": row["images"]}
    return GeniusItem.model_validate(own)


def objections(own: Row, said: Mapping[str, str]) -> Iterator[str]:
    """Yield what speaks against a rewritten row, given as it would be and as the review has it."""
    there = {f"<image:{image['name']}>" for image in own.get("images") or ()}
    for name in TEXTS:
        if unknown := names_in(own[name]) - there:
            yield f"new_{name}: there is no picture {min(unknown)}: it may name {', '.join(sorted(there)) or 'none'}"
    if lost := there - names_in(own["context"]) - names_in(own["prompt"]):
        yield f"neither context nor prompt names {min(lost)} any more: nobody would know what it is for"
