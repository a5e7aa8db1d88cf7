"""All sub-tasks with their rules, and cases drawn by them: the same seed, the same cases, none twice or alike."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from stages.evaluation.curating.drawing import distinct
from stages.genius.construction import other_worlds, phrases, preferences, symbols, visual_rules
from stages.genius.construction.cases import Case, Rule, in_full
from stages.genius.construction.scenes import Pool
from stages.texts.near_duplicates.pairs import Reading, near

RULES: Mapping[str, Rule] = {
    **preferences.RULES,
    **symbols.RULES,
    **visual_rules.RULES,
    **other_worlds.RULES,
    **phrases.RULES,
}
"""By sub-task, in the order of `shared.items.SUB_TASKS`."""


def cases(sub_task: str, seed: int, count: int, pool: Pool) -> Iterator[Case]:
    """Draw so many cases of a sub-task; fewer are the first of more. ValueError where the pool is too small."""
    rule = RULES[sub_task]
    return distinct(sub_task, seed, count, lambda chance: rule.draw(chance, pool), lambda case: case)


def unlike(sub_task: str, seed: int, count: int, pool: Pool, similarity: float) -> Iterator[Case]:
    """Draw so many cases of which none is so similar to an earlier one, 0.7..1 of the words of all that they say and
    show; fewer are the first of more. ValueError where the pool is too small.
    """
    kept: list[Reading] = []

    def draw(chance: random.Random) -> Case | None:
        case = RULES[sub_task].draw(chance, pool)
        reading = Reading(in_full(case, pool)) if case else None
        if reading is None or any(near(reading, other, similarity) for other in kept):
            return None
        kept.append(reading)
        return case

    return distinct(sub_task, seed, count, draw, lambda case: case)
