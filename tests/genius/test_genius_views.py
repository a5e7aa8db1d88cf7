"""The overall of GENIUS from printed scores by task, and what of it a task without visual consistency can reach."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from stages.evaluation.defining.measures import View
from stages.evaluation.scoring.values import values
from stages.genius.shared.items import DIMENSION_OF, SUB_TASKS, TASKS, Task
from stages.genius.shared.views import of_side, over, views

PUBLISHED = {
    "implicit_pattern": (86, 74),
    "symbolic_constraint": (153, 131),
    "visual_constraint": (60, 12),
    "prior_conflicting": (101, 58),
    "multi_semantic": (110, 0),
}
"""Items of each task in the published edition, and how many of these have a hint for visual consistency."""
NANO_BANANA_PRO = {
    "implicit_pattern": (66.86, 44.59, 96.51),
    "symbolic_constraint": (71.38, 50.00, 92.11),
    "visual_constraint": (76.67, 66.67, 96.67),
    "prior_conflicting": (52.97, 41.38, 90.59),
    "multi_semantic": (35.45, None, 95.00),
}
"""A printed row of table 2: rule compliance, visual consistency, aesthetic quality of each task; overall 57.19."""
VIEW = of_side("main", "interleaved")


def scores(row: Mapping[Task, tuple[float | None, ...]], sizes: Mapping[Task, tuple[int, int]], view: View) -> NDArray:
    """Scores 0..2 of as many items of each task, all alike; so many of them have visual consistency."""
    items = [(task, number < with_vc) for task in TASKS for size, with_vc in [sizes[task]] for number in range(size)]
    found = np.full((len(items), len(view.columns)), np.nan)
    for number, (task, has_vc) in enumerate(items):
        by_measure = dict(zip(("rule_compliance", "visual_consistency", "aesthetic_quality"), row[task], strict=True))
        sub_task = SUB_TASKS[task][number % len(SUB_TASKS[task])]
        for place, column in enumerate(view.columns):
            value = by_measure[column.measure]
            if column.group not in ("all", DIMENSION_OF[task], task, sub_task) or value is None:
                continue
            if column.measure != "visual_consistency" or has_vc:
                found[number, place] = value / 50
    return found


def test_a_printed_row_comes_to_its_printed_overall() -> None:
    """RC: (86 * 66.86 + 153 * 71.38 + 60 * 76.67 + 101 * 52.97 + 110 * 35.45) / 510 = 59.845; VC over 74, 131, 12 and
    58 items of 275 is 47.454; AQ over all 510 93.711. 0.6 * 59.845 + 0.35 * 47.454 + 0.05 * 93.711 = 57.201; 57.19 is
    printed.
    """
    found = values(scores(NANO_BANANA_PRO, PUBLISHED, VIEW), VIEW.reported)
    assert found["rule_compliance"] == pytest.approx(59.845, abs=0.001)
    assert found["visual_consistency"] == pytest.approx(47.454, abs=0.001)
    assert found["aesthetic_quality"] == pytest.approx(93.711, abs=0.001)
    assert found["overall"] == pytest.approx(57.2, abs=0.05)


def test_a_task_has_what_its_items_have() -> None:
    """0.6 * 66.86 + 0.35 * 44.59 + 0.05 * 96.51 = 60.548; without consistency 0.6 * 35.45 + 0.05 * 95 = 26.02, which is
    not brought up to 100.
    """
    found = values(scores(NANO_BANANA_PRO, PUBLISHED, VIEW), VIEW.reported)
    assert found["implicit_pattern"] == pytest.approx(60.548) and found["pattern_induction"] == pytest.approx(60.548)
    assert found["multi_semantic"] == pytest.approx(26.02)
    assert "multi_semantic.visual_consistency" not in found and "verb_phrase.visual_consistency" not in found
    assert found["gravity.rule_compliance"] == pytest.approx(52.97)


def test_the_best_and_the_worst() -> None:
    """0.6 * 100 + 0.35 * 100 + 0.05 * 100 = 100, of a task without visual consistency 65."""
    best = {task: (100.0, 100.0 if task != "multi_semantic" else None, 100.0) for task in TASKS}
    found = values(scores(best, PUBLISHED, VIEW), VIEW.reported)
    assert found["overall"] == pytest.approx(100) and found["multi_semantic"] == pytest.approx(65)
    nothing = dict.fromkeys(TASKS, (0.0, 0.0, 0.0))
    assert set(values(scores(nothing, PUBLISHED, VIEW), VIEW.reported).values()) == {0.0}


def test_an_item_counts_as_much_as_any_other() -> None:
    """Two items of one task with 2 points of rule compliance and one of another with none: 2/3 of 100, no mean of
    tasks.
    """
    sizes = dict.fromkeys(TASKS, (0, 0)) | {"implicit_pattern": (2, 2), "prior_conflicting": (1, 1)}
    row = dict.fromkeys(TASKS, (0.0, 0.0, 0.0)) | {"implicit_pattern": (100.0, 0.0, 0.0)}
    found = values(scores(row, sizes, VIEW), VIEW.reported)
    assert found["rule_compliance"] == pytest.approx(200 / 3) and found["overall"] == pytest.approx(40)


def test_views_are_of_what_is_measured() -> None:
    """All are ranked on one board: interleaved, else edit, else fine-grained, of what is measured."""
    found = {view.name: view for view in views(["interleaved", "edit", "without_context"])}
    assert list(found) == ["main", "edit", "interleaved", "edit_over_interleaved", "without_context_over_interleaved"]
    assert found["main"].counted(["edit", "without_context"]) == ("edit",)
    assert [view.name for view in views(["interleaved"])] == ["main"]
    assert [view.name for view in views(["edit"])] == ["edit"]


def test_a_gain_is_of_the_same_items_on_both_sides() -> None:
    """Rule compliance 2 and 1 of two items, without their context 0 and 1: 25 - 75 = -50."""
    view = over("without_context", "interleaved")
    found = np.full((2, len(view.columns)), np.nan)
    for place, column in enumerate(view.columns):
        if column.group not in ("all", "multi_semantic") or column.measure == "visual_consistency":
            continue
        ruled = {"interleaved": (2, 1), "without_context": (0, 1)}[column.side]
        found[:, place] = (2, 2) if column.measure == "aesthetic_quality" else ruled
    reported = values(found, view.reported)
    assert reported["gain.rule_compliance"] == reported["gain.multi_semantic"] == pytest.approx(-50)
