"""Examples of a release: every released caption with its picture, read when its turn comes; what is held out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gamut.asking.requests import seed_of
from gamut.project.errors import UserError
from gamut.project.validation import check_values
from gamut.tables.columns import Row, make_id
from gamut.tables.images import picture_size
from gamut.tables.writing import TableWriter
from stages.dataset.release import CAPTION_COLUMNS, SCHEMA
from stages.training import train
from stages.training.parameters import Params, ReleaseRecipe, bill, builds
from tests import fakes

CAPTIONS = ["detail", "original", "entity_cn"]


def released(number: int, has: list[str]) -> Row:
    row: Row = dict.fromkeys(SCHEMA.names)
    row |= {"id": make_id("wave", number), "image": {"bytes": fakes.jpeg(number % 200, size=(128, 96)), "path": None}}
    for name in CAPTION_COLUMNS:
        row[f"bool_caption_{name}"] = name in has
        row |= {f"caption_{name}": f"{name} {number}", f"caption_{name}_cn": f"{name} {number} cn"}
    return row


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Sixty rows in two shards: all have `detail`, every third `entity`, and what `original` says is never true."""
    with TableWriter(tmp_path / "release", SCHEMA) as table:
        for shard, numbers in (("wave-00000", range(40)), ("wave-00001", range(5000, 5020))):
            table.write(shard, [released(n, ["detail", *["entity"] * (n % 3 == 0)]) for n in numbers])
    return tmp_path / "release"


def test_each_true_caption_is_an_example_and_one_row_in_twenty_is_held_out(release: Path) -> None:
    examples, held_out = train.split_release(release, recipe(CAPTIONS))
    numbers = [*range(40), *range(5000, 5020)]
    aside = [n for n in numbers if seed_of(make_id("wave", n), 0) < 2**31 // 20]
    wanted = [
        f"{make_id('wave', n)}/{name}"
        for n in numbers
        if n not in aside
        for name in ("detail", *["entity_cn"] * (n % 3 == 0))
    ]
    assert [examples[number].id for number in range(len(examples))] == wanted
    assert sorted(one.id for one in held_out) == [f"{make_id('wave', n)}/detail" for n in aside] and len(
        aside
    ) in range(1, 7)
    last = examples[len(examples) - 1]
    assert last.given == (f"{wanted[-1].split('/')[1]} 5019",) or "entity" in last.id
    assert (last.answer.media_type, last.answer.data) == ("image/jpeg", fakes.jpeg(5019 % 200, size=(128, 96)))


def test_pictures_are_read_one_by_one(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    by_id = train.RowsById.__call__
    monkeypatch.setattr(train.RowsById, "__call__", lambda self, row_id: (read.append(row_id), by_id(self, row_id))[1])
    examples, _ = train.split_release(release, recipe(CAPTIONS))
    assert read == [] and len(examples) > 50
    assert [examples[number].id.split("/")[0] for number in (7, 3, 7)] == read


def test_a_release_without_anything_to_learn_or_to_hold_out_says_so(release: Path) -> None:
    with pytest.raises(UserError, match="0 of 60 rows have one of the captions original; with one in twenty held out"):
        train.split_release(release, recipe(["original"]))


def recipe(captions: list[str], **changes: Any) -> ReleaseRecipe:
    return check_values(Params, params(captions=captions, **changes), Path("params.yaml")).recipes["a"]


def test_larger_pictures_are_scaled_down(release: Path) -> None:
    examples, _ = train.split_release(release, recipe(CAPTIONS, largest_picture=64))
    assert picture_size(examples[0].answer.data) == (64, 48)


def params(**changes: Any) -> dict[str, Any]:
    model = {"kind": "unified", "id": "toy", "revision": "built", "painting": {"guidance_scale": 1}}
    recipe = {
        "model": model,
        "captions": ["detail"],
        "lora": None,
        "checkpoints": [10, 40],
        "batch": 8,
        "learning_rate": 0.1,
    }
    block = {"bases": ["toy"], "recipes": ["a"], "seeds": [0, 3]}
    return {"seed": 0, "training": block | changes.pop("training", {}), "recipes": {"a": recipe | changes}}


def test_what_is_built_and_what_it_takes() -> None:
    found = check_values(Params, params(), Path("params.yaml"))
    steps = [f"models/trained/a-{seed}/step-{step}" for seed in (0, 3) for step in (10, 40)]
    assert builds(found) == ["models/bases/toy", *steps]
    assert [*bill(found)] == ["Recipe a: 2 trainings of 40 steps of 8 examples."]
    flux = {"kind": "diffusers", "id": "black-forest-labs/FLUX.1-dev", "revision": "0" * 40}
    real = check_values(Params, params(model=flux, checkpoints=[2000], batch=4), Path("params.yaml"))
    # .78 s an example: 2,000 · 4 · .78 / 3,600
    assert [*bill(real)] == ["Recipe a: 2 trainings of 2,000 steps of 4 examples, 1.7 H200-hours each."]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"captions": ["details"]}, "did you mean 'detail'"),
        ({"captions": ["detail", "detail"]}, "'detail' occurs twice"),
        ({"training": {"recipes": ["b"]}}, "training.recipes: no recipe 'b'"),
        ({"training": {"seeds": []}}, "training.seeds: at least one is expected"),
        ({"training": {"bases": []}}, "recipes.a.model: no stage builds models/bases/toy: name it in training.bases"),
        (
            {"model": {"kind": "unified", "id": "toy", "revision": "built"}},
            "recipes.a.model: to make pictures, a model of kind unified",
        ),
        ({"model": {"kind": "sandbox"}}, "recipes.a.model"),
    ],
)
def test_a_mistake_is_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as error:
        check_values(Params, params(**changes), Path("params.yaml"))
    assert line in str(error.value) and "\n" not in str(error.value)
