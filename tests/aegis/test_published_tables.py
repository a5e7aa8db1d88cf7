"""The printed tables 3 and 7 of AEGIS through its record: from tasks by domain to `overall`, weighted by items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from gamut.evaluation.scoring.scores import item_scores, score_matrix
from stages.aegis.shared.benchmark import AEGIS, metrics
from stages.aegis.shared.items import DOMAINS, TASKS, AegisItem, CheckQuestion
from tests.evaluation.scoring.reported import values
from tests.paths import ROOT

Printed = Sequence[float | None]
PRINTED = json.loads((ROOT / AEGIS.printed).read_text())["tables"]
TABLES: dict[str, Printed] = PRINTED["table_3"] | PRINTED["table_7"]
PARTS = [(task, domain) for task in TASKS for domain in DOMAINS]
"""Columns in the order in which they are printed; behind them stands the overall average."""
QUESTION = CheckQuestion(question="Is it so?", about="text")


def edition() -> list[AegisItem]:
    """As the paper says: 315, 315, 315 and 105 items, a third of a task in each domain, as many of each topic."""
    texts: dict[str, Any] = {"prompt": "p", "clear_prompt": "c", "reasoning": "none", "checklist": [QUESTION]}
    topics = [(task, topic) for task, domain in PARTS for topic in DOMAINS[domain]]
    each = [place for place in topics for _ in range(5 if place[0] == "interleaved" else 15)]
    return [AegisItem(id=n, task=task, topic=topic, **texts) for n, (task, topic) in enumerate(each)]


ITEMS = {str(item.id): item for item in edition()}
PLACES = {name: AEGIS.place(item) for name, item in ITEMS.items()}


def recomputed(row: Printed) -> dict[str, float]:
    printed = dict(zip(PARTS, row[:12], strict=True))
    scored = {name: printed[item.task, item.domain] for name, item in ITEMS.items()}
    there = {name: score / 100 for name, score in scored.items() if score is not None}
    place = {"setting": "raw", "sample": 0, "status": "ok", "replies": [{}]}
    answers = [place | {"item": name} for name in there]
    observed = [place | {"item": name, "question": "met", "value": value} for name, value in there.items()]
    rows = item_scores(answers, {"judge": observed}, PLACES, lambda *_: {"met": 1}, AEGIS.measures)
    nothing = dict.fromkeys(("value", "low", "high")) | {"off_task": True, "setting": "raw", "measure": "met"}
    rows += [nothing | {"item": name, "groups": PLACES[name].groups} for name in ITEMS if name not in there]
    block: Any = SimpleNamespace(all_settings=["raw"])
    [metric] = metrics(block)
    return values(score_matrix(rows, list(ITEMS), metric), metric.reported)


COMPLETE = {name: row for name, row in TABLES.items() if None not in row}
INCONSISTENT = {"BLIP3o*": (12.72, 13.7)}
"""What its parts give, and what is printed: the one complete row that does not add up."""


@pytest.mark.parametrize("name", COMPLETE)
def test_overall_is_what_is_printed(name: str) -> None:
    found = recomputed(COMPLETE[name])
    printed = COMPLETE[name][12]
    assert printed is not None
    if name in INCONSISTENT:
        assert (round(found["overall"], 2), printed) == INCONSISTENT[name]
    else:
        assert abs(found["overall"] - printed) <= 0.1
    assert [found[f"{task}.{domain}"] for task, domain in PARTS] == pytest.approx(COMPLETE[name][:12])


def test_who_does_not_do_all_tasks_has_no_overall() -> None:
    """Three tasks or fewer: `overall` is printed for none of them, and tasks are."""
    lacking = {name: row for name, row in TABLES.items() if None in row}
    assert len(COMPLETE) == 16 and len(lacking) == 13 and all(row[12] is None for row in lacking.values())
    for name, row in lacking.items():
        found = recomputed(row)
        done = [task for task in TASKS if all(row[PARTS.index((task, domain))] is not None for domain in DOMAINS)]
        assert "overall" not in found and [task for task in TASKS if task in found] == done, name
