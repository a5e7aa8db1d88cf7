"""Pages of a benchmark without judges: its boards are observed, not judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.evaluation.defining.benchmark import Benchmark
from gamut.report.board import pages
from tests.evaluation import test_panels
from tests.evaluation.test_panels import params_with
from tests.evaluation.toy_project import Played
from tests.report.page_tree import tree

toy, seen, built, looked_at = test_panels.toy, test_panels.seen, test_panels.built, test_panels.looked_at


def test_pages_of_panels_say_by_whom_things_were_seen(
    looked_at: Played, seen: Benchmark[Any, Any], toy: Any, project: Path
) -> None:
    pages(seen, params_with(toy), Path("site"), "not built with these parameters")
    folder = Path("site/benchmarks/toy")
    panels = ("the panel", "the panel with owl")
    wanted = [f"{setting}, observed by {panel}" for setting in ("Apart", "In place") for panel in panels]
    first = next(tree(folder / "index.html").all("p", class_="bad")).words
    assert first == "toy: not built with these parameters"
    boards = [one.words for one in tree(folder / "index.html").all("h2")]
    assert [one for one in boards if " by " in one] == wanted
    for page in folder.rglob("*.html"):
        assert "judged by" not in tree(page).words, page
    assert tree(folder / "judges.html").one("h1").words == "Toy benchmark: panels"
    item = tree(folder / "items/picture-00000002.html")
    one = item.one("article", id="apart--one")
    # what was said of controls stands behind what was said of the answer
    assert [said.words for said in one.all("h4")][:2] == ["detector/world", "detector/owl"]
    assert [said.words for said in one.all("ul")][:2] == ["counted: 1 of 1", "counted: 0 of 1"]
    assert len([*one.all("polygon")]) == 1  # which the owl did not find
    assert "what observers look for" in item.words
