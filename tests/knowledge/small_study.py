"""A study on a model that is a table: what it calls a picture's kind, and what it paints by a name. Checkpoints are
such tables too, so that all a study should find is known beforehand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gamut.asking.models import opening
from gamut.asking.models.opening import identity
from gamut.asking.requests import Create, Paint, Picture, Reply, Request, pictures_of
from gamut.project.model_kinds import UnifiedModel
from gamut.project.roles import RoleModel
from gamut.project.validation import check_values
from gamut.training.examples import Example
from gamut.training.recipes import Recipe
from gamut.world.pictograms import KNOWN, UNKNOWN, kind_shown, pictogram
from stages.knowledge import train as training
from stages.knowledge.entities import entities
from stages.knowledge.measure import measure
from stages.knowledge.parameters import Params
from stages.knowledge.probe import probe
from stages.knowledge.sets import sets
from tests import fakes

TABLE = "adapter_model.safetensors"
WORDS = re.compile("|".join(sorted((*KNOWN, *UNKNOWN), key=len, reverse=True)))
BLOCK = {
    "models": ["toy"],
    "studies": ["edit", "inject"],
    "strategies": ["und", "gen"],
    "entities": {"kind": "world"},
    "pictures": 5,
    "probe": {"pictures": 2, "known": 0.8, "unknown": 0.2},
    "most": 4,
    "neighbours": 0.1,
    "width": 64,
    "height": 64,
    "recipe": {
        "lora": {"rank": 2, "alpha": 2.0, "targets": ["q_proj"]},
        "checkpoints": [1, 2],
        "batch": 2,
        "learning_rate": 0.1,
    },
}
TOY = {"kind": "unified", "id": "toy", "revision": "built", "dtype": "float32", "painting": {"guidance_scale": 1}}


def params(**changes: Any) -> Params:
    shared = fakes.values()
    models = {"toy": TOY, "world": {"kind": "sandbox"}}
    roles = dict.fromkeys(shared["roles"], "world") | {"image_embedder": "world", "text_embedder": None}
    values = {"seed": 0, "models": models, "roles": roles, "knowledge": BLOCK | changes}
    return check_values(Params, values, Path("params.yaml"))


def run(monkeypatch: pytest.MonkeyPatch, block: Params, cells: Sequence[tuple[str, str]]) -> None:
    """Run the stages of these cells, a study and a strategy, one after the other in this process."""
    Path("models/bases/toy").mkdir(parents=True)
    Path("models/bases/toy/config.json").touch()
    monkeypatch.setattr(opening, "open_model", partial(open_table, opening.open_model))
    monkeypatch.setattr(training, "train_model", teach)
    entities(block)
    probe(block, "toy")
    sets(block)
    for study, strategy in cells:
        training.train(block, "toy", study, strategy)
        measure(block, "toy", study, strategy)


def open_table(others: Any, role_model: RoleModel, settings: Any, texts: Any = ()) -> Any:
    model = role_model.model
    if not isinstance(model, UnifiedModel):
        return others(role_model, settings, texts)
    table = json.loads((Path(model.adapter.path) / TABLE).read_text()) if model.adapter else {"und": {}, "gen": {}}
    return fakes.Fake(partial(answer, table), identity=identity(model, role_model.role))


def answer(table: Mapping[str, Mapping[str, str]], request: Request) -> Reply:
    if isinstance(request, Create):
        shown = kind_shown(pictures_of(request)[0]) or ""
        return Reply(table["und"].get(shown, shown if shown in KNOWN else "a thing").encode())
    assert isinstance(request, Paint)
    name = WORDS.findall(request.prompt)[0]
    kind = table["gen"].get(name, name if name in KNOWN else "")
    return Reply(pictogram(kind, 99) if kind else fakes.encoded(Image.new("RGB", (64, 64), "white"), "PNG"))


def teach(
    role_model: RoleModel,
    settings: Any,
    recipe: Recipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    seed: int,
    folder: Path,
    losses: Path,
) -> None:
    """The first checkpoint has learnt nothing, the last one all."""
    table: dict[str, dict[str, str]] = {"und": {}, "gen": {}}
    for example in examples:
        if isinstance(example.answer, Picture):
            table["gen"][WORDS.findall(example.given[0])[0]] = kind_shown(example.answer.data) or ""
        else:
            table["und"][kind_shown(example.given[0].data) or ""] = example.answer
    for step in recipe.checkpoints:
        place = folder / f"step-{step}" / TABLE
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(table if step == recipe.steps else {"und": {}, "gen": {}}))
