"""The proposed cases, from reviewed rows to items, and problems of a rewritten row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gamut.evaluation.construction.proposals import proposal_figures, write_proposal
from gamut.evaluation.construction.slots import Slots, unpack_case
from gamut.tables.columns import Row
from gamut.texts.names import name_word_in
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import REFERENCE, RIGHT, STEPS_BEFORE
from stages.gapeval.shared.items import CATEGORIES, GapItem

CONTEXT_COLUMNS = ("category", "subcategory", "case", "remarks")
TEXTS = ("question", "prompt", "reference_text")
REPEATABLE = ("reference_text",)
"""Texts that may be the same for several items."""
COLUMNS = (*CONTEXT_COLUMNS, *TEXTS)
GROUP_COLUMN = "case"
"""Questions about two pictures may have the same words: the case tells them apart."""


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write the proposed cases for people to review, and why others cannot be proposed. The figures have the per cent
    of painted references with the right numbers.
    """
    waves: dict[str, list[Row]] = {category: [] for category in CATEGORIES}
    joined = [*slots.joined(*STEPS_BEFORE, "answer_cases", "recount_things"), *slots.rows("draw_problems")]
    for row in joined:
        proposal = slots.proposed_row(row, COLUMNS, "show_cases", "answer_cases", "draw_problems")
        if row.get("found") not in (None, RIGHT):
            proposal["images"] = [one for one in proposal["images"] if one["name"] != REFERENCE]
            proposal["remarks"] = f"without a reference picture, as what was painted shows: {row['found']}"
        waves[row["category"]].append(proposal)
    similarity = slots.params.propose.similarity
    proposed = write_proposal("gapeval", slots.edition, waves, COLUMNS, similarity, among=GROUP_COLUMN)
    figures = proposal_figures(proposed, ["category"], ["category", "subcategory"])
    usable = {row["id"] for row in proposed if row["status"] == "ok"}
    if found := [row["found"] == RIGHT for row in joined if row["id"] in usable and row.get("found")]:
        figures["references_right"] = round(100 * sum(found) / len(found), 2)
    return figures


def item_of(row: Row) -> GapItem:
    own = {name: row[name] for name in ("id", "category", "subcategory", *TEXTS)} | unpack_case(row)
    if row.get("images"):
        own["images"] = row["images"]
    return GapItem.model_validate(own)


def objections(row: Row, texts: Mapping[str, str]) -> Iterator[str]:
    proof = unpack_case(row).get("proof")
    entity = proof.get("entity") if isinstance(proof, dict) else None  # the proof of a drawn case is a list
    for name in ("question", "prompt"):
        if entity and (word := name_word_in(row[name], [entity])):
            yield f"new_{name}: it holds {word!r}, which is a word of the entity's name"
