"""The widened toy through the real stages, in this process: what its record says is what comes out.

Contestants, judge and detector are the embedded world, unless a test says otherwise; every request is counted.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.asking.parts import bundle, unbundle
from gamut.asking.requests import Chat, Create, Reply, Request
from gamut.command import reply_store
from gamut.command.estimate import benchmarks
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.cells import text_of
from gamut.evaluation.running import controls
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from tests.evaluation import wide_toy
from tests.evaluation.toy_project import (
    FAULTS,
    KINDS,
    NOISE,
    ONE,
    SIDES,
    SKILLED,
    Played,
    ask_all,
    by_world,
    canned,
    evaluate,
    params_of,
    put_edition,
    rows,
)
from tests.fakes import jpeg, numbered


@pytest.fixture(scope="module")
def toy() -> Benchmark[Any, Any]:
    return wide_toy.TOY


@pytest.fixture(scope="module")
def measured(toy: Benchmark[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project in which contestants of known skill were measured. Not to be changed."""
    folder = tmp_path_factory.mktemp("measured")
    put_edition(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Played(patch)
        evaluate(toy, params_of(toy))
    yield folder


@pytest.fixture
def edition(project: Path) -> Path:
    """An empty project with the edition."""
    put_edition(project)
    return project


def test_contestants_of_known_skill_come_out_in_their_order(measured: Path) -> None:
    found = json.loads((measured / "metrics/toy/v1/board.json").read_text())
    for metric in (*SIDES, "across"):
        assert [found[f"{metric}.world.careful.{value}"] for value in ("overall", "coverage", "rank_best")] == [
            100,
            1,
            1,
        ]
    for value in (*KINDS, "counted", "changed"):
        careful, hasty, sloppy = (sum(found[f"{setting}.world.{name}.{value}"] for setting in SIDES) for name in FAULTS)
        # faults come in degrees: with four items of a kind hasty may have the grosser ones
        assert careful == 200 and (value == "changed" or careful > max(hasty, sloppy))
    careful, hasty, sloppy = (found[f"across.world.{name}.overall"] for name in FAULTS)
    assert careful > hasty > sloppy > 0


def test_what_contestants_write_moves_no_verdict(
    toy: Benchmark[Any, Any], measured: Path, edition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noisy(role_model: RoleModel, request: Request) -> Reply:
        if isinstance(request, Chat):
            texts = [part for part in request.messages[0].parts if isinstance(part, str)]
            words, [instruction] = "".join(texts), [text for text in texts if "Answer with a JSON object" in text]
            assert words.count("</answer>") == 1 and "</回答>" not in words
            assert words.count("</reference>") == 1 or "<reference>" not in instruction, "it speaks of no such block"
        reply = by_world(role_model, request)
        if not isinstance(request, Create) or "text" not in request.modalities:
            return reply
        return Reply(
            bundle([f"{part}{NOISE}" if isinstance(part, str) else part for part in unbundle(reply.content).parts])
        )

    Played(monkeypatch, noisy)
    params = params_of(toy)
    for name in ("careful", "sloppy"):
        answer.answer(toy, params, name)
        judge.judge(toy, params, name, "world")
        assert any(NOISE in (part["text"] or "") for row in rows(f"answers/{name}") for part in row["parts"])
        values = [
            [row["value"] for row in rows(f"judgments/{name}/world/answers", folder)] for folder in (Path(), measured)
        ]
        assert values[0] == values[1] and (0 in values[0]) == (name == "sloppy")


def test_a_lost_store_is_filled_from_the_tables(
    toy: Benchmark[Any, Any], measured: Path, edition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(measured / "datasets/toy", "datasets/toy", dirs_exist_ok=True)
    params = params_of(toy, hasty=SKILLED["hasty"])
    Path("stages/toy").mkdir(parents=True)
    Path("stages/toy/dvc.yaml").write_text(text_of(toy))
    Path("dvc.yaml").write_text("stages: {}\n")
    Path("params.yaml").write_text(json.dumps({"contestants": {"hasty": {}}, "toy": params.toy.model_dump()}))
    tables = [
        Path("datasets/toy", name)
        for name in ("answers/hasty", "judgments/hasty/world/answers", "judgments/hasty/detector/world/answers")
    ]
    before = [rows(str(table.relative_to("datasets/toy"))) for table in tables]
    for table, replies in zip(tables, (32, 48, 8), strict=True):
        assert f"{replies} replies restored" in reply_store.seed(table)
        shutil.rmtree(table)
    played = Played(monkeypatch)
    ask_all(toy, params)
    assert played.asked == 0
    assert [rows(str(table.relative_to("datasets/toy"))) for table in tables] == before


def altered(item: str, name: str) -> None:
    """Put other bytes in the place of a picture of an item."""
    [line] = [
        line
        for line in map(json.loads, Path("datasets/editions/toy/v1.jsonl").read_text().splitlines())
        if line["id"] == item
    ]
    [sha256] = [picture["sha256"] for picture in line["images"] if picture["name"] == name]
    path = Path("datasets/edition_images/toy/v1/images-00000.parquet")
    table = pq.read_table(path)
    pictures = table.to_pylist()
    for row in pictures:
        if row["sha256"] == sha256:
            row["image"]["bytes"] = jpeg("red")
    pq.write_table(pa.Table.from_pylist(pictures, schema=table.schema), path, compression="none", use_dictionary=False)


def never_there(item: str, name: str) -> None:
    """Say of an item that a picture of it was never there; it names it all the same."""
    path = Path("datasets/editions/toy/v1.jsonl")
    lines = list(map(json.loads, path.read_text().splitlines()))
    [line] = [line for line in lines if line["id"] == item]
    line["images"] = [picture for picture in line["images"] if picture["name"] != name]
    line["unusable"] = f"picture '{name}' was never published"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [(altered, r"item 'edit-00000002': picture 'a': .* was altered"), (never_there, "picture 'a' was never published")],
    ids=["altered", "never there"],
)
def test_an_item_without_its_picture_is_put_to_nobody(
    toy: Benchmark[Any, Any],
    measured: Path,
    edition: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[str, str], None],
    said: str,
) -> None:
    item = "edit-00000002"
    spoil(item, "a")
    played = Played(monkeypatch)
    found = evaluate(toy, params_of(toy, hasty=SKILLED["hasty"]))
    assert played.asked == (32 - 2) + (48 - 2 * 3) + 8
    unasked = [row for row in rows("answers/hasty") if row["item"] == item]
    assert len(unasked) == 2
    for row in unasked:
        assert row["status"] == "invalid_input" and row["parts"] is None
        assert re.fullmatch(said, row["reason"])
    of_others = [row for row in rows("answers/hasty", measured) if row["item"] != item]
    assert [row for row in rows("answers/hasty") if row["item"] != item] == of_others
    metrics = json.loads(Path("metrics/toy/v1/contestants/hasty.json").read_text())
    for metric in (*SIDES, "across"):
        assert found[f"{metric}.world.hasty.coverage"] == 1 and metrics[f"{metric}.world.overall_n"] == 15
        assert metrics[f"{metric}.world.not_asked.invalid_input"] > 0


def at_random(role_model: RoleModel, request: Request) -> Reply:
    """A judge that looks at nothing: what it says of an item follows from the seed."""
    if not isinstance(request, Chat):
        return by_world(role_model, request)
    chance = random.Random(f"{request.name} {request.seed}")
    count = str(request.messages[0].parts[-1]).strip().count("\n") - 1
    verdict, *verdicts = ({"reason": "so", "verdict": chance.choice("YN")} for _ in range(max(count, 0) + 1))
    return Reply(orjson.dumps(verdict | {"verdicts": numbered(verdicts), "score": chance.randint(0, 10)}))


def test_what_is_blank_or_right_on_both_settings_is_asked_about_once(
    toy: Benchmark[Any, Any], edition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 items in 2 settings, 4 of a kind. Blank: words, a picture, and both are 12 requests; an edit is compared with
    two inputs, 8, and looked at with the task, which has another form in each setting, 8. Right: words, 4. The bill
    takes an edit that looks otherwise in each setting for twice as many comparisons, 16.
    """
    monkeypatch.setattr(controls, "CONTROLS", ("blank", "reference"))
    played, params = Played(monkeypatch, canned), params_of(toy, one=ONE)
    params.toy.controls_of.append("one")
    answer.answer(toy, params, "one")
    played.asked = 0
    judge.judge_controls(toy, params, "one", "world")
    settings = Counter((row["control"], row["item"], row["setting"]) for row in rows("judgments/one/world/controls"))
    assert len(settings) == 16 * 2 + 4 * 2 and played.asked == 12 + 8 + 8 + 4
    bill = {
        line.stage: line.requests for line in benchmarks.benchmark_lines(toy, params, Settings(), toy.items(params))
    }
    assert bill["toy.judge_controls"] == 12 + 16 + 8 + 4


def test_a_judge_of_random_numbers_ranks_nobody(
    toy: Benchmark[Any, Any],
    measured: Path,
    edition: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(measured / "datasets/toy", "datasets/toy", dirs_exist_ok=True)
    Played(monkeypatch, at_random)
    params = params_of(toy)
    params.toy.controls_of.append("careful")
    for contestant in params.contestants:
        judge.judge(toy, params, contestant, "world")
        score.score(toy, params, contestant)
    judge.judge_controls(toy, params, "careful", "world")
    agree.agree(toy, params)
    rank.rank(toy, params)
    found = json.loads(Path("metrics/toy/v1/board.json").read_text())
    assert not [key for key in found if "rank_" in key or "tie_group" in key]
    said = capsys.readouterr().out
    few = json.loads(Path("metrics/toy/v1.json").read_text())
    first = f"{SIDES[0]}.world"
    assert few == {name: found[f"{first}.{name}.overall"] for name in params.contestants} | {"judge.failed": 1}
    for metric in (*SIDES, "across"):
        assert found[f"{metric}.world.validation.passed"] == 0 and f"{metric}.world.careful.overall" in found
    assert said.count("the judge fails its validation and ranks nobody: cannot tell blank (") >= 3
