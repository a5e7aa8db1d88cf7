"""The stages of knowledge studies, by which `gamut pipeline` writes their dvc.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.pipeline.entries import Entry
from gamut.pipeline.studies import Study
from stages.knowledge.parameters import Params, players

INTRODUCTION = """\
Knowledge studies (arXiv 2602.02140, section 4): what a model knows of entities on both sides, facts that it is taught
on one, and what every checkpoint of that training knows on both. On demand: dvc repro stages/knowledge/dvc.yaml"""
TABLES = {name: Path("datasets/knowledge", name) for name in ("entities",)}

ENTITIES = Entry(
    "entities",
    "stages.knowledge.entities",
    data=["datasets/entities"],
    params=["knowledge.entities", "knowledge.pictures"],
    outs=[str(TABLES["entities"])],
    remark="The entities, a row a picture",
)

KNOWLEDGE = Study("knowledge", Params, INTRODUCTION, [ENTITIES], players=players)


def record_of(entry: Entry) -> dict[str, Any]:
    """Return what a stage's entry says in dvc.yaml."""
    return entry.values(KNOWLEDGE.file)
