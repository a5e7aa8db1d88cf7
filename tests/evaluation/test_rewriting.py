"""Settings whose prompts somebody rewrote first, on the toy of docs/benchmarks.md: who is asked what, and whose a
failure is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from gamut.asking.material import read_enclosures
from gamut.asking.models import opening
from gamut.asking.questions import Question
from gamut.asking.requests import Chat, Create, Paint, Reply, Request, fields_of, parts_of
from gamut.command.estimate import benchmarks
from gamut.command.show_item import show_item
from gamut.evaluation.boards import score
from gamut.evaluation.bodies import answer, judge, observe, rewrite
from gamut.evaluation.defining.benchmark import Benchmark, Rewriting
from gamut.evaluation.defining.settings import settings_of
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.project.validation import check_values
from gamut.publish import parameters
from stages.prism.curation import CURATION
from stages.prism.shared.benchmark import PRISM
from tests import fakes
from tests.evaluation import test_toy
from tests.evaluation.expected_specs import specs_of
from tests.evaluation.toy_project import ONE, canned, params_of, put_edition, rows
from tests.fakes import Fake

toy = test_toy.toy
OPENAI = {"kind": "openai", "id": "org/gpt"}
PAIR = {"class": "unified", "models": {"text": {"kind": "sandbox"}, "image": OPENAI}}
PROMPT = {"settings": {"toy": ["by_gpt", "by_itself"]}}
REWRITERS = ["models.gpt", "contestants.duo", "contestants.one"]
LOST, THERE, BLANK = "words-00000000", "words-00000001", "words-00000002"
"""Items whose rewritten prompt loses a picture, names one that is not there, is blank."""


class Rewritten(BaseModel):
    prompt: str


def clearly(question: str = "Say clearly what <prompt> asks for.") -> Question:
    return Question("rewrite", "Rewrite.", question, Rewritten)


@pytest.fixture(scope="module")
def rewriting(toy: Benchmark[Any, Any]) -> Benchmark[Any, Any]:
    """The toy with settings for rewritten prompts."""
    [setting, *_] = toy.metrics(SimpleNamespace())

    def metric(name: str) -> Any:
        return setting._replace(
            name=name, settings=(name,), columns=[one._replace(setting=name) for one in setting.columns]
        )

    return replace(
        toy,
        settings=lambda block: ["in_place", *block.rewritten_settings],
        metrics=lambda block: [metric(name) for name in ("in_place", *block.rewritten_settings)],
        rewriting=Rewriting(clearly()),
        describing=Rewriting(
            replace(clearly("Describe <prompt>."), name="describe"), lambda item: {"prompt": item.prompt}
        ),
    )


def params_with(toy: Benchmark[Any, Any], rewriters: list[str] = REWRITERS, **contestants: Any) -> Any:
    """Parameters with these rewriters; else a model for all, a pair and a single model for themselves."""
    named = contestants or {"one": ONE | PROMPT, "duo": PAIR | PROMPT, "other": ONE}
    plain = params_of(toy, models={"gpt": OPENAI}, **named).model_dump(by_alias=True)
    plain["toy"] |= {"rewriters": rewriters, "answer": plain["toy"]["answer"] | {"max_failures": 3}}
    return check_values(toy.params, plain, Path("params.yaml"))


def well(role_model: RoleModel, prompt: str) -> str:
    return f"{role_model.slug}: {prompt}"


def not_all(role_model: RoleModel, prompt: str) -> str:
    """Rewrites that cannot be used, of three prompts."""
    if prompt.startswith("How many"):
        return "How many red cars are there?"
    if prompt.startswith("What colour"):
        return f"{prompt} It is <image:z>."
    return " " if prompt.startswith("Is there") else well(role_model, prompt)


Asked = list[tuple[RoleModel, Request]]


@pytest.fixture
def asked(project: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Asked:
    """The toy's edition, and all that anybody is asked."""
    put_edition(project)
    seen: Asked = []
    said: Callable[[RoleModel, str], str] = getattr(request, "param", well)

    def open_it(role_model: RoleModel, *_: object) -> Fake:
        def reply(request: Request) -> Reply:
            seen.append((role_model, request))
            if isinstance(request, Chat) and request.name in ("rewrite", "describe"):
                return Reply(orjson.dumps({"prompt": said(role_model, fields_of(request)["prompt"])}))
            return canned(role_model, request)

        return Fake(reply)

    monkeypatch.setattr(opening, "open_model", open_it)
    return seen


def said_to(slug: str, asked: Asked) -> list[str]:
    """All words of every task that a contestant was put to."""
    tasks = [one for who, one in asked if who.slug == slug and isinstance(one, Create | Paint)]
    return ["".join(part for part in parts_of(one) if isinstance(part, str)) for one in tasks]


def test_contestants_are_put_to_what_was_rewritten_for_them(rewriting: Benchmark[Any, Any], asked: Asked) -> None:
    params = params_with(rewriting)
    assert {name: settings_of(rewriting, params, name) for name in params.contestants} == {
        "one": ["by_gpt", "by_itself"],
        "duo": ["by_gpt", "by_itself"],
        "other": ["in_place", "by_gpt"],  # it rewrites nothing
    }
    for rewriter in REWRITERS:
        rewrite.rewrite(rewriting, params, rewriter)
    for contestant in ("one", "other"):
        answer.answer(rewriting, params, contestant)
    judge.judge(rewriting, params, "one", "world")
    chats = [(who, one) for who, one in asked if isinstance(one, Chat) and one.name == "rewrite"]
    assert Counter((who.slug, who.role) for who, _ in chats) == dict.fromkeys(
        [("gpt", "writer"), ("duo_text", "writer"), ("one", "writer")], 16
    )
    for _, one in chats:
        assert len(read_enclosures(one).get("input", ())) == fields_of(one)["prompt"].count("<image:")
    words = Counter(told.startswith("one: ") - told.startswith("gpt: ") for told in said_to("one", asked))
    assert words == {1: 16, -1: 16}
    assert Counter(told.startswith("gpt: ") for told in said_to("other", asked)) == {True: 16, False: 16}
    judged = [str(one) for who, one in asked if who.role == "judge"]
    assert judged and not any("gpt: " in one or "one: " in one for one in judged), "judges see the item as it was"


def test_an_item_is_shown_in_the_words_of_who_rewrote_it(rewriting: Benchmark[Any, Any], asked: Asked) -> None:
    params, item = params_with(rewriting, REWRITERS, one=ONE | PROMPT, duo=PAIR | PROMPT), "picture-00000000"
    before = list(show_item(rewriting, params, item, Path("shown")))
    given = before.index("\nby_gpt: what contestants are given")
    assert before[given + 1] == "  nothing yet: `dvc repro stages/toy/dvc.yaml:rewrite@models.gpt`"
    for rewriter in REWRITERS:
        rewrite.rewrite(rewriting, params, rewriter)
    answer.answer(rewriting, params, "one")
    found = list(show_item(rewriting, params, item, Path("shown")))
    assert found[found.index("\nby_gpt: what contestants are given") + 1].startswith("  text: gpt: ")
    [own] = [number for number, line in enumerate(found) if line.startswith("\none by_itself-0-")]
    assert found[own + 1].startswith("  prompt in its own words: one: ")


def test_a_model_describes_what_is_to_come_of_the_items_that_are_put_so(
    rewriting: Benchmark[Any, Any], asked: Asked
) -> None:
    """By another question, in a stage of its own; of the toy's kinds pictures alone are."""

    def on(item: Any, settings: Sequence[str]) -> list[str]:
        return [setting for setting in settings if item.kind == "picture" or setting != "exhaustive_gpt"]

    described = replace(rewriting, settings_of=on)
    plain = params_with(described, [], one=ONE | {"settings": {"toy": ["in_place", "exhaustive_gpt"]}})
    plain = plain.model_dump(by_alias=True)
    plain["toy"]["describers"] = ["gpt"]
    params = check_values(described.params, plain, Path("params.yaml"))
    assert settings_of(described, params, "one") == ["in_place", "exhaustive_gpt"]
    [line] = [
        line
        for line in benchmarks.benchmark_lines(described, params, Settings(), described.items(params))
        if line.stage == "toy.describe"
    ]
    assert (line.model, line.requests) == ("gpt", 4)
    before = list(show_item(described, params, "picture-00000000", Path("shown")))
    assert "  nothing yet: `dvc repro stages/toy/dvc.yaml:describe@gpt`" in before
    rewrite.rewrite(described, params, "describers.gpt")
    assert {(who.slug, who.role, one.name) for who, one in asked if isinstance(one, Chat)} == {
        ("gpt", "writer", "describe")
    }
    answer.answer(described, params, "one")
    answered = Counter((row["setting"], row["item"].partition("-")[0]) for row in rows("answers/one"))
    assert answered["exhaustive_gpt", "picture"] == answered["in_place", "words"] == 4 and answered.total() == 16 + 4
    assert sum(told.startswith("gpt: ") for told in said_to("one", asked)) == 4
    specs = {
        row["spec"].partition(" rewritten=")[1] for row in rows("answers/one") if row["setting"] == "exhaustive_gpt"
    }
    assert specs == {" rewritten="}
    plain["toy"]["describers"] = ["gtp"]
    with pytest.raises(UserError, match=r"toy\.describers\.0: no model 'gtp'; did you mean 'gpt'\?"):
        check_values(described.params, plain, Path("params.yaml"))


def test_specs_are_the_same_of_all_who_are_put_to_a_setting(rewriting: Benchmark[Any, Any], asked: Asked) -> None:
    """Also where each has rewritten for itself, in words of its own; of who rewrote for all, the words count."""
    params = params_with(rewriting)
    for rewriter in REWRITERS:
        rewrite.rewrite(rewriting, params, rewriter)
    for contestant in ("one", "duo"):
        answer.answer(rewriting, params, contestant)
    one, duo = (
        {(row["setting"], row["item"]): row["spec"] for row in rows(f"answers/{who}")} for who in ("one", "duo")
    )
    assert one == duo and all(" rewritten=" in spec for spec in one.values())
    item = next(iter(rewriting.items(params)))
    for setting, heeded in (("by_gpt", True), ("by_itself", False)):
        specs = {
            answer.given_spec(rewriting, params, item, setting, {"prompt": words}) for words in ("clearly", "plainly")
        }
        assert len(specs) == 1 + heeded


def test_specs_hold_how_and_by_whom_prompts_were_rewritten(rewriting: Benchmark[Any, Any], asked: Asked) -> None:
    params = params_with(rewriting)

    def specs(rewriting: Benchmark[Any, Any] = rewriting, params: Any = params) -> dict[str, str]:
        for rewriter in REWRITERS:
            rewrite.rewrite(rewriting, params, rewriter)
        return {
            setting: str(specs_of(rewriting, params, setting, "world")) for setting in rewriting.settings(params.toy)
        }

    first, other_words = specs(), specs(replace(rewriting, rewriting=Rewriting(clearly("Say it otherwise."))))
    params.models["gpt"] = params.models["gpt"].model_copy(update={"revision": "2"})
    other_model = specs()
    assert len({*first.values()}) == 3
    assert [setting for setting in first if first[setting] != other_words[setting]] == ["by_gpt", "by_itself"]
    assert [setting for setting in first if first[setting] != other_model[setting]] == ["by_gpt"]


@pytest.mark.parametrize("asked", [not_all], indirect=True)
def test_a_failed_rewriting_is_nobodys_but_who_rewrites_for_itself(
    rewriting: Benchmark[Any, Any], asked: Asked
) -> None:
    params = params_with(rewriting, ["models.gpt", "contestants.one"], one=ONE | PROMPT)
    for rewriter in params.toy.rewriters:
        rewrite.rewrite(rewriting, params, rewriter)
    answer.answer(rewriting, params, "one")
    judge.judge(rewriting, params, "one", "world")
    observe.observe(rewriting, "detector", params, "one", "world")
    score.score(rewriting, params, "one")
    found = json.loads(Path("metrics/toy/v1/contestants/one.json").read_text())
    chats = Counter(fields_of(one)["prompt"] for _, one in asked if isinstance(one, Chat) and one.name == "rewrite")
    assert sorted(chats.values()) == [2] * 13 + [4] * 3, "asked once more, by either"
    told = {row["item"]: (row["status"], row["reason"]) for row in rows("rewritten/models.gpt")}
    assert {item: told[item] for item in (LOST, THERE, BLANK)} == {
        LOST: ("parse_error", "prompt: <image:a> is not named any more"),
        THERE: ("parse_error", "prompt: the text names the picture 'z': there are a"),
        BLANK: ("parse_error", "prompt: is blank"),
    }
    answers = {(row["setting"], row["item"]): row for row in rows("answers/one")}
    for item in (LOST, THERE, BLANK):
        by_gpt, by_itself = answers["by_gpt", item], answers["by_itself", item]
        assert by_gpt["parts"] is by_itself["parts"] is None
        assert (by_gpt["status"], by_itself["status"]) == ("invalid_input", "parse_error")
        assert by_gpt["reason"] == by_itself["reason"] == f"no rewritten prompt: parse_error: {told[item][1]}"
    # four items of words, canned answers are right: of one that is left all, of all four one
    assert (found["by_gpt.world.words"], found["by_gpt.world.words_n"]) == (100, 1)
    assert (found["by_itself.world.words"], found["by_itself.world.words_n"]) == (25, 4)
    assert found["by_gpt.world.not_asked.invalid_input"] == found["by_itself.world.answered.parse_error"] == 3
    assert found["by_gpt.world.coverage"] == 1 > found["by_itself.world.coverage"]


def test_a_contestant_rewrites_for_itself_what_its_class_can_answer(
    rewriting: Benchmark[Any, Any], asked: Asked
) -> None:
    reader = {"class": "understanding", "model": OPENAI} | PROMPT
    params = params_with(rewriting, ["contestants.reader", "models.gpt"], reader=reader)
    bill = [
        line
        for line in benchmarks.benchmark_lines(rewriting, params, Settings(), rewriting.items(params))
        if line.stage == "toy.rewrite"
    ]
    assert [(line.model, line.requests) for line in bill] == [("reader", 4), ("gpt", 16)]
    assert all(line.input_tokens > 100 < line.output_tokens for line in bill)
    rewrite.rewrite(rewriting, params, "contestants.reader")
    rewrite.rewrite(rewriting, params, "models.gpt")
    assert len(asked) == 4 + 16
    answer.answer(rewriting, params, "reader")
    assert [row["item"].partition("-")[0] for row in rows("rewritten/contestants.reader")] == ["words"] * 4
    assert [row["status"] for row in rows("answers/reader")] == ["ok"] * 8


PAINTER = {"class": "generation", "model": {"kind": "sandbox"}}
FOLDER = {"class": "unified", "model": {"kind": "folder", "path": "made", "revision": f"sha256-{'0' * 64}"}}


@pytest.mark.parametrize(
    ("rewriter", "said"),
    [
        ("models.gtp", "toy.rewriters.0: no model 'gtp'; did you mean 'gpt'?"),
        (
            "models.itself",
            "toy.rewriters.0: its setting would be by_itself, which has another meaning: rename the model",
        ),
        ("contestants.on", "toy.rewriters.0: no contestant 'on'; did you mean 'one'?"),
        ("contestants.painter", "toy.rewriters.0: 'painter' is of class generation, which does not write"),
        ("contestants.folder", "toy.rewriters.0: 'folder' has answers made elsewhere, so it cannot rewrite: remove it"),
    ],
)
def test_who_cannot_rewrite_is_named(toy: Benchmark[Any, Any], rewriter: str, said: str) -> None:
    models = {"gpt": OPENAI, "itself": OPENAI}
    plain = params_of(toy, models=models, one=ONE, painter=PAINTER, folder=FOLDER).model_dump(by_alias=True)
    plain["toy"]["rewriters"] = [rewriter]
    with pytest.raises(UserError) as error:
        check_values(toy.params, plain, Path("params.yaml"))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_record_without_settings_for_it_takes_no_rewriter(toy: Benchmark[Any, Any], asked: Asked) -> None:
    with pytest.raises(
        UserError, match=r"^toy: there is no setting 'by_gpt': remove its rewriter from toy\.rewriters$"
    ):
        toy.items(params_with(toy, ["models.gpt"], one=ONE))


@pytest.mark.parametrize("named", [["by_itself"], ["en"]])
def test_who_rewrites_nothing_cannot_be_put_to_what_it_rewrote(
    project: Path, monkeypatch: pytest.MonkeyPatch, named: list[str]
) -> None:
    prism = replace(PRISM, settings=lambda block: ["en", *block.rewritten_settings], rewriting=Rewriting(clearly()))
    monkeypatch.setattr(parameters, "curations", lambda: {"prism": replace(CURATION, benchmark=prism)})
    writers = {name: ONE | {"settings": {"prism": named}} for name in ("one", "other")}
    plain = fakes.values(contestants=writers)
    plain["prism"]["rewriters"] = ["contestants.one", "models.gpt"]
    if named == ["en"]:
        asked = {(one.role, one.slug) for one in parameters.check_everything(plain, Path("p")).role_models()}
        assert {("writer", "one"), ("writer", "gpt")} <= asked and ("writer", "other") not in asked
        return
    with pytest.raises(UserError) as error:
        parameters.check_everything(plain, Path("p"))
    said = "it rewrites nothing for setting 'by_itself': put contestants.other into prism.rewriters"
    assert str(error.value) == f"p: contestants.other.settings.prism: {said}"
