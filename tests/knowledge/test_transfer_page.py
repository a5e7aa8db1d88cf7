"""The stage on tables of answers: what it writes, and the page of it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gamut.report import knowledge
from gamut.report.front import write_front
from gamut.report.site.folder import REPORT
from stages.knowledge.stages import CURVES, FIGURES, METRICS, TABLES
from stages.knowledge.transfer import transfer
from tests.browser import serious, sideways, visited
from tests.fakes import contents
from tests.knowledge.studied import STEPS, learns, references, rows_of, write_measured
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STRATEGIES = ("und", "gen", "both")
BLOCK = SimpleNamespace(models=["toy"], studies=["edit", "inject"], strategies=STRATEGIES)
HOSTILE = "<script>alert(1)</script> \u202e"


def half_way(side: str, step: int, fact: str, cluster: int) -> float:
    """Seeing is taught; painting comes from .5 to .6 on the way to .725."""
    if side == "und" or fact == "neighbour":
        return float(fact == "neighbour" or step >= 20)
    return 0.5 + 0.1 * (step >= 20) + 0.01 * cluster


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for strategy in STRATEGIES:
        taught = learns("und", 1.0) if strategy == "both" else learns(strategy, by=10 if strategy == "und" else 40)
        edit = rows_of(taught, strategy=strategy)
        edit[0]["reply"] = HOSTILE
        edit[3] |= {"value": None, "status": "refused_generation", "image": None}
        write_measured(TABLES["measured"] / f"toy-edit-{strategy}", edit)
        injected = rows_of(half_way, study="inject", strategy=strategy, steps=(0, 10) if strategy == "gen" else STEPS)
        injected += references(0.725)
        write_measured(TABLES["measured"] / f"toy-inject-{strategy}", injected)
    params: Any = SimpleNamespace(knowledge=BLOCK)
    transfer(params)


def curves() -> list[dict[str, str]]:
    return list(csv.DictReader(CURVES.read_text().splitlines()))


def test_few_numbers_are_metrics() -> None:
    found = json.loads(METRICS.read_text())["toy"]
    assert found["edit"]["und"] == {"transfer": 0, "steps.und": 10, "ratio": 4}  # gen is never learnt there
    assert found["edit"]["both"] == {"steps.und": 20, "steps.gen": 20, "ratio": 1}
    assert found["inject"]["und"] == {"transfer": 0.5, "steps.und": 20}
    assert found["inject"]["gen"] == {}  # it ended before anything was learnt
    whole = json.loads(FIGURES.read_text())["toy"]["inject"]["gen"]
    assert whole["no_transfer"].startswith("gen: the trained side itself did not significantly")


def test_curves_have_every_step() -> None:
    curve = [
        (row["step"], row["value"], row["clusters"])
        for row in curves()
        if (row["study"], row["strategy"], row["side"], row["fact"]) == ("edit", "und", "und", "new")
    ]
    assert curve == [("0", "0.0", "6"), ("10", "1.0", "6"), ("20", "1.0", "6"), ("40", "1.0", "6")]
    refused = [row for row in curves() if row["unanswered"] != "0"]
    assert {(row["study"], row["step"], row["side"], row["fact"]) for row in refused} == {("edit", "0", "und", "new")}


@pytest.mark.parametrize("name", ["curves", "strategies"])
def test_plots_name_columns_that_are_there(name: str) -> None:
    text = (ROOT / f".dvc/plots/{name}.json").read_text(encoding="utf-8")
    calculated = re.findall(r'"as": "(\w+)"', text)
    named = {*re.findall(r'"field": "(\w+)"', text), *re.findall(r"datum\.(\w+)", text)}
    assert named <= {*curves()[0], *calculated, "rev"} and json.loads(text)["title"]


def test_the_page_shows_numbers_and_pictures_twice_the_same_bytes(browser: Browser) -> None:
    knowledge.pages(REPORT)
    first = contents(REPORT)
    knowledge.pages(REPORT)
    assert contents(REPORT) == first
    write_front(REPORT)
    with visited(browser, REPORT.resolve() / "index.html", home=REPORT.resolve(), width=390) as page:
        with page.expect_navigation():
            page.click("text=Knowledge studies")
        assert sideways(page) == 0 and serious(page) == []
        assert page.locator("svg polyline").count() >= 12  # six trainings, two sides, and old facts
        bars = page.locator("figure", has_text="before and after each training").first.locator("rect title")
        shown = [title.partition(" (")[0] for title in bars.all_text_contents()]
        assert shown == [
            *("base, painting: 0.0", "base, seeing: 0.0", "und, painting: 0.0", "und, seeing: 1.0"),
            *("gen, painting: 1.0", "gen, seeing: 0.0", "both, painting: 1.0", "both, seeing: 1.0"),
        ]
        assert page.locator(".painted-by-step").first.locator("img").count() == 6 * 4
        assert page.locator("data[data-key='toy.edit.und.transfer']").get_attribute("value") == "0.0"
        assert "did not significantly" in (page.text_content("main") or "")


def test_without_a_study_the_first_page_names_none() -> None:
    write_front(REPORT)
    assert "knowledge" not in (REPORT / "index.html").read_text().casefold()
