"""The stages of knowledge studies, from which `gamut pipeline` writes their dvc.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.pipeline.entries import PERSISTED, Entry, uncached_output
from gamut.pipeline.studies import Study
from gamut.project.model_kinds import BASES
from gamut.project.plain_text import amount
from stages.knowledge.parameters import Params

INTRODUCTION = """\
Knowledge studies (arXiv 2602.02140, section 4): what a model knows of entities on both sides, facts that it is taught
on one, and what every checkpoint of that training knows on both. On demand: dvc repro stages/knowledge/dvc.yaml"""
FOLDER = Path("datasets/knowledge")
TABLES = {name: FOLDER / name for name in ("entities", "answers", "probe", "wordings", "sets", "measured")}
FILES, KEPT, LOSSES = FOLDER / "files", Path("metrics/knowledge/kept.json"), Path("metrics/knowledge/losses")
ADAPTERS = Path("models/knowledge")
"""Separate from those of recipes: contestants do not wait for a study."""
METRICS = Path("metrics/knowledge.json")
FIGURES, CURVES = Path("metrics/knowledge/transfer.json"), Path("metrics/knowledge/curves.csv")
"""All results of the studies."""
MODEL, CELL = "${item.model}", "${item.model}-${item.study}-${item.strategy}"
MATRIX = {"model": "${knowledge.models}", "study": "${knowledge.studies}", "strategy": "${knowledge.strategies}"}
SETS_OF_STUDY = f"{TABLES['sets']}/${{item.study}}"
SIZE = ["knowledge.width", "knowledge.height"]


def role_keys(*roles: str) -> list[str]:
    return [key for role in roles for key in (f"roles.{role}", f"models.${{roles.{role}}}")]


def world(*roles: str) -> list[str]:
    return [f"datasets/world/roles/{role}" for role in roles]


def bill(params: Params) -> list[str]:
    block = params.knowledge
    cells = amount(len(block.models) * len(block.studies) * len(block.strategies), "training")
    return [f"Knowledge studies: {cells} of {block.recipe.steps:,} steps; what they ask is not counted."]


ENTITIES = Entry(
    "entities",
    "stages.knowledge.entities",
    data=["datasets/entities", "datasets/world/pictograms"],
    params=["knowledge.entities", "knowledge.pictures"],
    outs=[str(TABLES["entities"])],
    remark="The entities, a row a picture",
)
PROBE = Entry(
    "probe",
    f"stages.knowledge.probe {MODEL}",
    data=[BASES, str(TABLES["entities"]), *world("judge")],
    params=["seed", f"models.{MODEL}", "knowledge.probe.pictures", *SIZE, *role_keys("judge")],
    outs=[str(TABLES[name] / MODEL) for name in ("answers", "probe")],
    matrix={"model": MATRIX["model"]},
    remark="Which of them a model knows, on either side",
)
SETS = Entry(
    "sets",
    "stages.knowledge.sets",
    data=[*(str(TABLES[name]) for name in ("entities", "answers", "probe")), *world("writer")],
    params=["seed", *(f"knowledge.{key}" for key in ("models", "studies", "pictures", "probe", "most", "neighbours")),
            *role_keys("writer")],
    outs=[*(str(TABLES[name]) for name in ("wordings", "sets")), str(FILES), uncached_output(str(KEPT))],
    remark="What is taught and asked, in tables and as files for trainers",
)  # fmt: skip
TRAIN = Entry(
    "train",
    f"stages.knowledge.train {CELL.replace('-', ' ')}",
    data=[BASES, str(TABLES["entities"]), SETS_OF_STUDY],
    params=["seed", f"models.{MODEL}", "knowledge.recipe", *SIZE],
    outs=[f"{ADAPTERS}/{CELL}", uncached_output(f"{LOSSES}/{CELL}.csv")],
    matrix=MATRIX,
)
MEASURE = Entry(
    "measure",
    f"stages.knowledge.measure {CELL.replace('-', ' ')}",
    data=[BASES, f"{ADAPTERS}/{CELL}", str(TABLES["entities"]), SETS_OF_STUDY, *world("judge", "image_embedder")],
    params=["seed", "knowledge.recipe.checkpoints", *SIZE, "models", "roles.judge", "roles.image_embedder"],
    outs=[str(TABLES["measured"] / CELL)],
    matrix=MATRIX,
    remark="Every checkpoint on both sides",
)
TRANSFER = Entry(
    "transfer",
    "stages.knowledge.transfer",
    data=[str(TABLES["measured"])],
    params=["knowledge.models", "knowledge.studies", "knowledge.strategies"],
    outs=[uncached_output(str(path)) for path in (FIGURES, CURVES)],
    metrics=[uncached_output(str(METRICS))],
    remark="What crosses over to the side that was not trained, and how many steps each side takes",
)
PAGES = Entry(
    "pages",
    "gamut.report.knowledge",
    data=[str(TABLES["measured"]), str(FIGURES), str(CURVES)],
    outs=[{"report/benchmarks/knowledge": PERSISTED}],
)
PLOTS: list[dict[str, Any]] = [
    {"Facts: new, dashed old": {"template": "curves", "x": "step", "y": {f"../../{CURVES}": "value"}}},
    {"The new fact": {"template": "strategies", "x": "strategy", "y": {f"../../{CURVES}": "value"}}},
    {f"../../{LOSSES}": {"x": "step", "y": "loss", "title": "Loss of studies"}},
]

KNOWLEDGE = Study(
    "knowledge",
    Params,
    INTRODUCTION,
    [ENTITIES, PROBE, SETS, TRAIN, MEASURE, TRANSFER, PAGES],
    PLOTS,
    players=lambda params: [params.player(slug) for slug in params.knowledge.models],
    bill=bill,
)
