"""Answers that came with some of what was asked for, on the toy of docs/benchmarks.md: what is there is judged."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Reply, Request
from gamut.evaluation.boards import score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.questions import JudgeQuestion
from gamut.evaluation.scoring.specs import digest_of_specs
from gamut.project.roles import RoleModel
from tests.evaluation import test_toy
from tests.evaluation.expected_specs import specs_of
from tests.evaluation.toy_project import ONE, Played, canned, params_of, put_edition, rows

toy = test_toy.toy


@pytest.fixture(scope="module")
def parted(toy: Benchmark[Any, Any]) -> Benchmark[Any, Any]:
    """The toy, in whose tasks for words and picture the first statement is about the words, the others about both."""

    def judge_questions(block: Any, item: Any, setting: str) -> list[JudgeQuestion]:
        of_item = list(toy.judge_questions(block, item, setting))
        if item.kind != "both":
            return of_item
        [one] = of_item
        return [replace(one, about=[("text",), *[("text", "image")] * (len(one.measures) - 1)])]

    return replace(toy, judge_questions=judge_questions)


def without_picture(role_model: RoleModel, request: Request) -> Reply:
    if isinstance(request, Create) and request.modalities == ("text", "image"):
        return Reply(bundle(["Here it is."]))
    if isinstance(request, Create) and request.modalities == ("image",):
        return Reply(b"I would rather not.")
    return canned(role_model, request)


def test_what_an_answer_lacks_is_its_failure_and_what_is_there_is_judged(
    parted: Benchmark[Any, Any], toy: Benchmark[Any, Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_edition(project)
    checked: Counter[str] = Counter()

    def respond(role_model: RoleModel, request: Request) -> Reply:
        checked[request.name if isinstance(request, Chat) else ""] += 1
        return without_picture(role_model, request)

    Played(monkeypatch, respond)
    params = params_of(toy, one=ONE | {"settings": {"toy": ["apart"]}, "max_failures": 8})
    answer.answer(parted, params, "one")
    assert Counter(row["status"] for row in rows("answers/one")) == {"ok": 8, "missing_output": 8}
    checked.clear()
    judge.judge(parted, params, "one", "world")
    assert checked == {"said": 4, "checklist_of_parts": 4 + 4}
    of_both = [row for row in rows("judgments/one/world/answers") if row["item"].startswith("both-")]
    assert [(row["part"], row["value"], row["status"]) for row in of_both] == [(0, 1, "ok")] * 4
    observe.observe(parted, "detector", params, "one", "world")
    judge.judge_controls(parted, params, "one", "world")
    assert {row["item"].partition("-")[0] for row in rows("judgments/one/world/controls")} == {"words", "picture"}
    score.score(parted, params, "one")
    found = json.loads(Path("metrics/toy/v1/contestants/one.json").read_text())
    # one statement, two, three, and two: the first of each holds
    assert found["apart.world.both"] == pytest.approx(100 * (1 + 1 / 2 + 1 / 3 + 1 / 2) / 4, abs=0.001)
    assert found["apart.world.both_hi"] <= 100 and found["apart.world.judged_share"] == 1
    assert (found["apart.world.picture"], found["apart.world.edit"]) == (100, 0), "words are no part of an edit"
    specs = {(row["item"], row["measure"]): row["spec"] for row in rows("scores/one")}
    assert specs == specs_of(parted, params, "apart", "world") != specs_of(toy, params, "apart", "world")
    assert found["spec.apart.world"] == digest_of_specs(rows("scores/one"))


def test_without_a_word_on_what_questions_are_about_an_answer_in_part_is_not_judged(
    toy: Benchmark[Any, Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_edition(project)
    Played(monkeypatch, without_picture)
    params = params_of(toy, one=ONE | {"settings": {"toy": ["apart"]}, "max_failures": 8})
    answer.answer(toy, params, "one")
    judge.judge(toy, params, "one", "world")
    assert {row["item"].partition("-")[0] for row in rows("judgments/one/world/answers")} == {"words", "picture"}
