"""Cases of all sub-tasks, drawn by a seed: what they say, what their pictures show, and what is right (2.2)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from gamut.evaluation.construction.drawing import distinct
from gamut.evaluation.construction.slots import Slots
from gamut.tables.columns import Row, make_id
from gamut.texts.near_duplicates import Reading, near
from stages.genius.construction import other_worlds, phrases, preferences, symbols, visual_rules
from stages.genius.construction.cases import KEPT, Case, Rule, in_full, multimodal_hint, rule_hint, shows, text_hint
from stages.genius.construction.parameters import Params
from stages.genius.construction.scenes import Pool, in_words, read_pool
from stages.genius.shared.items import SUB_TASKS

RULES: Mapping[str, Rule] = {
    **preferences.RULES,
    **symbols.RULES,
    **visual_rules.RULES,
    **other_worlds.RULES,
    **phrases.RULES,
}
"""By sub-task, in the order of `shared.items.SUB_TASKS`."""


def unlike(sub_task: str, seed: int, count: int, pool: Pool, similarity: float) -> Iterator[Case]:
    """Draw cases of which none is like an earlier one; fewer are the first of more. ValueError for a small pool."""
    kept: list[Reading] = []

    def draw(chance: random.Random) -> Case | None:
        case = RULES[sub_task](chance, pool)
        reading = Reading(in_full(case, pool)) if case else None
        if reading is None or any(near(reading, other, similarity) for other in kept):
            return None
        kept.append(reading)
        return case

    return distinct(sub_task, seed, count, draw, lambda case: case)


def draw_cases(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    slots.write([*rows(slots.seed(), propose.cases, read_pool(Path(propose.pool)), propose.similarity)])


def paint_pictures(slots: Slots[Params]) -> None:
    """Make the pictures: a person's own, else painted by the author of what each is to show, said plainly."""
    rows: list[Row] = [
        {"id": row["id"], "name": picture["name"], "described": f"{picture['shows'][0].upper()}{picture['shows'][1:]}."}
        for row in slots.usable("draw_cases")
        for picture in row["pictures"]
    ]
    slots.paint(rows, slots.own_pictures("input"), lambda row: slots.seed(f"{row['id']}/{row['name']} painted"))


def rows(seed: int, count: int, pool: Pool, similarity: float) -> Iterator[Row]:
    """Yield so many cases of each sub-task as rows, in the order of their ids, none like another."""
    for task, sub_tasks in SUB_TASKS.items():
        for sub_task in sub_tasks:
            for number, case in enumerate(unlike(sub_task, seed, count, pool, similarity)):
                yield {"task": task, "sub_task": sub_task} | row_of(make_id(sub_task, number), case, pool)


def row_of(row_id: str, case: Case, pool: Pool) -> Row:
    """Return a case as a row; its pictures are called `input_1` and so on."""
    names = {name: f"input_{number}" for number, (name, _) in enumerate(case.pictures, start=1)}
    words = {
        "context": case.context,
        "prompt": case.prompt,
        "rule_hint": rule_hint(case, pool),
        "text_hint": text_hint(case, pool),
        "multimodal_hint": multimodal_hint(case, pool),
    }
    hints = [{"hint": KEPT[what], "reference": names[name]} for what, name in case.kept]
    return {
        "id": row_id,
        "status": "ok",
        **{name: renamed(text, names) for name, text in words.items()},
        "distractors": "\n".join(shows(scene, pool) for scene in case.others),
        "consistency_hints": orjson.dumps(hints).decode(),
        "pictures": [{"name": names[name], "shows": in_words(scene, pool)} for name, scene in case.pictures],
    }


def renamed(text: str, names: dict[str, str]) -> str:
    """Return a text that calls its pictures by other names."""
    for name, other in names.items():
        text = text.replace(f"<image:{name}>", f"<image:{other}>")
    return text
