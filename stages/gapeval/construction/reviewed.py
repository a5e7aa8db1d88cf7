"""From reviewed rows of a proposal to items, and what speaks against a row, as proposed or as rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stages.gapeval.construction.list_cases import named_in
from stages.gapeval.construction.tables import case_of
from stages.gapeval.shared.items import GapItem
from stages.tables.columns import Row

BESIDE = ("category", "subcategory", "case", "remarks")
TEXTS = ("question", "prompt", "reference_text")
REPEATABLE = ("reference_text",)
"""Texts that may be the same for several items."""
AMONG = "case"
"""Two pictures may be asked about in the same words: which of them is meant says the case."""


def items_of(accepted: Sequence[Row]) -> list[GapItem]:
    return [item_of(row) for row in accepted]


def item_of(row: Row) -> GapItem:
    own = {name: row[name] for name in ("id", "category", "subcategory", *TEXTS)} | case_of(row)
    if row.get("images"):
        own["images"] = row["images"]
    return GapItem.model_validate(own)


def objections(own: Row, said: Mapping[str, str]) -> Iterator[str]:
    for name in ("question", "prompt"):
        yield from (f"new_{name}: {mistake}" for mistake in mistakes(own[name], case_of(own)))


def mistakes(text: str, case: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a question or a prompt, by the keys of its case."""
    entity = case.get("proof", {}).get("entity") if isinstance(case.get("proof"), dict) else None
    if entity and (word := named_in(text, [entity])):
        yield f"it holds {word!r}, which is a word of the entity's name"
