"""PRISM's prompts from a dataset's tables to the proposal: who is clustered, what is asked, what is proposed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models import opening
from gamut.asking.models.world import sandbox
from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.evaluation.construction.proposals import SOURCE_ROWS, SYNTHESIZED
from gamut.project.roles import RoleModel
from gamut.tables.writing import TableWriter
from stages.dataset import synthesize
from stages.prism.construction.parameters import Params
from stages.prism.construction.steps import PRISM
from tests import constructing, fakes
from tests.paths import ROOT
from tests.prism.small_dataset import Picture, write_dataset

NUMBERS, COLOURS = ("two", "three", "four"), ("red", "blue", "green", "black")
THINGS = ("cats", "dogs", "owls", "birds", "cars", "houses")


def caption(name: str, n: int) -> str:
    return f"{name} picture of {NUMBERS[n % 3]} {COLOURS[n % 4]} {THINGS[n % 6]} beside a tree, number {n // 6}"


def test_the_same_parameters_the_same_proposal(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, scores = range(24), [dict.fromkeys(CHARACTERISTICS, score) for score in (7, 8, 9)]
    captions = [{name: caption(name, n) for name in (*CHARACTERISTICS, "detail")} for n in numbers]
    write_dataset(*(Picture(n, captions[n], scores[n % 3], (8, 7 + n % 3)) for n in numbers))
    of_dataset = (
        (SOURCE_ROWS, ROWS_SCHEMA, "caption", "legacy"),
        (SYNTHESIZED, synthesize.SCHEMA, "prompt", "thing"),
    )
    for folder, schema, column, said in of_dataset:
        with TableWriter(folder, schema) as table:
            table.write("w-00000", [{"id": f"w-{n:08d}", "status": "ok", column: f"{said} {n}"} for n in numbers])
    shutil.copytree(ROOT / "stages/prism/pools", "stages/prism/pools")
    real = opening.open_model

    def opened(played: RoleModel, *rest: Any) -> Any:
        by_the_world = fakes.Fake(lambda request: sandbox.answer(request, {}, played.role))
        return real(played, *rest) if played.slug == "words" else by_the_world

    monkeypatch.setattr(opening, "open_model", opened)
    models = fakes.values()["models"] | {"words": {"kind": "tfidf"}}
    constructing.run(PRISM, fakes.proposing(Params, fakes.PROPOSE | {"embedder": "words"}, models=models))
    assert constructing.digest_of_proposal("prism") == "3de11135b332f3e8"
    figures = json.loads(Path("metrics/editions/prism/v1/construction.json").read_text())
    assert (figures["slots"], figures["items"], figures["left_out.unsupported"]) == (28, 12, 16)
    assert figures["items.style.curated"] == figures["items.style"] == 2
    clusters = json.loads(Path("metrics/editions/prism/v1/cluster.json").read_text())
    assert (clusters["style.candidates"], clusters["style.clusters"]) == (24, 2)
    assert clusters["style.smallest"] + clusters["style.largest"] == 24
