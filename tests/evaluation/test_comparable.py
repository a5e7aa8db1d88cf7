"""Which changes leave scores comparable: each row of the table in docs/intervals.md, through the real stages.

`old` was measured before a change, `new` after it; then a board of both is asked for, and a comparison.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import unwrap
from pathlib import Path
from typing import Any

import orjson
import pytest

from gamut.asking.models import opening
from gamut.asking.questions import Question
from gamut.asking.requests import Chat, Create, Detect, Reply, Request, fields_of
from gamut.asking.seeing import Detecting
from gamut.evaluation.boards import rank, score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.editions import Item, freeze_edition
from gamut.evaluation.defining.measures import Linear, Metric, Scale, averages
from gamut.evaluation.defining.questions import Check, JudgeQuestion, MeasuredValue, Prompt
from gamut.evaluation.running import spec
from gamut.evaluation.running.checklists import Verdicts, read_verdicts
from gamut.evaluation.scoring import specs
from gamut.evaluation.scoring.pairwise import Entrant, comparisons, read_entrant_scores
from gamut.evaluation.scoring.scores import SCHEMA
from gamut.project.errors import UserError
from gamut.project.validation import check_values
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from tests import fakes
from tests.copied_code import code_at
from tests.evaluation.small_checklists import CHECKLIST
from tests.evaluation.small_pictures import by_digest, named, png
from tests.fakes import Fake, jpeg, numbered
from tests.paths import ROOT

RECORD, SCORING = "stages/tiny/shared/benchmark.py", "gamut/evaluation/scoring/conditions.py"
"""What stands for the code of the benchmark, whose record is made here, and for that of scores."""
PICTURES = [png(number) for number in range(3)]
KINDS = ("one", "two")
MEASURES = {"holds": Scale(0, 1), "found": Scale(0, 1)}


class Params(parameters.Params):
    tiny: parameters.BenchmarkParameters


class TinyItem(Item):
    kind: str


class Summed(Verdicts):
    summary: str


def write_code(file: str, text: str) -> None:
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def checklist(question: Question = CHECKLIST) -> Callable[[Any, TinyItem, str], list[JudgeQuestion]]:
    """Two statements about every answer, in one call or in two."""

    def judge_questions(block: Any, item: TinyItem, setting: str) -> list[JudgeQuestion]:
        statements = (f"It shows {item.prompt}", "It is sharp.")
        each = [JudgeQuestion(question, {"checklist": one}, ("holds",), read_verdicts) for one in statements]
        both = {"checklist": "\n".join(statements)}
        return [JudgeQuestion(question, both, ("holds",) * 2, read_verdicts, apart=lambda: each)]

    return judge_questions


def checks(item: TinyItem, setting: str) -> list[Check]:
    labels = ("owl",)
    seen = Check(
        "owls", "detector", lambda one: Detecting(Detect(one, labels)), ("found",), lambda *_: [MeasuredValue(1)]
    )
    return [seen]


def metrics(factor: float = 1) -> list[Metric]:
    """The overall average, so many times as high."""
    plain = averages("plain", KINDS, MEASURES)
    overall = plain.reported["overall"]
    assert isinstance(overall, Linear)
    return [plain._replace(reported={"overall": Linear(overall.factors * factor)}, shown=("overall",), profile=())]


class Asked:
    """Who answers in the place of all models, and how often."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, self.refused = 0, ""
        monkeypatch.setattr(opening, "open_model", lambda *_: Fake(self.reply))

    def reply(self, request: Request) -> Reply:
        self.count += 1
        if isinstance(request, Create):
            return Reply(b"no", "refused") if self.refused in request.parts else Reply(jpeg("blue", (64, 64)))
        if isinstance(request, Detect):
            return Reply(b"[]")
        assert isinstance(request, Chat)
        verdicts = [{"reason": "so", "verdict": "Y"} for _ in fields_of(request)["checklist"].splitlines()]
        return Reply(orjson.dumps({"verdicts": numbered(verdicts), "summary": ""}))


@dataclass
class Setting:
    """All that a change may be of."""

    asked: Asked
    record: Benchmark[Any, Any]
    values: dict[str, Any]
    items: list[TinyItem]

    @property
    def block(self) -> Any:
        return self.values["tiny"]

    @property
    def params(self) -> Any:
        return check_values(Params, fakes.measuring(self.values), Path("params.yaml"))

    def measure(self, contestant: str) -> None:
        """Ask everything about one contestant, and score it."""
        freeze_edition("tiny", self.block["edition"], self.items, by_digest(*PICTURES[: len(self.items) - 2]))
        answer.answer(self.record, self.params, contestant)
        for slug in self.block["judges"]:
            judge.judge(self.record, self.params, contestant, slug)
        observe.observe(self.record, "detector", self.params, contestant, "eyes")
        score.score(self.record, self.params, contestant)

    def model(self, slug: str, **changes: Any) -> None:
        self.values["models"][slug].update(changes)

    def change(self, **record: Any) -> None:
        """Another record."""
        self.record = replace(self.record, **record)

    def inquire(self, **changes: Any) -> None:
        """The question in another form."""
        self.change(judge_questions=checklist(replace(CHECKLIST, **changes)))

    def edit(self, *items: TinyItem) -> None:
        """Another edition."""
        self.block["edition"], self.items = "v2", list(items)

    def first(self, **changes: Any) -> None:
        """Another edition, in which the first item is unlike."""
        self.edit(self.items[0].model_copy(update=changes), *self.items[1:])


def before(patch: pytest.MonkeyPatch) -> Setting:
    """The setting before any change."""
    code_at(Path.cwd(), patch)
    for module in (spec, specs):
        patch.setattr(module, "code_of", unwrap(spec.code_of))
    write_code(RECORD, "")
    write_code(SCORING, "")
    record: Benchmark[Any, Any] = Benchmark(
        name="tiny",
        title="Tiny",
        params=Params,
        item=TinyItem,
        settings=lambda block: ["plain"],
        prompt=lambda block, item, setting, pictures: Prompt((item.prompt, *pictures.values())),
        strata=KINDS,
        stratum=lambda item: item.kind,
        measures=MEASURES,
        judge_questions=checklist(),
        metrics=lambda block: metrics(),
        checks=checks,
        observers=("detector",),
    )

    def served(**others: str) -> dict[str, str]:
        return {"kind": "openai", "id": "it", "revision": "1"} | others

    values = {
        "seed": 3,
        "models": {"gpt": served(), "eyes": served()},
        "roles": dict.fromkeys(("painter", "judge", "captioner", "translator", "seed_writer", "writer"), "gpt"),
        "contestants": {
            "old": {"class": "editing", "model": served(revision="")},
            "new": {"class": "editing", "model": served(), "max_failures": 1},
        },
        "tiny": {
            "edition": "v1",
            "judges": ["gpt"],
            "observers": {"detector": ["eyes"]},
            "repeats": 1,
            "controls_of": [],
            "answer": {"width": 64, "height": 64, "max_failures": 0},
            "judge": {"max_failures": 0},
        },
    }
    items = [item(f"{kind}-{n}", n) for kind in KINDS for n in range(2)]
    return Setting(Asked(patch), record, values, items)


def item(name: str, picture: int) -> TinyItem:
    return TinyItem(id=name, prompt=f"Paint {name}.", kind=name[:3], images=named([PICTURES[picture]]))


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which both were measured before any change."""
    folder = tmp_path_factory.mktemp("unchanged")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        one = before(patch)
        for contestant in one.params.contestants:
            one.measure(contestant)
    return folder


def renamed(one: Setting) -> None:
    one.values["models"]["other"] = one.values["models"].pop("gpt")
    one.values["roles"] = dict.fromkeys(one.values["roles"], "other")
    one.block["judges"] = ["other"]


def another_model(one: Setting) -> None:
    one.values["contestants"]["new"]["model"]["revision"] = "2"


def refused(one: Setting) -> None:
    another_model(one)
    one.asked.refused = "Paint one-0."


def elsewhere(one: Setting) -> None:
    Path("run.toml").write_text('[models.gpt]\nurl = "http://localhost:9/v1"\nconcurrency = 2\n')


CHANGES: dict[str, tuple[Callable[[Setting], Any], str]] = {
    "judge's revision": (lambda one: one.model("gpt", revision="2"), "revision differs"),
    "judge's numerics": (lambda one: one.model("gpt", numerics="fp8"), "numerics differs"),
    "judge's sampling": (lambda one: one.model("gpt", sampling={"temperature": 0.5}), "sampling differs"),
    "judge's slug": (renamed, "has no scores of item|is the only one with scores there"),
    "question's words": (
        lambda one: one.inquire(instruction="Decide."),
        "question differs",
    ),
    "reply's schema": (lambda one: one.inquire(reply=Summed), "reply differs"),
    "code that reads replies, be it a comment": (lambda one: write_code(RECORD, "# by kind"), "code differs"),
    "code that makes scores of what was said": (lambda one: write_code(SCORING, "# anew"), "rule differs"),
    "what is said to a reply that does not fit": (lambda one: one.inquire(repairs=0), "repair differs"),
    "`one_by_one`": (lambda one: one.block["judge"].update(one_by_one=True), r"shown differs \(at_once, reading too\)"),
    "`repeats`": (lambda one: one.block.update(repeats=2), "repeats differs"),
    "observer's revision": (lambda one: one.model("eyes", revision="2"), "revision differs in item 'one-0', found"),
    "a measure's scale": (lambda one: one.change(measures=MEASURES | {"holds": Scale(0, 2)}), "scale differs"),
    "size of pictures": (lambda one: one.block["answer"].update(width=128), "size differs"),
    "`samples`": (lambda one: one.block["answer"].update(samples=2), "samples differs"),
    "`seed`": (lambda one: one.values.update(seed=4), "seed differs"),
    "an item's text": (
        lambda one: one.first(prompt="Paint another."),
        r"given differs \(shown, item too\) in item 'one-0'",
    ),
    "an item's picture": (
        lambda one: one.first(images=tuple(named([PICTURES[1]]))),
        r"given differs \(item too\) in item 'one-0'",
    ),
    "an item's stratum": (lambda one: one.first(kind="two"), r"item differs \(stratum, groups too\)"),
    "an item's groups": (lambda one: one.change(groups=lambda item: (item.kind, "all")), "groups differs"),
    "an item more": (lambda one: one.edit(*one.items, item("two-2", 2)), "has no scores of item 'two-2'"),
    "the order of items": (lambda one: one.edit(*one.items[::-1]), ""),
    "a metric's factors": (
        lambda one: one.change(metrics=lambda block: metrics(0.5)),
        "values of old were computed from its scores by another formula",
    ),
    "contestant's model": (another_model, ""),
    "an answer refused": (refused, ""),
    "address, concurrency (run.toml)": (elsewhere, ""),
}
ASK_NOBODY = {
    *("code that reads replies, be it a comment", "code that makes scores of what was said"),
    "what is said to a reply that does not fit",
    *("a measure's scale", "an item's stratum", "an item's groups", "the order of items", "a metric's factors"),
    "address, concurrency (run.toml)",
}
"""Replies in the store are read again."""


def told() -> dict[str, tuple[bool, bool]]:
    """The table of the page: by change, whether both stand on one board, and whether they are compared."""
    page = (ROOT / "docs/intervals.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (yes|no) \| (yes|no) \|$", page, re.MULTILINE)
    return {name: (one == "yes", other == "yes") for names, one, other in rows for name in names.split("; ")}


def test_the_page_has_the_changes_that_are_tried() -> None:
    assert [*told()] == [*CHANGES] and len(CHANGES) > 20


@pytest.fixture
def again(unchanged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Setting]:
    """A copy of that project, and what gives the setting before any change. Boards are not drawn."""
    shutil.copytree(unchanged, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rank, "write_plots", lambda *_: None)
    return lambda: before(monkeypatch)


def compared(one: Setting) -> tuple[list[str], bool]:
    """What is said of a comparison of both, and whether there is one."""
    old, new = (read_entrant_scores(Entrant(who), one.record, one.params) for who in ("old", "new"))
    found = list(comparisons(one.record, one.record.metrics_in(one.params), old, new, 3))
    lines = [line for line in found if isinstance(line, str)]
    return lines, len(lines) < len(found)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_comparable_after_a_change(
    name: str, again: Callable[[], Setting], capsys: pytest.CaptureFixture[str]
) -> None:
    one, (changed, words), (on_one_board, is_compared) = again(), CHANGES[name], told()[name]
    changed(one)
    one.measure("new")
    assert (one.asked.count == 0) == (name in ASK_NOBODY)
    if on_one_board:
        rank.rank(one.record, one.params)
        assert "old is served without a revision: its answers may change unnoticed" in capsys.readouterr().out
    else:
        with pytest.raises(UserError, match=words) as refusal:
            rank.rank(one.record, one.params)
        assert "\n" not in str(refusal.value) and "dvc repro" in str(refusal.value)
    lines, made = compared(one)
    assert made == is_compared
    if not made:
        assert re.search(words, "\n".join(lines))
    else:
        assert lines == ["Tiny, plain, judged by gpt: not compared: 1 item, asked of new alone"] * (
            name == "an item more"
        )
    if name in ("judge's slug", "`samples`", "an item more"):
        one.measure("old")
        rank.rank(one.record, one.params)
        assert compared(one) == ([], True), "both are measured alike"
        written = [max(Path("metrics/tiny").glob(f"*/contestants/{who}.json")) for who in ("old", "new")]
        assert len({json.loads(path.read_text())[f"spec.plain.{one.block['judges'][0]}"] for path in written}) == 1


def test_who_has_fewer_samples_is_ranked_and_that_is_said(again: Callable[[], Setting]) -> None:
    one = again()
    one.block["answer"].update(samples=2)
    one.values["contestants"]["new"]["samples"] = {"tiny": 1}
    for name, samples in (("old", {0, 1}), ("new", {0})):
        one.measure(name)
        assert {row["sample"] for row in read_rows(Path("datasets/tiny/answers", name))} == samples
    rank.rank(one.record, one.params)
    [table] = Path("metrics/tiny").glob("*/tables/plain.gpt.md")
    assert "new: 1 answer to each item, while others are asked for 2" in table.read_text()
    assert compared(one) == ([], True)


def test_controls_that_were_asked_otherwise_say_nothing_of_a_board(again: Callable[[], Setting]) -> None:
    one, other = again(), again()
    one.block["controls_of"] = ["old"]
    other.model("gpt", revision="2")
    judge.judge_controls(other.record, other.params, "old", "gpt")
    with pytest.raises(UserError, match=r"controls of gpt cannot validate its board: revision differs in item 'one-0'"):
        rank.rank(one.record, one.params)
    judge.judge_controls(one.record, one.params, "old", "gpt")
    rank.rank(one.record, one.params)


def test_an_item_that_is_not_there_is_missed(again: Callable[[], Setting]) -> None:
    """Whoever lacks the scores of an item would be ranked on the others."""
    one, scores = again(), Path("datasets/tiny/scores/new")
    rows = [row for row in read_rows(scores) if row["item"] != "two-1"]
    with TableWriter(scores, SCHEMA) as writer:
        writer.write("scores", rows)
    with pytest.raises(UserError, match="plain, judged by gpt: new has no scores of item 'two-1': run `dvc repro`"):
        rank.rank(one.record, one.params)
