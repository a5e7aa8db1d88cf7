"""From reviewed rows of a proposal to items, and what speaks against a row, as proposed or as rewritten."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stages.gir.construction.list_entities import named_in
from stages.gir.construction.tables import case_of
from stages.gir.shared.items import GirItem
from stages.tables.columns import Row

BESIDE = ("task", "case", "remarks")
TEXTS = ("prompt",)
AMONG = "case"
"""All jigsaws of one size have one prompt: which of them is meant says their case, and the proof in it."""
HELD_OUT = ("entity", "lettering")
"""What contestants are asked for or have to write, beside the prompt."""
PAINT = "(0, 255, 0)"


def items_of(accepted: Sequence[Row]) -> list[GirItem]:
    return [item_of(row) for row in accepted]


def item_of(row: Row) -> GirItem:
    own = {name: row[name] for name in ("id", "prompt", "task")} | case_of(row)
    if texts := [own[name] for name in HELD_OUT if name in own]:
        own["texts"] = texts
    if row.get("images"):
        own["images"] = row["images"]
    return GirItem.model_validate(own)


def objections(own: Row, said: Mapping[str, str]) -> Iterator[str]:
    references = [one["sha256"] for one in own.get("images") or () if one["role"] == "reference"]
    yield from (f"new_prompt: {mistake}" for mistake in mistakes(own["prompt"], case_of(own), references))


def mistakes(prompt: str, case: Mapping[str, Any], references: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a case of any task, by its own keys. `references`: digests of its pictures."""
    if word := named_in(prompt, case.get("names", ())):
        yield f"the description holds {word!r}, which is a word of the entity's name"
    if len(set(references)) < len(references):
        yield "two of its references are the same picture"
    if not any(case.get("numbers", (1,))):
        yield "all its numbers are 0: an empty picture would be right"
    if "lettering" in case and case["lettering"].casefold() in prompt.casefold():
        yield "the prompt holds the lettering that is to be found"
    if "share" in case.get("proof", ()) and PAINT not in prompt:
        yield f"the prompt does not say in which colour the region is to be painted: {PAINT}"
