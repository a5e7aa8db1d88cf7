"""From judges' rows to boards: the printed example over all five tasks, items without hints, items with two."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.running import answers, judging
from gamut.evaluation.scoring.scores import coverage, item_scores, left_out_counts, score_bounds
from gamut.tables.columns import Row, make_id
from gamut.tables.writing import TableWriter
from stages.genius.released import Scores, released, released_metrics
from stages.genius.shared.items import DIMENSION_OF, SUB_TASKS, TASKS, GeniusItem, Task
from stages.genius.shared.metrics import JUDGED, gain_metric, metrics, setting_metric
from tests.evaluation.scoring.reported import values
from tests.genius.small_genius import BLOCK, GIVEN, RECORD, SETTING, genius_item, params_of

[METRIC] = RECORD.metrics_in(params_of())


@cache
def published() -> tuple[GeniusItem, ...]:
    made = genius_item(hints=1)
    counted = [(task, number, number < PUBLISHED[task][1]) for task in TASKS for number in range(PUBLISHED[task][0])]
    return tuple(
        made.model_copy(
            update={
                "id": f"{task}_{number}",
                "task": task,
                "consistency_hints": made.consistency_hints if hinted else (),
            }
        )
        for task, number, hinted in counted
    )


def board(items: Sequence[GeniusItem], rows: Sequence[Row]) -> tuple[dict[str, float], list[Row]]:
    places = {str(item.id): RECORD.place(item) for item in items}
    expected = {str(item.id): RECORD.expected(BLOCK, item, SETTING, 1) for item in items}
    made = [{"item": id, "setting": SETTING, "sample": 0, "status": "ok", "replies": [{}]} for id in places]
    scores = item_scores(made, {"world": rows}, places, lambda item, setting: expected[item], RECORD.measures)
    return values(score_bounds(scores, list(places), METRIC).low, METRIC.reported), scores


def observed(item: GeniusItem, measure: str, value: float | None, status: str = "ok") -> Row:
    return {
        "item": str(item.id),
        "setting": SETTING,
        "sample": 0,
        "question": measure,
        "value": value,
        "status": status,
    }


def test_a_printed_row_over_all_tasks_comes_to_its_overall_with_coverage_1() -> None:
    """RC: (86 * 66.86 + 153 * 71.38 + 60 * 76.67 + 101 * 52.97 + 110 * 35.45) / 510 = 59.845; VC over 74, 131, 12 and
    58 items of 275 is 47.454; AQ over all 510 93.711. 0.6 * 59.845 + 0.35 * 47.454 + 0.05 * 93.711 = 57.20; 57.19 is
    printed. The 235 items that have no hint were not to be asked, and are not missing.
    """
    rows = []
    for item in published():
        of_task = dict(zip(JUDGED, NANO_BANANA_PRO[item.task], strict=True))
        for measure in RECORD.expected(BLOCK, item, SETTING, 1):
            value = of_task[measure]
            assert value is not None
            rows.append(observed(item, measure, value / 50))
    found, scores = board(published(), rows)
    assert round(found["overall"], 2) == 57.20
    assert [round(found[measure], 3) for measure in JUDGED] == [59.845, 47.454, 93.711]
    assert [round(found[f"{task}.rule_compliance"], 2) for task in TASKS] == [
        one for one, _, _ in NANO_BANANA_PRO.values()
    ]
    assert len(scores) == 510 + 275 + 510
    assert coverage(scores) == 1 and left_out_counts(scores) == {}


def test_what_was_to_be_judged_and_was_not_is_missing() -> None:
    """One of 275 hints without a row: 1294 of 1295 scores are there."""
    rows = [observed(item, measure, 2) for item in published() for measure in RECORD.expected(BLOCK, item, SETTING, 1)]
    place = next(number for number, row in enumerate(rows) if row["question"] == "visual_consistency")
    found, scores = board(published(), rows[:place] + rows[place + 1 :])
    assert coverage(scores) == pytest.approx(1294 / 1295) and left_out_counts(scores) == {"judged.not_asked": 1}
    assert found["visual_consistency"] == pytest.approx(100 * 274 / 275)


def test_an_item_with_two_hints_counts_as_much_as_one_with_one() -> None:
    """(2 + 1) / 2 = 1.5 of the one, 0 of the other: 50 * 0.75 = 37.5 of 100, not 50 * (2 + 1 + 0) / 3."""
    two, one = genius_item(), genius_item(hints=1, id="8")
    assert RECORD.expected(BLOCK, two, SETTING, 3) == {
        "rule_compliance": 3,
        "visual_consistency": 6,
        "aesthetic_quality": 3,
    }
    hints = [observed(two, "visual_consistency", value) for value in (2, 1)]
    found, _ = board([two, one], [*hints, observed(one, "visual_consistency", 0)])
    assert found["visual_consistency"] == 37.5


def test_items_of_all_kinds_fit_the_record() -> None:
    items = [genius_item(hints=hints, task=task) for task in TASKS for hints in range(3)]
    assert [RECORD.misfit(item, [SETTING], BLOCK) for item in items] == [None] * 15


POINTS = {
    "implicit_pattern": (115, 66, 166),
    "symbolic_constraint": (217, 131, 280),
    "visual_constraint": (92, 16, 116),
    "prior_conflicting": (107, 48, 183),
    "multi_semantic": (78, 0, 209),
}
"""Points of 2 an item that the printed row stands for, of rule, consistency and looks."""


def test_with_whole_scores_and_one_item_dropped_all_of_the_printed_row_comes_out() -> None:
    """217 of 304 points are 71.38, and 280 are 92.11: the printed numbers of symbolic_constraint are those of 152
    items; of 153 no whole number of points gives them. The script drops an item where a request fails. So the overall
    is 57.19, as printed.
    """
    left = {task: list(points) for task, points in POINTS.items()}
    scored = []
    for item in published():
        of = {measure: min(2, left[item.task][place]) for place, measure in enumerate(JUDGED)}
        if not item.consistency_hints:
            del of["visual_consistency"]
        if item.id == "symbolic_constraint_152":
            scored.append((item, Scores(None, ["dropped"])))
            continue
        for place, measure in enumerate(JUDGED):
            left[item.task][place] -= of.get(measure, 0)
        scored.append((item, Scores(of)))
    assert {*map(tuple, left.values())} == {(0, 0, 0)}, "all points are spent"
    found = released_metrics(scored)
    printed = {
        f"{task}.{measure}": value
        for task, row in NANO_BANANA_PRO.items()
        for measure, value in zip(JUDGED, row, strict=True)
        if value is not None
    }
    assert printed.items() <= found.items() and len(printed) == 14
    assert (found["overall"], found["n"], found["dropped"]) == (57.19, 510, 1)
    for points in (217, 280):
        share = round(100 * points / 304, 2)
        assert all(round(100 * whole / 306, 2) != share for whole in range(307))


def write_tables(contestant: str, said: Sequence[tuple[str, str]]) -> None:
    where = {"id": make_id(f"{SETTING}-0", 0), "item": "7", "setting": SETTING, "sample": 0}
    made = dict.fromkeys(answers.SCHEMA.names) | where | {"status": "ok" if said else "missing_output", "replies": []}
    rows = []
    for measure, text in said:
        reply = {"fingerprint": "f", "finish": "stop", "content": text, "input_tokens": 1, "output_tokens": 1}
        own = {"part": 0, "question": measure, "repeat": 0, "replies": [reply]}
        rows.append(dict.fromkeys(judging.SCHEMA.names) | where | own)
    for folder, schema, content in (
        (RECORD.answers / contestant, answers.SCHEMA, [made]),
        (RECORD.answer_judgments(contestant, "world"), judging.SCHEMA, rows),
    ):
        with TableWriter(folder, schema) as table:
            table.write(f"{SETTING}-0-00000", content)


def test_the_stage_writes_every_contestant_by_judge(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be read is 0; who has no picture has 0. Run again, the same bytes."""
    freeze_edition(
        "genius", "v1", [genius_item(hints=0)], {one.sha256: GIVEN[one.name] for one in genius_item().images}
    )
    write_tables("good", [("rule_compliance", "Sure!"), ("aesthetic_quality", '{"reason": "r", "score": 2}')])
    write_tables("poor", [])
    path, written = Path("metrics/genius/v1/released.json"), []
    for _ in range(2):
        released(params_of())
        written.append(path.read_bytes())
    assert written[0] == written[1]
    task = "symbolic_constraint"
    good = {
        "rule_compliance": 0,
        "aesthetic_quality": 100,
        f"{task}.rule_compliance": 0,
        f"{task}.aesthetic_quality": 100,
    }
    good |= {"n": 1, "dropped": 0, "because.unread": 1}
    poor = dict.fromkeys(good, 0) | {"n": 1, "because.no_picture": 1}
    del poor["because.unread"]
    assert json.loads(written[0]) == {
        f"{SETTING}.world.{name}.{key}": value
        for name, own in (("good", good), ("poor", poor))
        for key, value in own.items()
    }
    assert "genius.board: good, interleaved, world: 0 of 1 answers are dropped, overall -" in capsys.readouterr().out


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
MAIN = setting_metric("main", "interleaved")


def scores(
    row: Mapping[Task, tuple[float | None, ...]], sizes: Mapping[Task, tuple[int, int]], metric: Metric
) -> NDArray:
    """Scores 0..2 of as many items of each task, all alike; so many of them have visual consistency."""
    items = [(task, number < with_vc) for task in TASKS for size, with_vc in [sizes[task]] for number in range(size)]
    found = np.full((len(items), len(metric.columns)), np.nan)
    for number, (task, has_vc) in enumerate(items):
        by_measure = dict(zip(("rule_compliance", "visual_consistency", "aesthetic_quality"), row[task], strict=True))
        sub_task = SUB_TASKS[task][number % len(SUB_TASKS[task])]
        for place, column in enumerate(metric.columns):
            value = by_measure[column.measure]
            if column.group not in ("all", DIMENSION_OF[task], task, sub_task) or value is None:
                continue
            if column.measure != "visual_consistency" or has_vc:
                found[number, place] = value / 50
    return found


def test_a_task_has_what_its_items_have() -> None:
    """0.6 * 66.86 + 0.35 * 44.59 + 0.05 * 96.51 = 60.548; without consistency 0.6 * 35.45 + 0.05 * 95 = 26.02, which is
    not brought up to 100.
    """
    found = values(scores(NANO_BANANA_PRO, PUBLISHED, MAIN), MAIN.reported)
    assert found["implicit_pattern"] == pytest.approx(60.548) and found["pattern_induction"] == pytest.approx(60.548)
    assert found["multi_semantic"] == pytest.approx(26.02)
    assert "multi_semantic.visual_consistency" not in found and "verb_phrase.visual_consistency" not in found
    assert found["gravity.rule_compliance"] == pytest.approx(52.97)


def test_the_best_and_the_worst() -> None:
    """0.6 * 100 + 0.35 * 100 + 0.05 * 100 = 100, of a task without visual consistency 65."""
    best = {task: (100.0, 100.0 if task != "multi_semantic" else None, 100.0) for task in TASKS}
    found = values(scores(best, PUBLISHED, MAIN), MAIN.reported)
    assert found["overall"] == pytest.approx(100) and found["multi_semantic"] == pytest.approx(65)
    nothing = dict.fromkeys(TASKS, (0.0, 0.0, 0.0))
    assert set(values(scores(nothing, PUBLISHED, MAIN), MAIN.reported).values()) == {0.0}


def test_an_item_counts_as_much_as_any_other() -> None:
    """Two items of one task with 2 points of rule compliance and one of another with none: 2/3 of 100, no mean of
    tasks.
    """
    sizes = dict.fromkeys(TASKS, (0, 0)) | {"implicit_pattern": (2, 2), "prior_conflicting": (1, 1)}
    row = dict.fromkeys(TASKS, (0.0, 0.0, 0.0)) | {"implicit_pattern": (100.0, 0.0, 0.0)}
    found = values(scores(row, sizes, MAIN), MAIN.reported)
    assert found["rule_compliance"] == pytest.approx(200 / 3) and found["overall"] == pytest.approx(40)


def test_metrics_are_of_what_is_measured() -> None:
    """All are ranked on one board: interleaved, else edit, else fine-grained, of what is measured."""
    found = {metric.name: metric for metric in metrics(["interleaved", "edit", "without_context"])}
    assert list(found) == ["main", "edit", "interleaved", "edit_over_interleaved", "without_context_over_interleaved"]
    assert found["main"].settings_counted(["edit", "without_context"]) == ("edit",)
    assert [metric.name for metric in metrics(["interleaved"])] == ["main"]
    assert [metric.name for metric in metrics(["edit"])] == ["edit"]


def test_a_gain_is_of_the_same_items_on_both_settings() -> None:
    """Rule compliance 2 and 1 of two items, without their context 0 and 1: 25 - 75 = -50."""
    metric = gain_metric("without_context", "interleaved")
    found = np.full((2, len(metric.columns)), np.nan)
    for place, column in enumerate(metric.columns):
        if column.group not in ("all", "multi_semantic") or column.measure == "visual_consistency":
            continue
        ruled = {"interleaved": (2, 1), "without_context": (0, 1)}[column.setting]
        found[:, place] = (2, 2) if column.measure == "aesthetic_quality" else ruled
    reported = values(found, metric.reported)
    assert reported["gain.rule_compliance"] == reported["gain.multi_semantic"] == pytest.approx(-50)
