"""The pages of a real build, in a real browser: what people do with them, and what foreign words try to do in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gamut.tables.reading import read_rows
from tests.browser import serious, served, sideways, visited
from tests.end_to_end.project import Project

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KINDS = (
    "index.html",
    "dataset/index.html",
    "dataset/rows/0001.html",
    "benchmarks/prism/index.html",
    "benchmarks/prism/items.html",
    "benchmarks/prism/items/*.html",
    "benchmarks/prism/contestants/*.html",
    "benchmarks/prism/judges.html",
)
"""One of each kind of page; search is looked at where its tests are."""
FEW = """for (const many of document.querySelectorAll("tbody, .cards, main"))
  [...many.children].slice(many.matches("main") ? 12 : 2).forEach((one) => one.remove())"""
"""Of what is alike a few are looked at."""


@pytest.fixture(scope="module")
def report(original: Project) -> Path:
    """The pages that `make run` wrote."""
    return original.folder / "report"


@contextmanager
def address(report: Path, name: str, serving: bool) -> Iterator[Path | str]:
    """A page from disk, or served."""
    with served(report) if serving else nullcontext() as root:
        yield report / name if root is None else f"{root}{name}"


@pytest.mark.parametrize("serving", [False, True], ids=["from disk", "served"])
def test_from_the_board_to_a_judges_words_in_two_clicks(
    browser: Browser, report: Path, original: Project, serving: bool
) -> None:
    rows = list(read_rows(original.folder / "datasets/prism/judgments/hasty/world/answers"))
    with (
        address(report, "benchmarks/prism/index.html", serving) as board,
        visited(browser, board, home=None if serving else report) as page,
    ):
        with page.expect_navigation():
            page.click("tr[data-contestant=hasty] a >> nth=0")
        assert page.title().startswith("hasty")
        with page.expect_navigation():
            page.click("#answers tbody a >> nth=0")  # its lowest answer
        item = page.locator("h1").inner_text()
        setting = page.url.partition("#")[2].partition("--")[0]
        notes = [row["note"] for row in rows if (row["item"], row["setting"]) == (item, setting)]
        assert notes and all(note in page.locator("article:target").inner_text() for note in notes)
        assert page.locator("article:target").get_by_text(notes[0]).first.is_visible()
        page.go_back()
        assert page.title().startswith("hasty")
        page.go_forward()
        assert page.locator("h1").inner_text() == item


def leave_by(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until that has loaded, scripts and all: the links of the page
    that is left are there until then.
    """
    with page.expect_navigation():
        page.keyboard.press(key)


def test_keys_alone(browser: Browser, report: Path) -> None:
    """From the first page to an item and on to the next, without a mouse."""
    with visited(browser, report / "index.html", home=report) as page:
        for name in ("PRISM-Bench", "items"):
            page.get_by_role("link", name=name, exact=True).first.focus()
            leave_by(page, "Enter")
        page.locator("tbody a").first.focus()
        leave_by(page, "Enter")
        first = page.locator("h1").inner_text()
        leave_by(page, "ArrowRight")
        second = page.locator("h1").inner_text()
        leave_by(page, "p")
        assert (first, second, page.locator("h1").inner_text()) == ("imagination/0", "imagination/1", "imagination/0")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "to the content"


def test_no_page_is_wider_than_a_telephone(browser: Browser, report: Path) -> None:
    pages = sorted(report.rglob("*.html"))
    assert all(any(report.glob(kind)) for kind in KINDS)
    with visited(browser, pages[0], home=report, width=390, height=800, scheme="dark") as page:
        for path in pages:
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            assert not sideways(page), path.relative_to(report)


def test_nothing_serious_for_who_cannot_see_well(browser: Browser, report: Path) -> None:
    """One page of every kind, every other one in the dark."""
    with visited(browser, report / "index.html", home=report) as page:
        for kind, scheme in zip(KINDS, cycle(("light", "dark"))):
            page.emulate_media(color_scheme=scheme)
            page.goto(sorted(report.glob(kind))[0].as_uri())
            page.evaluate(FEW)
            assert serious(page) == [], kind
            paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def test_tables_are_sorted_and_contestants_picked(browser: Browser, report: Path) -> None:
    with visited(browser, report / "benchmarks/prism/index.html", home=report) as page:
        names = "table.sortable >> nth=0 >> tbody th a"
        assert page.locator(names).all_inner_texts() == ["careful", "hasty"]
        page.get_by_role("button", name="overall").first.click()  # of numbers the highest first
        assert page.locator(names).all_inner_texts() == ["careful", "hasty"]
        page.get_by_role("button", name="overall").first.click()
        assert page.locator(names).all_inner_texts() == ["hasty", "careful"]
        page.click("summary:has-text('contestants shown')")
        page.uncheck("input[data-pick=careful]")
        page.locator("tr[data-contestant=careful]").first.wait_for(state="hidden")
        page.reload()
        page.locator("tr[data-contestant=careful]").first.wait_for(state="hidden")  # remembered
        page.set_viewport_size({"width": 390, "height": 800})
        page.locator(".wide").first.evaluate("(one) => { one.scrollLeft = 300; }")
        box = page.locator("tr[data-contestant=hasty] th").first.bounding_box()
        assert box and 0 <= box["x"] < 20  # who a row is of stays where its numbers scroll
