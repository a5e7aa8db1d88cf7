"""What `dvc metrics show` shows of a whole build: a line a board, and few values of the dataset."""

from __future__ import annotations

from typing import Any

import pytest
from dvc.compare import show_metrics
from ruamel.yaml import YAML

from gamut.dataset.reporting.figures import summary_figures
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.validation import read_yaml
from tests.paths import ROOT

PIPELINES = [ROOT / "dvc.yaml", *sorted(ROOT.glob("stages/**/dvc.yaml"))]


def declared() -> set[str]:
    """Every metric file of every pipeline file; those of no stage too."""
    found: set[str] = set()
    for file in PIPELINES:
        content: dict[str, Any] = YAML(typ="safe").load(file.read_text())
        assert "metrics" not in content, f"{file}: DVC shows whatever such a file holds"
        for stage in content["stages"].values():
            found |= {path for of in stage.get("metrics", ()) for path in of}
    return found


def test_one_small_file_a_board_and_two_of_the_dataset() -> None:
    boards = {f"metrics/{name}/${{{name}.edition}}.json" for name in NAMES}
    of_studies = {"metrics/training.json", "metrics/knowledge.json"}
    assert declared() == {"metrics/summary.json", "metrics/filters.json"} | of_studies | boards


def test_what_the_laptop_shows_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A line a file, with a column a contestant and key of the dataset, as `dvc metrics show` draws them."""
    values = read_yaml(ROOT / "params.yaml")
    report = {"release": {"pictures": 150, "captions_english": 698}}
    shown: dict[str, Any] = {
        "metrics/summary.json": summary_figures(report),
        "metrics/filters.json": {"precision": 0.93842, "recall": 0.93585},
    }
    for name in (name for name in NAMES if name in values):
        shown[f"metrics/{name}/{values[name]['edition']}.json"] = dict.fromkeys(values[name]["contestants"], 90.268)
    show_metrics({"": {"data": {path: {"data": data} for path, data in shown.items()}}})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 2 + 5 and max(map(len, lines)) <= 100
