"""`gamut compare --of BENCHMARK:METRIC`: one metric alone is compared and told of, and decides at the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gamut.command import compare
from gamut.evaluation.curating.benchmarks import curation_of
from gamut.evaluation.defining.measures import Metric, averages
from gamut.evaluation.scoring.specs import write_metric_specs
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS
from tests.command.test_compare import BOTH, call, params, scored

EN = {("en", "world"): BOTH["en", "world"]}
ZH = {("zh", "world"): BOTH["zh", "world"]}


@pytest.fixture(autouse=True)
def contestants(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contestants, the second half a point of ten worse and put to English alone."""
    monkeypatch.setenv("COLUMNS", "80")
    params("careful", "hasty")
    scored("careful", 0.5, BOTH)
    scored("hasty", 0, EN)
    return project


def with_metrics(monkeypatch: pytest.MonkeyPatch, *metrics: Metric) -> None:
    benchmark = replace(PRISM, metrics=lambda block: [*metrics])
    monkeypatch.setattr(compare, "curation_of", lambda name: replace(curation_of(name), benchmark=benchmark))
    for contestant in ("careful", "hasty"):
        write_metric_specs(PRISM.scores / contestant, metrics)


def test_who_is_put_to_one_language_passes_or_fails_in_that() -> None:
    alone = "PRISM-Bench, zh, judged by world: not compared: careful is the only one with scores there"
    code, said = call("careful", "hasty", "--margin", "8")
    assert code == 4 and alone in said
    code, said = call("careful", "hasty", "--margin", "8", "--of", "prism:en")
    assert code == 0 and said.splitlines()[0] == (
        "passed: hasty is within 8 of careful on 1 of 1 board; "
        "closest: PRISM-Bench, en, judged by world: overall -5.0 [-7.3, -2.7]"
    )
    assert call("careful", "hasty", "--margin", "7", "--of", "prism:en")[0] == 4
    assert call("careful", "hasty", "--margin", "99", "--of", "prism:zh") == (1, f"{alone}\n")


def test_boards_that_are_not_compared_for_one_reason_share_a_line() -> None:
    scored("careful", 0.5, EN | ZH | {("zh", "gpt"): "question=dd seed=0"})
    said = call("careful", "hasty")[1]
    boards = "PRISM-Bench, zh, judged by world; PRISM-Bench, zh, judged by gpt"
    assert f"\nnot compared: careful is the only one with scores there: {boards}\n" in said
    hint = "`--of prism` shows every value, with `--items 10` what changes it; `--margin 2` gives pass or fail"
    assert said.splitlines()[-1] == hint
    of_prism = call("careful", "hasty", "--of", "prism", "--items", "1")[1]
    assert of_prism.splitlines()[-1].startswith("`gamut show BENCHMARK ITEM` shows")
    code, said = call("careful", "hasty", "--items", "1")
    assert code == 1 and said == "--items needs a benchmark: name it with --of\n"


def test_nobody_passes_in_a_metric_by_answering_less() -> None:
    """Of another judge, or in one of the settings that a metric is across."""
    scored("careful", 0.5, EN | {("en", "gpt"): "question=dd seed=0"})
    code, said = call("careful", "hasty", "--margin", "99", "--of", "prism:en")
    assert (
        code == 4 and "PRISM-Bench, en, judged by gpt: not compared: careful is the only one with scores there" in said
    )


def test_where_one_setting_stands_for_another_neither_lacks_any(monkeypatch: pytest.MonkeyPatch) -> None:
    english, chinese = (averages(setting, TRACKS, PRISM.measures) for setting in ("en", "zh"))
    with_metrics(monkeypatch, english._replace(name="main", instead=("zh",)), english, chinese)
    scored("careful", 0.5, ZH)
    code, said = call("careful", "hasty", "--margin", "8")
    assert code == 4 and "on 1 of 1 board, with 2 not compared" in said
    code, said = call("careful", "hasty", "--margin", "8", "--of", "prism:main")
    assert code == 0 and "on 1 of 1 board; closest: PRISM-Bench, main" in said
    assert call("careful", "hasty", "--of", "prism:en")[0] == 1


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ("prism:EN", "prism:EN: PRISM-Bench has no metric 'EN'; did you mean 'en'?"),
        ("prism:", "prism:: PRISM-Bench has no metric ''; known are: en, zh"),
        ("prsm:en", "there is no benchmark 'prsm'; did you mean 'prism'?"),
        ("en", "there is no benchmark 'en'; known are: aegis, gapeval, genius, gir, own, prism"),
    ],
)
def test_what_is_mistyped_is_one_line_with_what_is_near(of: str, said: str) -> None:
    assert call("careful", "hasty", "--of", of, "--margin", "2") == (1, f"{said}\n")
