"""The proposed cases, from reviewed rows to items, and problems of a proposed or rewritten row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamut.evaluation.construction.proposals import leave_out_near_duplicates, proposal_figures, write_proposal
from gamut.evaluation.construction.slots import Slots, digest_of, unpack_case
from gamut.evaluation.running.recognition import name_score
from gamut.tables.columns import Row
from gamut.texts.names import name_word_in
from stages.gir.construction.parameters import Params
from stages.gir.shared.items import TASKS, GirItem

WHOLE_CASE_STEPS = ("draw_quantity", "draw_spatial", "draw_lettering", "cut_jigsaw", "draw_sudoku", "list_regions")
GUESSED_RIGHTLY = "guessed rightly: "
CONTEXT_COLUMNS = ("task", "case", "remarks")
TEXTS = ("prompt",)
COLUMNS = (*CONTEXT_COLUMNS, *TEXTS)
GROUP_COLUMN = "case"
"""All jigsaws of one size have one prompt: the case, with its proof, tells them apart."""
HELD_OUT_KEYS = ("entity", "lettering")
"""What contestants are asked for or must write, besides the prompt."""
GREEN_LEVELS = "(0, 255, 0)"


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write the proposed cases for people to review, and why others cannot be proposed."""
    similarity, edition = slots.params.propose.similarity, slots.edition
    entities = case_rows(slots, "list_entities", "show_entities", "describe", "guess")
    leave_out_near_duplicates(entities, "prompt", similarity, f"gir.entities@{edition}")  # or they look alike
    rows = [*entities, *(row for step in WHOLE_CASE_STEPS for row in case_rows(slots, step))]
    waves: dict[str, list[Row]] = {task: [row for row in rows if row["task"] == task] for task in TASKS}
    proposed = write_proposal("gir", edition, waves, COLUMNS, similarity, among=GROUP_COLUMN)
    figures = proposal_figures(proposed, ["task"])
    if guessed := [
        row["remarks"].startswith(GUESSED_RIGHTLY) for row in proposed if row["status"] == "ok" and row["remarks"]
    ]:
        figures["guessed"] = round(100 * sum(guessed) / len(guessed), 2)
    return figures


def case_rows(slots: Slots[Params], *steps: str) -> list[Row]:
    """Return the cases of all steps together, with all columns. A case with a mistake is not usable."""
    rows = []
    pictured = [step for step in steps if "images" in slots.columns(step)]
    for row in slots.joined(*steps):
        proposal = slots.proposed_row(row, COLUMNS, *pictured)
        if row.get("guess"):
            proposal["remarks"] = remark(row["guess"], unpack_case(row))
        if row["status"] == "ok":
            references = [digest_of(one["image"]["bytes"]) for one in proposal["images"] if one["role"] == "reference"]
            wrong = next(mistakes(proposal["prompt"], unpack_case(proposal), references), None)
            proposal |= {"status": "unusable", "reason": wrong} if wrong else {}
        rows.append(proposal)
    return rows


def remark(guess: str, case: Mapping[str, Any]) -> str:
    right = name_score(guess, case["names"], case["distractors"])
    return f"{GUESSED_RIGHTLY if right else 'guessed wrongly: '}{guess}"


def item_of(row: Row) -> GirItem:
    values = {name: row[name] for name in ("id", "prompt", "task")} | unpack_case(row)
    if texts := [values[name] for name in HELD_OUT_KEYS if name in values]:
        values["texts"] = texts
    if row.get("images"):
        values["images"] = row["images"]
    return GirItem.model_validate(values)


def objections(row: Row, texts: Mapping[str, str]) -> Iterator[str]:
    references = [one["sha256"] for one in row.get("images") or () if one["role"] == "reference"]
    yield from (f"new_prompt: {mistake}" for mistake in mistakes(row["prompt"], unpack_case(row), references))


def mistakes(prompt: str, case: Mapping[str, Any], references: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a case of any task, by its own keys. `references`: digests of its pictures."""
    if word := name_word_in(prompt, case.get("names", ())):
        yield f"the description contains {word!r}, which is a word of the entity's name"
    if len(set(references)) < len(references):
        yield "two of its references are the same picture"
    if not any(case.get("numbers", (1,))):
        yield "all its numbers are 0: an empty picture would be right"
    if "lettering" in case and case["lettering"].casefold() in prompt.casefold():
        yield "the prompt contains the lettering that has to be found"
    if "share" in case.get("proof", ()) and GREEN_LEVELS not in prompt:
        yield f"the prompt does not say in which colour the region is to be painted: {GREEN_LEVELS}"
