"""The stages by which items of new editions are proposed, of all benchmarks."""

from gamut.evaluation.construction.stages import FILE, entry_of
from gamut.pipeline.entries import Entry, written
from gamut.project.code import declared_code
from stages.aegis.construction.steps import AEGIS
from stages.gapeval.construction.steps import GAPEVAL
from stages.genius.construction.steps import GENIUS
from stages.gir.construction.steps import GIR
from stages.prism.construction.steps import PRISM

CONSTRUCTIONS = (PRISM, AEGIS, GIR, GAPEVAL, GENIUS)
INTRODUCTION = """\
Items of new editions: a cell for each that is under construction, such as [v1] at gir.editions of params.yaml here.
On demand: dvc repro stages/editions/dvc.yaml:gir_propose@v1. A stage's output has a table a step."""


def entries() -> list[Entry]:
    found = []
    for construction in CONSTRUCTIONS:
        code = declared_code(f"stages.{construction.benchmark}.construction.steps")
        found += [entry_of(construction, stage, code) for stage in construction.stages]
    return found


def text() -> str:
    """Return the text of `stages/editions/dvc.yaml`."""
    return written(FILE, "stages/editions/pipeline.py", INTRODUCTION, entries(), values=["params.yaml"])
