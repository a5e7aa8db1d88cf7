"""The proposed items, from reviewed rows to items, and problems of a rewritten row.

A reference, its keywords and its checklist belong together: a reviewer who changes one must check the others.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gamut.evaluation.construction import checklist_lines as lines
from gamut.evaluation.construction.proposals import proposal_figures, write_proposal
from gamut.evaluation.construction.slots import Slots
from gamut.evaluation.running.placing import misnaming, names_in
from gamut.tables.columns import Row
from stages.aegis.construction.checklists import COUNTED
from stages.aegis.construction.parameters import Params, read_taxonomy
from stages.aegis.shared.items import ABOUT, AegisItem, CheckQuestion

REMOVED = 20.0
"""Per cent of the questions that people removed (section 3.3)."""
BESIDE = ("topic", "task", "reasoning", "remarks")
TEXTS = ("prompt", "clear_prompt", "reference", "keywords", "checklist")
COLUMNS = (*BESIDE, *TEXTS)
REPEATABLE = ("reference", "keywords", "checklist")
"""Texts that may be the same for several items: the right answer to many questions is "Two."."""


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write the proposal, with why items are left out. Return its figures next to the paper's (table 2)."""
    waves = dict[str, list[Row]]()
    joined = slots.joined("choose", "enhance", "picture", "refer", "extract", "check", "refine")
    for row in joined:
        proposal = slots.proposed_row(row, COLUMNS, "picture", "refer")
        proposal["keywords"] = "\n".join(proposal["keywords"])
        waves.setdefault(row["id"].rpartition("-")[0], []).append(proposal)
    propose = slots.params.propose
    proposed = write_proposal("aegis", slots.edition, waves, COLUMNS, propose.similarity)
    usable = {row["id"] for row in proposed if row["status"] == "ok"}
    items = [row for row in joined if row["id"] in usable]
    return proposal_figures(proposed, ["topic", "task"]) | shares_of(items, read_taxonomy(propose.taxonomy).shares)


def shares_of(items: Sequence[Row], shares: Mapping[str, float]) -> dict[str, float]:
    """Return kinds of reasoning, removed questions and covered key points, in per cent, and the paper's values."""
    if not items:
        return {}
    of = {name: sum(row[name] for row in items) for name in COUNTED}
    reasoning = Counter(row["reasoning"] for row in items)
    parts = {f"reasoning.{kind}": (reasoning[kind], len(items)) for kind in shares}
    parts |= {"questions.removed": (of["removed"], of["written"])}
    parts |= {"keywords.covered": (of["keywords_covered"], of["keywords_wanted"])}
    figures = {name: round(100 * part / whole, 2) for name, (part, whole) in parts.items()}
    figures |= {f"reasoning.{kind}.paper": share for kind, share in shares.items()}
    figures |= {"questions.removed.paper": REMOVED}
    figures |= {"questions.of_an_item": round((of["written"] - of["removed"]) / len(items), 2)}
    return figures | {f"questions.{name}": of[name] for name in ("written", "inverted")}


def items_of(accepted: Sequence[Row]) -> list[AegisItem]:
    """Return accepted rows as items, `<topic>/<task>/<number from 0>`. ValueError for a row that cannot become one."""
    count, items = Counter[str](), []
    for row in accepted:
        place = f"{row['topic']}/{row['task']}"
        own = {name: row[name] for name in ("task", "topic", "reasoning", "prompt", "clear_prompt", "reference")}
        checklist = tuple(CheckQuestion(**line._asdict()) for line in lines.read_checklist(row["checklist"]))
        texts = [text for text in (row["clear_prompt"], row["reference"]) if text.strip()]
        made = {"keywords": row["keywords"].splitlines(), "checklist": checklist, "texts": texts}
        made |= {"id": f"{place}/{count[place]}", "images": row.get("images") or ()}
        items.append(AegisItem.model_validate(own | made))
        count[place] += 1
    return items


def objections(row: Row, texts: Mapping[str, str]) -> Iterator[str]:
    roles = Counter(one["role"] for one in row.get("images") or ())
    for name in ("prompt", "clear_prompt"):
        if mistake := misnaming(row[name], roles["input"]):
            yield f"new_{name}: {mistake}"
    if mistake := misnaming(row["reference"], roles["reference"]) if names_in(row["reference"]) else None:
        yield f"new_reference: {mistake}"
    if texts.get("reference") and not (texts.get("keywords") and texts.get("checklist")):
        yield "new_reference: give new_keywords and new_checklist too, the same ones where they still hold"
    try:
        asked = lines.read_checklist(row["checklist"])
        abouts = {line.about for line in asked} - set(ABOUT[row["task"]])
        if loose := {line.keyword for line in asked if line.keyword} - {*row["keywords"].splitlines()}:
            yield f"new_checklist: {min(loose)!r} is not one of the keywords: change one of the two"
    except ValueError as error:
        yield f"new_checklist: {error}"
    else:
        yield from (
            f"new_checklist: answers to {row['task']} have nothing for [{one.capitalize()}]" for one in sorted(abouts)
        )
