"""All sub-tasks with their rules, and cases drawn by them: the same seed, the same cases, none twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stages.evaluation.curating.drawing import distinct
from stages.genius.construction import other_worlds, phrases, preferences, symbols, visual_rules
from stages.genius.construction.cases import Case, Rule
from stages.genius.construction.scenes import Pool

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
