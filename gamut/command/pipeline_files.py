"""`gamut pipeline`: write the dvc.yaml files from the records of their stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gamut.dataset import steps as dataset
from gamut.dataset.reporting.counts import DESCRIPTIONS
from gamut.dataset.reporting.figures import SCORES
from gamut.dataset.reporting.outputs import PLOTS
from gamut.evaluation.bodies import leaderboard
from gamut.evaluation.construction.slots import Construction
from gamut.evaluation.construction.stages import FILE
from gamut.evaluation.construction.stages import entry_of as construction_entry
from gamut.evaluation.curating.benchmarks import NAMES, curations
from gamut.evaluation.defining import cells
from gamut.pipeline.entries import HEADER, Entry, dvc_yaml_text
from gamut.pipeline.steps import Step, module_of, stage_of
from gamut.pipeline.studies import Study, studies
from gamut.project.code import declared_code, whole
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.pipeline import BENCHMARKS, PIPELINE
from gamut.report import report

INTRODUCTION = """\
The dataset build (FLUX-Reason-6M, section 2), what stays out of it for being a benchmark's, and what all benchmarks
share. A step asks a model about each record, or decides from tables. It depends on the packages that it imports from,
its own module and its data. Where the embedded world answers it depends on the version there (datasets/world; of
contestants datasets/players), and what goes one route on that route's shards of the source rows (datasets/routes).
`metrics` are the few values that `dvc metrics diff` shows; all others are outs."""
EDITIONS_INTRODUCTION = """\
Items of new editions: a cell for each that is under construction, such as [v1] at BENCHMARK.editions of params.yaml
here. On demand: dvc repro stages/editions/dvc.yaml:BENCHMARK_propose@v1. A stage's output has a table a step."""
WORLD = "gamut/world"


def pipeline_texts() -> dict[Path, str]:
    of_benchmarks = {
        BENCHMARKS / name / PIPELINE: cells.text_of(folder.benchmark) for name, folder in curations().items()
    }
    of_studies = {study.file: study_text(study) for study in studies().values()}
    return {PIPELINE: root_text(), **of_benchmarks, **of_studies, FILE: editions_text()}


def constructions() -> Iterator[Construction]:
    """Yield the construction of each benchmark that has one: in construction/steps.py, named as it in capitals."""
    for name in NAMES:
        if find_spec(f"stages.{name}.construction"):
            yield getattr(import_module(f"stages.{name}.construction.steps"), name.upper())


def editions_text() -> str:
    """Return the text of `stages/editions/dvc.yaml`."""
    found = [
        construction_entry(construction, stage, declared_code(f"stages.{construction.benchmark}.construction.steps"))
        for construction in constructions()
        for stage in construction.stages
    ]
    return dvc_yaml_text(FILE, "stages/*/construction/steps.py", EDITIONS_INTRODUCTION, found, values=["params.yaml"])


def study_text(study: Study) -> str:
    """Return the text of a study's dvc.yaml; the code of a stage is that of the module that it runs."""
    found = [
        entry._replace(code=sorted({*declared_code(entry.command.split()[0]), *entry.code})) for entry in study.entries
    ]
    source = f"stages/{study.name}/stages.py"
    return dvc_yaml_text(study.file, source, study.introduction, found, study.plots)


def stale_files(texts: Mapping[Path, str]) -> Iterator[Path]:
    """Yield the files with another text; UserError for a file that a person wrote."""
    for file, text in texts.items():
        found = file.read_text(encoding="utf-8") if file.exists() else HEADER
        if not found.startswith(HEADER):
            raise UserError(f"{file} was written by hand, but `gamut pipeline` writes to this place: move it")
        if found != text:
            yield file


def write_pipelines(check: bool) -> list[str]:
    """Write the files with another text, and return a line about each; with `check`, raise UserError instead."""
    texts = pipeline_texts()
    files = list(stale_files(texts))
    if check and files:
        raise UserError(f"{', '.join(map(str, files))}: not up to date with the stages: run `gamut pipeline`")
    for file in files:
        write_whole(file, texts[file].encode())
    return [f"{file}: written" for file in files] or [f"{len(texts)} files are up to date with the stages"]


def root_text() -> str:
    steps = (*dataset.STAGES, leaderboard.STEP, report.STEP)
    return dvc_yaml_text(
        PIPELINE, "stages/dataset/pipeline.py", INTRODUCTION, [*map(entry_of, steps)], [*plot_entries()]
    )


def entry_of(step: Step) -> Entry:
    """Return a step's stage with its code. A step that looks at all steps depends on their whole folder. The steps that
    record the version of the embedded world depend on its code, which `declared_code` leaves out.
    """
    code = declared_code(module_of(step))
    folder = "stages/dataset"
    if f"{folder}/pipeline.py" in code:
        code = whole(code, folder, *cells.DECIDING)
    return stage_of(step, sorted([*code, WORLD]) if step.name in ("world", "players") else code)


def plot_entries() -> Iterator[dict[str, Any]]:

    def histogram(title: str, name: str, x: str, y: list[str], **labels: str) -> dict[str, Any]:
        return {title: {"x": x, "y": {f"{PLOTS}/{name}.csv": y}, "template": "histograms", **labels}}

    def bars(title: str, name: str, x: str, y: str) -> dict[str, Any]:
        return {title: {"x": x, "y": {f"{PLOTS}/{name}.csv": y}, "template": "bar_horizontal"}}

    def against_labels(title: str, what: str, belongs: bool) -> dict[str, Any]:
        names = [filter_.name for filter_ in dataset.filters() if filter_.belongs == belongs]
        y = {f"metrics/precision_recall/{name}.csv": "precision" for name in names}
        whole = f"{title}: precision and recall of what each threshold 0 to 10 would {what}"
        return {f"{title} against labels": {"template": "precision_recall", "title": whole, "x": "recall", "y": y}}

    scores = [name for names in SCORES.values() for name in names]
    yield histogram(
        "Words in English captions",
        "word_counts",
        "words",
        list(DESCRIPTIONS),
        x_label="words (tens)",
        y_label="captions",
    )
    yield histogram("Scores", "scores", "score", scores, y_label="pictures")
    yield bars("Reasons for leaving rows out", "reasons", "rows", "reason")
    yield bars("Sources of the released pictures", "sources", "pictures", "source")
    yield bars("Captions per picture", "captions_per_picture", "pictures", "captions")
    yield against_labels("Filters", "reject", False)
    yield against_labels("Characteristics", "count as belonging", True)
