"""From reviewed rows of a proposal to items: what a reviewer may rewrite, and what speaks against a rewrite.

A reference and its keywords and checklist belong together: whoever revises the one looks at the others.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from stages.aegis.shared.items import ABOUT, AegisItem, CheckQuestion
from stages.evaluation.curating import checklist_lines as lines
from stages.evaluation.running.placing import misnaming, names_in
from stages.tables.columns import Row

BESIDE = ("topic", "task", "reasoning", "remarks")
TEXTS = ("prompt", "clear_prompt", "reference", "keywords", "checklist")
REPEATABLE = ("reference", "keywords", "checklist")
"""Texts that may be the same for several items: the right answer to many a question is "Two."."""


def items_of(accepted: Sequence[Row]) -> list[AegisItem]:
    """Return accepted rows as items, `<topic>/<task>/<number from 0>`; ValueError where one cannot be."""
    count, items = Counter[str](), []
    for row in accepted:
        place = f"{row['topic']}/{row['task']}"
        own = {name: row[name] for name in ("task", "topic", "reasoning", "prompt", "clear_prompt", "reference")}
        checklist = tuple(CheckQuestion(**line._asdict()) for line in lines.read(row["checklist"]))
        texts = [text for text in (row["clear_prompt"], row["reference"]) if text.strip()]
        made = {"keywords": row["keywords"].splitlines(), "checklist": checklist, "texts": texts}
        made |= {"id": f"{place}/{count[place]}", "images": row.get("images") or ()}
        items.append(AegisItem.model_validate(own | made))
        count[place] += 1
    return items


def objections(own: Row, said: Mapping[str, str]) -> Iterator[str]:
    roles = Counter(one["role"] for one in own.get("images") or ())
    for name in ("prompt", "clear_prompt"):
        if mistake := misnaming(own[name], roles["input"]):
            yield f"new_{name}: {mistake}"
    if mistake := misnaming(own["reference"], roles["reference"]) if names_in(own["reference"]) else None:
        yield f"new_reference: {mistake}"
    if said["new_reference"] and not (said["new_keywords"] and said["new_checklist"]):
        yield "new_reference: give new_keywords and new_checklist too, the same ones where they still hold"
    try:
        asked = lines.read(own["checklist"])
        abouts = {line.about for line in asked} - set(ABOUT[own["task"]])
        if loose := {line.keyword for line in asked if line.keyword} - {*own["keywords"].splitlines()}:
            yield f"new_checklist: {min(loose)!r} is none of the keywords: change one of the two"
    except ValueError as error:
        yield f"new_checklist: {error}"
    else:
        yield from (
            f"new_checklist: answers to {own['task']} have nothing for [{one.capitalize()}]" for one in sorted(abouts)
        )
