"""Cases of all sub-tasks, drawn by a seed: their texts, the content of their pictures, and what is right (2.2)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.evaluation.construction.slots import Slots
from gamut.tables.columns import Row, make_id
from gamut.texts.near_duplicates import Reading, near_duplicate_similarity
from stages.genius.construction import other_worlds, phrases, preferences, symbols, visual_rules
from stages.genius.construction.cases import Case, Pool, Rule, full_text, read_pool, row_of
from stages.genius.construction.parameters import Params
from stages.genius.shared.items import SUB_TASKS

RULES: Mapping[str, Rule] = {
    **preferences.RULES,
    **symbols.RULES,
    **visual_rules.RULES,
    **other_worlds.RULES,
    **phrases.RULES,
}
"""By sub-task, in the order of `shared.items.SUB_TASKS`."""


def draw_unlike(sub_task: str, seed: int, count: int, pool: Pool, similarity: float) -> Iterator[Case]:
    """Draw cases of which none resembles an earlier one. The first cases do not depend on the count. UserError if the
    pool is too small.
    """
    readings: list[Reading] = []

    def draw(chance: random.Random) -> Case | None:
        case = RULES[sub_task](chance, pool)
        reading = Reading(full_text(case, pool)) if case else None
        if reading is None or any(near_duplicate_similarity(reading, other, similarity) for other in readings):
            return None
        readings.append(reading)
        return case

    return distinct_cases(sub_task, seed, count, draw, lambda case: case)


def draw_cases(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    slots.write([*case_rows(slots.seed(), propose.cases, read_pool(Path(propose.pool)), propose.similarity)])


def paint_pictures(slots: Slots[Params]) -> None:
    """Make the pictures: a person's own, or painted by the author from a plain description."""
    rows: list[Row] = [
        {"id": row["id"], "name": picture["name"], "described": f"{picture['shows'][0].upper()}{picture['shows'][1:]}."}
        for row in slots.usable("draw_cases")
        for picture in row["pictures"]
    ]
    slots.paint(rows, slots.own_pictures("input"), lambda row: slots.seed(f"{row['id']}/{row['name']} painted"))


def case_rows(seed: int, count: int, pool: Pool, similarity: float) -> Iterator[Row]:
    """Yield so many cases of each sub-task as rows, in the order of their ids, with none like another."""
    for task, sub_tasks in SUB_TASKS.items():
        for sub_task in sub_tasks:
            for number, case in enumerate(draw_unlike(sub_task, seed, count, pool, similarity)):
                yield {"task": task, "sub_task": sub_task} | row_of(make_id(sub_task, number), case, pool)
