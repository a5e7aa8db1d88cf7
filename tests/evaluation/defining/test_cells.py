"""The stages of benchmarks are what their records say."""

from __future__ import annotations

import pytest

from stages.evaluation.defining.benchmark import benchmark_of
from stages.evaluation.defining.cells import text_of
from stages.leaderboard.rooms import NAMES
from tests.paths import ROOT


@pytest.mark.parametrize("name", NAMES)
def test_a_dvc_yaml_is_what_the_record_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert (ROOT / "stages" / name / "dvc.yaml").read_text() == text_of(benchmark_of(name))
