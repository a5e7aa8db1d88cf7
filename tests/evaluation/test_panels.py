"""A benchmark without judges, made of the toy: detectors and rules look at answers, and boards are by panels."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from gamut.asking.requests import Detect, Reply, Request
from gamut.asking.seeing import Computing, Detecting
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, observe
from gamut.evaluation.defining.benchmark import Benchmark, ask_nothing
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.measures import Column, Linear, Metric
from gamut.evaluation.defining.parameters import RULES
from gamut.evaluation.defining.questions import Check, MeasuredValue, PartFinding
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.project.validation import check_values
from gamut.report.board import forget_others
from tests.evaluation import test_toy
from tests.evaluation.toy_project import ONE, Played, canned, params_of, put_edition, rows
from tests.fakes import jpeg

toy = test_toy.toy
DETECTORS = ("world", "owl")


def checks(item: Any, setting: str) -> Sequence[Check]:
    """Words are right if they are these very ones; of pictures a detector counts the cars."""

    def right(made: Sequence[PartFinding], beside: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        return [MeasuredValue(float([one.found for one in made] == [expected]))]

    def counted(made: Sequence[PartFinding], beside: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        if len(made[0].found) > 2:
            raise ValueError(f"{len(made[0].found)} boxes are no count")
        return [MeasuredValue(float(len(made[0].found) == 1))]

    expected = item.expected
    if item.kind == "words":
        return [Check("words", "rules", lambda text: Computing(lambda: text), ("right",), right, of="text")]
    return [Check("cars", "detector", lambda one: Detecting(Detect(one, ("car",))), ("counted",), counted)]


def metric(setting: str) -> Metric:
    columns = [Column("picture", setting, "counted"), Column("words", setting, "right")]
    factors = {"overall": [50, 50], "picture": [100, 0], "words": [0, 100]}
    if setting == "in_place":
        columns, factors = columns[:1], {"overall": [100]}
    reported = {name: Linear(np.array(each, float)) for name, each in factors.items()}
    return Metric(setting, (setting,), columns, reported, tuple(reported))


@pytest.fixture(scope="module")
def seen(toy: Benchmark[Any, Any]) -> Benchmark[Any, Any]:
    on = {"words": ("apart",), "picture": ("apart", "in_place"), "edit": ("apart",), "both": ("apart",)}
    return replace(
        toy,
        judge_questions=ask_nothing,
        checks=checks,
        observers=("detector", RULES),
        settings_of=lambda item, settings: on[item.kind],
        metrics=lambda block: [metric("apart"), metric("in_place")],
    )


def params_with(toy: Benchmark[Any, Any], detectors: Sequence[str] = DETECTORS) -> Any:
    params = params_of(toy, models={"owl": {"kind": "sandbox"}}, one=ONE, other=ONE)
    own = {"judges": [], "observers": {"detector": [*detectors]}, "controls_of": ["one"]}
    return params.model_copy(update={"toy": params.toy.model_copy(update=own)})


BOX = ["car", 0.9, [1, 2, 30, 40]]


def respond(role_model: RoleModel, request: Request) -> Reply:
    """The first detector finds a car in everything, the second in nothing."""
    if not isinstance(request, Detect):
        return canned(role_model, request)
    return Reply(orjson.dumps([BOX] if role_model.slug == "world" else []))


def look_at(seen: Benchmark[Any, Any], params: Any) -> None:
    for name in params.contestants:
        answer.answer(seen, params, name)
        for detector in params.toy.observers["detector"]:
            observe.observe(seen, "detector", params, name, detector)
        score.measure(seen, params, name)
    for name in params.contestants:
        score.score(seen, params, name)
    agree.agree(seen, params)
    rank.rank(seen, params)


@pytest.fixture(scope="module")
def built(seen: Benchmark[Any, Any], toy: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which all has been looked at. Not to be changed."""
    folder = tmp_path_factory.mktemp("panels")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.delenv("GAMUT_STORE", raising=False)
        put_edition(folder)
        Played(patched, respond)
        look_at(seen, params_with(toy))
    return folder


@pytest.fixture
def looked_at(built: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """A copy of it, and who answers there."""
    shutil.copytree(built, project, dirs_exist_ok=True)
    return Played(monkeypatch, respond)


def test_every_further_observer_has_a_panel_in_which_the_others_are_the_first(
    looked_at: Played, seen: Benchmark[Any, Any], toy: Any
) -> None:
    assert {(row["item"].partition("-")[0], row["setting"]) for row in rows("answers/one")} == {
        ("words", "apart"), ("picture", "apart"), ("picture", "in_place"), ("edit", "apart"), ("both", "apart"),
    }  # fmt: skip
    found = json.loads(Path("metrics/toy/v1/board.json").read_text())
    # "Two." is right of one of four texts; of a car in each picture the first detector is sure, the second of none
    assert [found[f"apart.{panel}.one.picture"] for panel in ("observers", "owl")] == [100, 0]
    assert [found[f"apart.{panel}.one.words"] for panel in ("observers", "owl")] == [25, 25]
    assert found["in_place.observers.one.overall"] == 100 and found["in_place.owl.one.overall"] == 0
    said = json.loads(Path("metrics/toy/v1/agreement.json").read_text())
    assert any("detector/owl" in key and "detector/world" in key for key in said) and not any(
        "rules" in k for k in said
    )


def test_controls_are_looked_at_by_all_of_a_panel(looked_at: Played) -> None:
    found = json.loads(Path("metrics/toy/v1/board.json").read_text())
    # who finds a car in grey pictures fails, by whatever words it is accompanied
    assert (
        found["in_place.observers.control_blank.overall"] == 100 and found["in_place.observers.validation.passed"] == 0
    )
    assert {row["item"].partition("-")[0] for row in rows("rules/one/controls")} == {"words"}
    blank = {row["value"] for row in rows("rules/one/controls") if row["control"] == "blank"}
    assert blank == {0}


def test_a_second_observer_more_or_less_asks_nothing_of_the_others(
    looked_at: Played, seen: Benchmark[Any, Any], toy: Any
) -> None:
    look_at(seen, params_with(toy, ["world"]))
    assert looked_at.asked == 0
    board_of_one = json.loads(Path("metrics/toy/v1/board.json").read_text())
    assert not any(".owl." in key for key in board_of_one)
    forget_others(seen, params_with(toy, ["world"]))
    assert sorted(path.name for path in Path("datasets/toy/judgments/one/detector").iterdir()) == ["world"]


def test_what_a_rule_cannot_make_a_value_of_is_a_parse_error_and_counts_as_the_lowest(
    seen: Benchmark[Any, Any], toy: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_edition(project)

    def often(role_model: RoleModel, request: Request) -> Reply:
        if isinstance(request, Detect) and request.picture.data == jpeg("red"):
            return Reply(orjson.dumps([BOX] * 3))
        return respond(role_model, request)

    Played(monkeypatch, often)
    params = params_with(toy, ["world"])
    answer.answer(seen, params, "one")
    observe.observe(seen, "detector", params, "one", "world")
    found = {row["item"]: row for row in rows("judgments/one/detector/world/answers") if row["setting"] == "apart"}
    wide = [found[f"both-0000000{number}"] for number in range(4)]
    assert {(row["status"], row["reason"], row["value"]) for row in wide} == {
        ("parse_error", "3 boxes are no count", None)
    }
    score.measure(seen, params, "one")
    score.score(seen, params, "one")
    both = [row for row in rows("scores/one") if row["stratum"] == "both"]
    assert [(row["value"], row["low"], row["left_out"]) for row in both] == [(None, 0, ["judged.parse_error"])] * 4


def test_a_record_says_that_it_has_rules_and_puts_items_on_its_own_settings(
    seen: Benchmark[Any, Any], toy: Any
) -> None:
    item = toy.item(id="1", prompt="How many cars?", kind="words", expected="Two.")
    silent = replace(seen, observers=("detector",))
    assert "its answers need an observer of role 'rules'" in str(silent.misfit(item, ("apart",), params_with(toy).toy))
    strange = replace(seen, settings_of=lambda item, settings: ("appart",))
    said = "it is asked in 'appart', which is not a setting; did you mean 'apart'?"
    assert strange.misfit(item, ("apart", "in_place"), params_with(toy).toy) == said


def test_beside_judges_it_is_these_who_are_tried(
    looked_at: Played, seen: Benchmark[Any, Any], toy: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """So observers read who judges. They are asked about answers in which there is something for them to find."""
    beside, alone = (record_of(one, "detect")["params"] for one in (toy, seen))
    assert "toy.judges" in beside and "toy.judges" not in alone
    params = params_with(toy)
    params.toy.controls_of.append("other")
    observe.observe(seen, "detector", params, "other", "world")
    assert "toy.detect@other-world: 16 ok" in capsys.readouterr().out, "pictures in two settings, edits and both on one"
    tried = seen.control_judgments("other", "detector/world")
    assert tried.is_dir()
    shutil.rmtree(tried)
    params.toy.judges.append("world")
    observe.observe(seen, "detector", params, "other", "world")
    assert not tried.exists()


def test_panels_have_names_of_their_own(toy: Any) -> None:
    plain = params_of(toy, models={"observers": {"kind": "sandbox"}}).model_dump(by_alias=True)
    plain["toy"] |= {"judges": [], "observers": {"detector": ["world", "observers"]}}
    with pytest.raises(UserError, match=r"toy\.observers\.detector\.1: 'observers' is a panel's name: rename it"):
        check_values(toy.params, plain, Path("params.yaml"))
