"""Joint measures and a drawn value through score, board, comparison and pages: the toy, joined across its two
settings.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Detect, Reply, Request
from gamut.command.show_item import show_item
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.measures import Column, Joint, Linear, Metric, Resampled, Scale
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.running.spec import spec_parts
from gamut.evaluation.scoring.pairwise import Entrant, comparisons, read_entrant_scores
from gamut.evaluation.scoring.specs import first_spec_difference, specs_of
from gamut.project.roles import RoleModel
from gamut.report.board import pages
from tests.evaluation import test_toy
from tests.evaluation.toy_project import FAULTS, SIDES, SKILLED, Played, ask_all, canned, params_of, put_edition, rows
from tests.fakes import jpeg, numbered
from tests.report.page_tree import tree

toy = test_toy.toy
SKILLS = {"careful": ("green", 1.0), "hasty": ("blue", 0.6), "sloppy": ("red", 0.2)}
"""What each paints, and the share of what is asked of it that a judge says yes to."""
PICTURES = {name: jpeg(colour) for name, (colour, _) in SKILLS.items()}
JOINT = [
    Joint("on_both", SIDES, ("holds", "holds"), lambda first, last: first * last),
    Joint("apart_only", SIDES, ("holds", "holds"), lambda first, last: first * (1 - last)),
    Joint("in_place_only", SIDES, ("holds", "holds"), lambda first, last: (1 - first) * last),
    Joint("on_none", SIDES, ("holds", "holds"), lambda first, last: (1 - first) * (1 - last)),
]
NAMES = [one.measure for one in JOINT]
GROUPS = ("picture", "both")
COLUMNS = [Column(group, "in_place", name) for name in NAMES for group in GROUPS]
COLUMNS += [Column(group, setting, "holds") for setting in SIDES for group in GROUPS]


def lost(scores: np.ndarray) -> float:
    """The share, in percent, that does not hold in both settings."""
    return float(100 - 100 * np.nanmean(scores))


def lost_draws(scores: np.ndarray, weights: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    own = 1 - np.nanmean(np.where(np.isnan(scores).all(axis=1, keepdims=True), 0, scores), axis=1)
    weighing = weights * ~np.isnan(scores).all(axis=1, keepdims=True)
    return np.stack([100 * own @ weighing / weighing.sum(axis=0)] * 2)


def metric_of(reported: dict[str, Any], **changes: Any) -> Metric:
    return Metric("together", SIDES, COLUMNS, reported, tuple(reported), **changes)


FACTORS = np.eye(len(COLUMNS)) * 100
SHARES = {name: Linear(FACTORS[2 * n : 2 * n + 2].mean(axis=0)) for n, name in enumerate(NAMES)}
ON_BOTH = np.array([column.measure == "on_both" for column in COLUMNS])
LOST = SHARES | {"lost": Resampled(ON_BOTH, lost, lost_draws, Scale(0, 100))}


@pytest.fixture
def joined(toy: Benchmark[Any, Any]) -> Benchmark[Any, Any]:
    """The toy with four measures more, and a metric of what holds on both, with what is lost beside it."""
    return replace(
        toy,
        measures=toy.measures | dict.fromkeys(NAMES, VERDICTS),
        joint=JOINT,
        metrics=lambda block: [*toy.metrics(block), metric_of(LOST)],
    )


def by_skill(role_model: RoleModel, request: Request) -> Reply:
    """What contestants of known skill answer, and a judge says who knows them."""
    if not isinstance(request, Chat):
        name = next((name for name, own in FAULTS.items() if own == getattr(role_model.model, "faults", None)), "")
        if isinstance(request, Detect) or not name:
            return canned(role_model, request)
        parts = {"text": name, "image": PICTURES[name]}
        found = [parts[one] for one in getattr(request, "modalities", ("image",))]
        return Reply(bundle(found) if len(found) > 1 else found[0].encode() if found == [name] else PICTURES[name])
    shown = request.messages[0].parts
    names = [
        name
        for name in SKILLS
        if any(name in part if isinstance(part, str) else part.data == PICTURES[name] for part in shown)
    ]
    chance = random.Random(f"{request.name} {request.seed} {names}")

    def said() -> dict[str, Any]:
        right = all(chance.random() < SKILLS[name][1] for name in names)
        return {"reason": "so", "verdict": "NY"[right], "score": 5 * right}

    count = str(shown[-1]).strip().count("\n") - 1
    return Reply(orjson.dumps(said() | {"verdicts": numbered([said() for _ in range(max(count, 0))])}))


@pytest.fixture(scope="module")
def asked(toy: Benchmark[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with what was said of contestants of known skill. Not to be changed."""
    folder = tmp_path_factory.mktemp("asked")
    put_edition(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Played(patch, by_skill)
        ask_all(toy, params_of(toy))
    return folder


@pytest.fixture
def tables(asked: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where the same answer."""
    shutil.copytree(asked / "datasets", project / "datasets")
    Played(monkeypatch, by_skill)
    return project


def boards(benchmark: Benchmark[Any, Any], params: Any) -> dict[str, float]:
    for contestant in params.contestants:
        score.score(benchmark, params, contestant)
    rank.rank(benchmark, params)
    found: dict[str, float] = json.loads(Path("metrics/toy/v1/board.json").read_text())
    return found


def test_rows_are_joined_sample_by_sample_and_stand_behind_the_others(
    toy: Benchmark[Any, Any], joined: Benchmark[Any, Any], tables: Path
) -> None:
    """One sample: what holds of an item is the mean over its statements, and its joint scores the products of these."""
    params = params_of(joined)
    score.score(toy, params, "hasty")
    before = rows("scores/hasty")
    score.score(joined, params, "hasty")
    found = rows("scores/hasty")
    assert found[: len(before)] == before, "no other row changes"
    joint, of = (
        found[len(before) :],
        {(row["item"], row["setting"]): row for row in before if row["measure"] == "holds"},
    )
    assert {row["measure"] for row in joint} == set(NAMES) and len(joint) == 4 * 8
    for row in joint:
        first, last = (of[row["item"], setting]["value"] for setting in SIDES)
        assert row["value"] == row["low"] == row["high"] == JOINT[NAMES.index(row["measure"])].value(first, last)
        assert row["setting"] == "in_place" and row["scored"] == 1
        spec, parts = spec_parts(row["spec"]), [spec_parts(of[row["item"], setting]["spec"]) for setting in SIDES]
        assert "joined" in spec and all("joined" not in one for one in parts)
        assert {*spec["question"].split("+")} == {one["question"] for one in parts}
    metrics = json.loads(Path("metrics/toy/v1/contestants/hasty.json").read_text())
    assert metrics["together.world.coverage"] == 1
    assert sum(metrics[f"together.world.{name}"] for name in NAMES) == pytest.approx(100, abs=0.01)
    assert "in_place_only 0" in "\n".join(show_item(joined, params, "picture-00000002", tables / "shown"))


def test_what_holds_on_both_ranks_and_what_is_resampled_stands_beside_it(
    joined: Benchmark[Any, Any], tables: Path
) -> None:
    params = params_of(joined)
    found = boards(joined, params)
    assert "lost: not different from zero: careful" in Path("metrics/toy/v1/plots/remarks.csv").read_text()
    order = [key.split(".")[2] for key in found if key.startswith("together.world.") and key.endswith(".coverage")]
    lost = [found[f"together.world.{name}.lost"] for name in order]
    assert order[0] == "careful" and lost == sorted(lost) and lost[0] == 0 < lost[2]
    worst = order[2]
    assert found["together.world.careful.rank_best"] == 1 and found[f"together.world.{worst}.rank_worst"] == 3
    pair = (read_entrant_scores(Entrant(name), joined, params) for name in ("careful", worst))
    told = [*comparisons(joined, joined.metrics_in(params), *pair, params.seed)]
    [one] = [one for one in told if not isinstance(one, str) and one.metric == "together"]
    beside = one.differences[-1]
    assert beside.name == "lost" and beside.difference == pytest.approx(lost[2], abs=0.1)
    assert beside.p_adjusted < 0.05 and 0 < (beside.low or 0) < lost[2]
    agree.agree(joined, params)
    pages(joined, params, Path("site"))
    assert "lost: not different from zero: careful" in tree(Path("site/benchmarks/toy/index.html")).words


def test_a_contestant_on_one_setting_has_none_and_disturbs_nobody(joined: Benchmark[Any, Any], tables: Path) -> None:
    before = boards(joined, params_of(joined))
    alone = SKILLED["hasty"] | {"settings": {"toy": ["in_place"]}}
    params = params_of(joined, **SKILLED, alone=alone)
    answer.answer(joined, params, "alone")
    judge.judge(joined, params, "alone", "world")
    observe.observe(joined, "detector", params, "alone", "world")
    after = boards(joined, params)
    assert not [key for key in after if key.startswith(("together.world.alone", "apart.world.alone"))]
    assert after["in_place.world.alone.overall"] == after["in_place.world.hasty.overall"]
    assert {key: value for key, value in after.items() if key.startswith("together.")} == {
        key: value for key, value in before.items() if key.startswith("together.")
    }
    own = {name: json.loads(Path(f"metrics/toy/v1/contestants/{name}.json").read_text()) for name in ("hasty", "alone")}
    assert own["hasty"]["spec.in_place.world"] == own["alone"]["spec.in_place.world"]
    specs = [specs_of(row for row in rows(f"scores/{name}") if row["setting"] == "in_place") for name in own]
    assert specs[0] != specs[1] and first_spec_difference(*specs) is None is first_spec_difference(*specs[::-1])
