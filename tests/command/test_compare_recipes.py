"""Trainings of one recipe against trainings of another, on a board, over items and trainings together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gamut.command import compare
from gamut.evaluation.scoring.groups import OverTrainings, compare_groups
from gamut.evaluation.scoring.pairwise import Entrant
from gamut.evaluation.scoring.scores import SCHEMA
from gamut.evaluation.scoring.specs import write_metric_specs
from gamut.project.parameters import load
from gamut.tables.writing import TableWriter
from gamut.training.recipes import contestants_by_recipe
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS
from stages.prism.shared.parameters import Params
from tests import fakes

ITEMS = [(f"{track}/{number}", track) for track in TRACKS for number in range(2)]


def model(recipe: str, seed: int, step: int = 9) -> dict[str, Any]:
    adapter = {"path": f"models/trained/{recipe}-{seed}/step-{step}", "revision": "built"}
    painting = {"guidance_scale": 1}
    return {"kind": "unified", "id": "toy", "revision": "built", "painting": painting, "adapter": adapter}


def params(names: Iterable[str], **changes: Any) -> None:
    contestants = {
        name: {"class": "generation", "model": model(*name.split("_")) if "_" in name else {"kind": "sandbox"}}
        for name in names
    }
    block = fakes.values()["prism"] | {"edition": "v1", "judges": ["world"], "contestants": [*contestants]} | changes
    Path("params.yaml").write_text(json.dumps(fakes.values(seed=0, contestants=contestants, prism=block)))


def write_scores(name: str, gains: Sequence[float], spec: str = "question=aa seed=0", lacking: str = "") -> None:
    """Each item has 5 and the gain of its number in its track; none has one that is `lacking`."""
    rows = [
        {"item": item, "stratum": track, "groups": [track], "setting": "en", "judge": "world", "measure": axis}
        | dict.fromkeys(("value", "low", "high"), None if item == lacking else 5 + gains[number % 2])
        | {"spec": spec, "scored": int(item != lacking), "left_out": [], "off_task": False}
        for number, (item, track) in enumerate(ITEMS)
        for axis in AXES
    ]
    with TableWriter(PRISM.scores / name, SCHEMA) as table:
        table.write("scores", rows)
    write_metric_specs(PRISM.scores / name, PRISM.metrics_in(load(Params)))


FIRST = {"release_0": (0.0, 1.0), "release_1": (0.2, 1.2), "release_2": (0.4, 1.4)}


@pytest.fixture(autouse=True)
def measured(project: Path) -> Path:
    params([*FIRST, "careful"], languages=["en"])
    for name, gains in FIRST.items():
        write_scores(name, gains)
    write_scores("careful", (1, 1))
    return project


def two(first: Iterable[str], second: Iterable[str]) -> OverTrainings:
    return compare_groups(PRISM, load(Params), *([*map(Entrant, names)] for names in (first, second)))


def test_a_group_has_a_mean_over_trainings_and_items() -> None:
    """Trainings have 55, 57 and 59: variance 4, by three. Items lie 5 off their track's mean, 14 · 25 over 14 - 7
    degrees, by 14; nothing is left over.
    """
    found = compare_groups(PRISM, load(Params), [*map(Entrant, FIRST)])
    assert found.value == pytest.approx(57) and (found.trainings, found.items) == ([3], 14)
    variance = 4 / 3 + 14 * 25 / 7 / 14
    degrees = variance**2 / ((4 / 3) ** 2 / 2 + (14 * 25 / 7 / 14) ** 2 / 7)
    from scipy.stats import t as student

    assert found.low == pytest.approx(57 - student.ppf(0.975, degrees) * variance**0.5)


def revisions(second: dict[str, tuple[float, float]], at: Path) -> tuple[compare.Project, compare.Project]:
    """What lies here as revision v1, and other scores of the same trainings here."""
    shutil.copytree(".", at)
    for name, gains in second.items():
        write_scores(name, gains)
    return compare.Project("v1", lambda path: at / path), compare.Project()


def test_what_a_change_of_data_does_to_a_recipe(tmp_path_factory: pytest.TempPathFactory) -> None:
    better = {name: (low + 1, high + 1) for name, (low, high) in FIRST.items()}
    both = revisions(better, tmp_path_factory.mktemp("v1") / "project")
    [(recipe, found)] = compare.compare_recipes(*both, ["prism"])
    assert recipe == "release, PRISM-Bench" and found.value == pytest.approx(10)
    assert found.low and 0 < found.low < 10
    assert str(found).startswith("ahead 10.000 [") and str(found).endswith("], 3 against 3 trainings and 14 items")


def test_a_single_training_is_no_difference(tmp_path_factory: pytest.TempPathFactory) -> None:
    params(["release_0"], languages=["en"])
    both = revisions({"release_0": (4, 4)}, tmp_path_factory.mktemp("v1") / "project")
    [(_, found)] = compare.compare_recipes(*both, ["prism"])
    assert str(found) == "unknown: one training does not show how trainings vary"


def test_two_contestants_are_no_recipes() -> None:
    here = compare.Project()
    assert [*compare.compare_recipes(here.entrant("release_0"), here.entrant("careful"), ["prism"])] == []


def test_a_training_that_cannot_be_compared_is_named_and_not_left_out() -> None:
    write_scores("release_2", (9, 9), spec="question=bb seed=0")
    assert "question differs" in two(["release_0", "release_1"], ["release_2", "careful"]).why
    shutil.rmtree(PRISM.scores / "release_1")
    lost = compare_groups(PRISM, load(Params), [*map(Entrant, FIRST)])
    assert lost.value is None and "datasets/prism/scores/release_1: there is no finished table" in lost.why


def test_trainings_that_are_asked_in_other_ways_are_not_compared() -> None:
    """What they would differ by may be how they paint, and not what they learnt. Whose weights they are may differ."""
    params([*FIRST], languages=["en"])
    values = json.loads(Path("params.yaml").read_text())
    first, second, third = (values["contestants"][name] for name in FIRST)
    first["variant_of"] = "release_2"
    third["model"] |= {"id": "release-2/step-9", "adapter": None}
    Path("params.yaml").write_text(json.dumps(values))
    assert two(["release_0", "release_1"], ["release_2"]).why == "one training does not show how trainings vary"
    for change in ({"painting": {"guidance_scale": 4}}, {"adapter": second["model"]["adapter"] | {"weight": 0.5}}):
        second["model"] |= change
        Path("params.yaml").write_text(json.dumps(values))
        [way] = change.keys()
        said = f"release_1 and release_0 are asked in different ways ({'weight' if way == 'adapter' else way})"
        assert compare_groups(PRISM, load(Params), [*map(Entrant, FIRST)]).why == said
        second["model"]["painting"] = {"guidance_scale": 1}


def test_an_item_that_one_training_lacks_counts_for_none() -> None:
    """Each track counts alike, so what is left of the lacking one's track is its other item."""
    write_scores("release_1", FIRST["release_1"], lacking=ITEMS[0][0])
    found = compare_groups(PRISM, load(Params), [*map(Entrant, FIRST)])
    assert found.items == 13 and found.value == pytest.approx((6 * 57 + 62) / 7)


def test_the_last_step_is_a_recipe_s_and_of_each_training_the_first_contestant() -> None:
    models = {
        "early": model("a", 0, 5),
        "late": model("a", 0, 50),
        "second": model("a", 1, 50),
        "again": model("a", 1, 50) | {"sampling": {"temperature": 1}},
        "whole": {"kind": "unified", "id": "b_2-3/step-7", "revision": "built"},
        "other": {"kind": "unified", "id": "b_2-4/step-7", "revision": "0" * 40},
        "elsewhere": {"kind": "diffusers", "id": "x/y", "adapter": {"path": "runs/a-0/step-9"}},
        "toy": {"kind": "sandbox"},
    }
    assert contestants_by_recipe(models) == {"a": ["late", "second"], "b_2": ["whole"]}
