"""What `dvc metrics diff` and `dvc exp show` show of a whole build: few values, each under a name of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project.parameters import load
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
    assert declared() == {"metrics/summary.json", "metrics/filters.json"} | boards


def test_how_many_values_the_laptop_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board is a view by a judge: its verdict, and of three contestants a value with two ends, 1 + 3 * 3."""
    monkeypatch.chdir(ROOT)
    boards = {}
    for name in (name for name in NAMES if name in read_yaml(Path("params.yaml"))):
        benchmark = curation_of(name).benchmark
        params = load(benchmark.params)
        judges = benchmark.block(params).judged_by
        boards[name] = sum(len(metric.boards_by(judges)) for metric in benchmark.metrics_in(params))
        assert len(params.contestants) == 3
    assert sum(boards.values()) * 10 + 8 + 2 <= 300, boards
