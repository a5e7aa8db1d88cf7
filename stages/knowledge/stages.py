"""The stages of knowledge studies, by which `gamut pipeline` writes their dvc.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.pipeline.entries import PERSISTED, Entry, uncached_output
from gamut.pipeline.studies import Study
from stages.knowledge.parameters import Params, players

INTRODUCTION = """\
Knowledge studies (arXiv 2602.02140, section 4): what a model knows of entities on both sides, facts that it is taught
on one, and what every checkpoint of that training knows on both. On demand: dvc repro stages/knowledge/dvc.yaml"""
TABLES = {name: Path("datasets/knowledge", name) for name in ("entities", "measured")}
METRICS = Path("metrics/knowledge.json")
STUDY = {name: Path("metrics/knowledge", name) for name in ("transfer.json", "curves.csv", "strategies.csv")}
"""What the studies say, in full."""

ENTITIES = Entry(
    "entities",
    "stages.knowledge.entities",
    data=["datasets/entities"],
    params=["knowledge.entities", "knowledge.pictures"],
    outs=[str(TABLES["entities"])],
    remark="The entities, a row a picture",
)

TRANSFER = Entry(
    "transfer",
    "stages.knowledge.transfer",
    data=[str(TABLES["measured"])],
    params=["knowledge.models", "knowledge.studies", "knowledge.strategies"],
    outs=[uncached_output(str(path)) for path in STUDY.values()],
    metrics=[uncached_output(str(METRICS))],
    remark="What crosses over to the side that was not trained, and how many steps each side takes",
)
PAGES = Entry(
    "pages",
    "gamut.report.knowledge",
    data=[str(TABLES["measured"]), *map(str, STUDY.values())],
    outs=[{"report/benchmarks/knowledge": PERSISTED}],
)
PLOTS = [
    {f"../../{STUDY[f'{name}.csv']}": {"template": name, "title": title, "x": x, "y": "value"}}
    for name, title, x in (("curves", "What is known by step", "step"), ("strategies", "The new fact", "strategy"))
]

KNOWLEDGE = Study("knowledge", Params, INTRODUCTION, [ENTITIES, TRANSFER, PAGES], PLOTS, players)


def record_of(entry: Entry) -> dict[str, Any]:
    """Return what a stage's entry says in dvc.yaml."""
    return entry.values(KNOWLEDGE.file)
