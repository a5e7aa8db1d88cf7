"""The stages by which items of new editions are proposed, of all benchmarks: `stages/editions/dvc.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from gamut.evaluation.construction.slots import Construction
from gamut.evaluation.construction.stages import FILE, entry_of
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.pipeline.entries import Entry, dvc_yaml_text
from gamut.project.code import declared_code

INTRODUCTION = """\
Items of new editions: a cell for each that is under construction, such as [v1] at BENCHMARK.editions of params.yaml
here. On demand: dvc repro stages/editions/dvc.yaml:BENCHMARK_propose@v1. A stage's output has a table a step."""


def constructions() -> Iterator[Construction]:
    """Yield what a benchmark's construction/steps.py calls by its name in capitals, where it has one."""
    for name in NAMES:
        if find_spec(f"stages.{name}.construction"):
            yield getattr(import_module(f"stages.{name}.construction.steps"), name.upper())


def entries() -> Iterator[Entry]:
    for construction in constructions():
        code = declared_code(f"stages.{construction.benchmark}.construction.steps")
        yield from (entry_of(construction, stage, code) for stage in construction.stages)


def text() -> str:
    return dvc_yaml_text(FILE, "stages/*/construction/steps.py", INTRODUCTION, [*entries()], values=["params.yaml"])
