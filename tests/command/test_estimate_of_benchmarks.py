"""`gamut estimate` of benchmarks against what a server counts when they are measured."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from typer.testing import CliRunner

from gamut.asking.requests import Create, Modality, Paint, Reply, Request, parts_of
from gamut.command.cli import app
from gamut.command.estimate import asks, benchmarks, figures
from gamut.command.profiles import use_profiles
from gamut.evaluation.bodies.answer import answer
from gamut.evaluation.bodies.judge import judge_answers, judge_controls
from gamut.evaluation.defining.editions import freeze_edition, read_items
from gamut.project.model_kinds import OpenAIModel
from gamut.project.roles import RoleModel, RolePair
from gamut.project.settings import Endpoint, Settings
from gamut.project.validation import check_values
from gamut.tables.images import picture_size
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.benchmark import Params as GapParams
from stages.gapeval.shared.items import GapItem
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from stages.prism.shared.parameters import Params
from tests import fakes, shipped
from tests.paths import ROOT
from tests.stub_server import Stub, stub_server

SHIPPED = list(read_items(ROOT / "datasets/editions/prism/sandbox.jsonl", PrismItem))
UNUSABLE = SHIPPED[1].model_copy(update={"unusable": "its picture was never published"})
SETTING = 256
PICTURE = fakes.jpeg(size=(SETTING, SETTING))
VERDICT = orjson.dumps(
    {
        "justification": "All of the things that the prompt asks for are there and have the right colours, but one of "
        "them stands in the wrong setting of the house.",
        "score": 7,
    }
)
PIECE = re.compile(r"[A-Za-z]{1,6}|[^A-Za-z\s]")
"""What a tokenizer makes a token of, about: a piece of a word, or a sign, also a Chinese one."""


class Counted(NamedTuple):
    """What a stage asked of a model, as the server counted it."""

    requests: int
    input_tokens: int
    output_tokens: int


class Counting:
    """A server's answers: every model paints the same picture or gives the same verdict, and says what it read."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.in_patches = False

    def __call__(self, request: Request) -> Reply:
        texts = [part for part in parts_of(request) if isinstance(part, str)]
        pictures = [part.data for part in parts_of(request) if not isinstance(part, str)]
        read = sum(len(PIECE.findall(text)) for text in texts) + sum(map(self.tokens_of, pictures))
        reply = Reply(PICTURE) if isinstance(request, Paint) else Reply(VERDICT)
        written = 0 if isinstance(request, Paint) else len(PIECE.findall(VERDICT.decode()))
        self.replies.append(replace(reply, input_tokens=read, output_tokens=written))
        return self.replies[-1]

    def tokens_of(self, picture: bytes) -> int:
        width, height = picture_size(picture)
        return round(width / 28) * round(height / 28) if self.in_patches else 1000

    def during(self, run: Callable[..., None], *cell: str, model: str = "") -> Counted:
        """Run a cell of a stage; a Qwen2.5-VL reads a picture as patches of 28 pixels."""
        self.replies.clear()
        self.in_patches = "Qwen2.5-VL" in model
        run(*cell)
        read, written = (sum(getattr(reply, name) for reply in self.replies) for name in Counted._fields[1:])
        return Counted(len(self.replies), read, written)


def profile(name: str, **prism: Any) -> Params:
    """A profile whose embedded world is served too, asking for small pictures."""
    values = shipped.profile(name)
    for slug, model in [*values["models"].items(), *((s, c["model"]) for s, c in values["contestants"].items())]:
        if model["kind"] == "sandbox":
            model.clear()
            model.update(kind="openai", id=slug)
    values["prism"] |= {"answer": {"width": SETTING, "height": SETTING, "max_failures": 0}} | prism
    return check_values(Params, values, Path("params.yaml"))


def measured(params: Params, counting: Counting, stub: Stub) -> Iterator[tuple[tuple[str, str], Counted]]:
    """Measure all contestants; give what was counted, by stage and model."""
    models = {slug: params.models[slug] for slug in params.prism.judges}
    slugs = [*params.contestants, *models]
    Path("run.toml").write_text("".join(f'[models.{slug}]\nurl = "{stub.url}"\n' for slug in slugs))
    for contestant in params.contestants:
        yield ("prism.answer", contestant), counting.during(partial(answer, PRISM, params), contestant)
    for slug, model in models.items():
        for stage, run, names in (
            ("prism.judge", judge_answers, list(params.contestants)),
            ("prism.judge_controls", judge_controls, params.prism.controls_of),
        ):
            parts = [counting.during(partial(run, PRISM, params), name, slug, model=str(model)) for name in names]
            yield (stage, slug), Counted(*map(sum, zip(*parts, strict=True)))


@pytest.mark.parametrize(
    ("name", "edition", "items", "changes", "requests"),
    [
        ("laptop", "sandbox", SHIPPED[::20], {"repeats": 2}, 18 + 2 * (18 * 2 * 2 + 6 * 3 * 2 * 2)),
        ("prism-bench", "released", [SHIPPED[0], UNUSABLE], {}, 1 + 3 * 2 + 7 * 2 * 2 + 2 * 2 * 2 * 2),
    ],
)
def test_the_bill_is_what_a_server_counts(
    project: Path, name: str, edition: str, items: list[PrismItem], changes: dict[str, Any], requests: int
) -> None:
    freeze_edition("prism", edition, items)
    params, counting = profile(name, **changes), Counting()
    with stub_server(counting) as stub:
        counted = dict(measured(params, counting, stub))
        calls = stub.calls
    lines = {
        (line.stage, line.model): line
        for line in benchmarks.benchmark_lines(PRISM, params, Settings(), PRISM.items(params))
    }
    assert {key: line.requests for key, line in lines.items()} == {key: one.requests for key, one in counted.items()}
    assert sum(line.requests for line in lines.values()) == requests == calls
    for key, line in lines.items():
        assert line.input_tokens == pytest.approx(counted[key].input_tokens, rel=0.2), key
        assert line.output_tokens == pytest.approx(counted[key].output_tokens, rel=0.2), key


def test_second_looks_are_counted() -> None:
    """A judge that is asked whether it is sure reads the first question, its own reply and the second question."""
    items = list(read_items(ROOT / "datasets/editions/gapeval/sandbox.jsonl", GapItem))[::20]
    judged = {}
    for often in (False, "both"):
        values = shipped.profile("gapeval")
        values["gapeval"]["second_look"] = often
        params = check_values(GapParams, values, Path("params.yaml"))
        lines = benchmarks.benchmark_lines(GAPEVAL, params, Settings(), items)
        judged[often] = next(line for line in lines if line.stage == "gapeval.judge")
    once, twice = judged[False], judged["both"]
    assert twice.requests == 2 * once.requests and twice.output_tokens == pytest.approx(2 * once.output_tokens)
    assert 2 * once.input_tokens < twice.input_tokens < 3 * once.input_tokens


def create(*modalities: Modality) -> Create:
    return Create(("x" * 400,), modalities, 64, 64, 0)  # 100 tokens


def test_who_of_a_pair_is_asked_for_what() -> None:
    painter = RoleModel("painter", "p_image", OPENAI)
    pair = RolePair("painter", "p", RoleModel("painter", "p_text", OPENAI), painter)
    requests = [create("text"), create("image"), create("image"), create("text", "image")]
    (writer, texts), (_, pictures) = benchmarks.answer_asks(pair, requests, (64, 64))
    words = round(figures.ANSWER_WORDS.value * 6 / 4)
    assert (
        writer.slug == "p_text"
        and [(a.requests, a.input_tokens, a.output_tokens) for a in texts] == [(1, 100, words)] * 2
    )
    # the painter reads what the writer wrote, where both are asked for
    assert [(a.requests, a.input_tokens, a.output_tokens) for a in pictures] == [(2, 100, 0), (1, 100 + words, 0)]
    prices = Endpoint(input_price=1, output_price=10, image_price=1)
    spent = [sum(asks.ask_cost(one, prices) or 0 for one in parts) for parts in (texts, pictures)]
    assert spent == pytest.approx([2 * (100 + 10 * words) / 1e6, 3 + (2 * 100 + 100 + words) / 1e6])
    [(_, alone)] = benchmarks.answer_asks(painter, requests, (64, 64))
    assert [(one.role, one.requests, one.output_tokens) for one in alone] == [
        ("captioner", 1, words),  # no picture is paid for
        ("painter", 2, 0),
        ("painter", 1, words),
    ]


OPENAI = OpenAIModel(kind="openai", id="org/model")


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["estimate", *arguments])
    assert result.exit_code == 0, result.output
    assert "--json" in arguments or all(len(line) <= 100 for line in result.output.splitlines())
    return result.output


@pytest.fixture
def with_profiles(project: Path) -> Path:
    shutil.copytree(ROOT / "profiles", project / "profiles")
    list(use_profiles(["prism-bench"]))
    return project


@pytest.mark.usefixtures("with_profiles")
def test_a_benchmark_without_its_edition_is_named() -> None:
    words = " ".join(said().split())
    assert "Not counted: prism. the edition datasets/editions/prism/released.jsonl does not exist" in words
    assert "The embedded world answers all that is counted: no GPU, no cost." in words


@pytest.mark.parametrize(
    ("profile", "name", "answers"),
    [
        ("prism-bench", "prism", {"flux_dev": 700, "qwen_image": 2 * 700}),
        ("aegis", "aegis", {"bagel": 2 * 1050, "qwen3_vl_8b": 2 * 315}),
        ("genius", "genius", {"bagel_planning": 3 * 510, "gemini_pro": 510}),  # which writes wrong options
    ],
)
def test_published_items_have_a_bill_before_they_are_here(
    with_profiles: Path, profile: str, name: str, answers: dict[str, int]
) -> None:
    """Of the sandbox edition each stratum is repeated to its published size, in both settings of its profile."""
    Path("datasets/editions").mkdir(parents=True)
    Path("datasets/editions", name).symlink_to(ROOT / "datasets/editions" / name)
    bill = orjson.loads(said(profile, "--json"))
    stages = (f"{name}.answer", f"{name}.write")
    counted = {line["model"]: line["requests"] for line in bill["benchmarks"] if line["stage"] in stages}
    assert counted.items() >= answers.items() and bill["not_counted"] == []
    [about] = bill["about"]
    total = {"prism": "700", "aegis": "1,050", "genius": "510"}[name]
    assert about.startswith(f"Rough: {name}. {total} items made of the edition sandbox stand for the published ones. ")
    assert f"`gamut import {name} --download` fetches the published items" in about


def test_dataset_and_benchmarks_in_sum_with_money(with_profiles: Path) -> None:
    freeze_edition("prism", "released", SHIPPED[::12])
    prices = "[models.gpt_4_1]\ninput_price = 1000\n[models.flux_dev]\nimage_price = 0.5\n"
    (with_profiles / "run.toml").write_text(prices)
    out = said()
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line]
    lines = {(row[0], row[1]): row for row in rows}
    assert lines["prism.answer", "flux_dev"][2] == "5" and lines["prism.answer", "flux_dev"][-1] == "2.50"
    judged, controls = lines["prism.judge", "gpt_4_1"], lines["prism.judge_controls", "gpt_4_1"]
    assert (judged[2], controls[2]) == ("70", "60")
    assert float(judged[-1]) == round(int(judged[3].replace(",", "")) / 1000, 2)
    by_model = {row[0]: row for row in rows if row[0] in ("gpt_4_1", "flux_dev", "world")}
    assert by_model["gpt_4_1"][1] == "130" and by_model["flux_dev"][1] == "5"
    of_benchmarks, by_model_in_all = [row for row in rows if row[0] == "total"]
    assert of_benchmarks[2] == "295" and by_model_in_all[1] == "295"
    assert "The dataset: 2,361 requests, all to the embedded world" in " ".join(out.split())
    assert "H200-hours and costs of bagel" in " ".join(out.split())
