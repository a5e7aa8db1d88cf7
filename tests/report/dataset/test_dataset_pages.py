"""The dataset's pages of a build that can be counted on fingers: every number, every row, hostile words, a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gamut.dataset.reporting.figures import gather_figures
from gamut.dataset.reporting.outputs import METRICS
from gamut.dataset.shared import joins
from gamut.project.files import write_json
from gamut.report.dataset.gallery import beginning, write_dataset
from gamut.report.dataset.records import digest
from gamut.report.report import dataset_pages, report
from gamut.report.site.folder import Folder
from gamut.tables.reading import read_rows
from tests.browser import serious, served, sideways, visited
from tests.dataset import small_build
from tests.dataset.small_build import I0, I2, L0, L1, M0
from tests.report.page_tree import Read, tree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = (
    '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> javascript:alert(1) \u202e!'
)
KEPT = [L0, I0]
"""Of the small build."""
CALIBRATION = {
    "clarity": {"labels": 4, "threshold": 6, "precision": 0.965132, "suggested": 5},
    "sense": {"labels": 0, "threshold": 6},
}


def leaves(values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= leaves(value, f"{path}{key}.") if isinstance(value, dict) else {f"{path}{key}": value}
    return found


def built() -> None:
    """The small build, its figures, and words that would like to be more than words."""
    small_build.write()
    rows = list(read_rows(joins.table_of("annotate")))
    for row in rows:
        if (row["id"], row["description"]) == (L0, "detail"):
            row["caption"] = HOSTILE + " lanterns " + "x" * 1_000_000
    small_build.put(joins.table_of("annotate"), rows)
    write_json(METRICS, gather_figures(small_build.params()).report)
    Path("metrics/calibration.json").write_text(json.dumps(CALIBRATION))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("build")
        patch.chdir(home)
        built()
        report(small_build.params())
        (home / "report/index.html").write_text("<!doctype html><title>all</title>")
        yield home / "report/dataset"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_number_stands_on_the_page(pages: Path) -> None:
    found = Read(pages / "index.html").numbers
    files = {"dataset": json.loads((pages / "../../metrics/dataset.json").read_text()), "calibration": CALIBRATION}
    assert found == {(name, key): value for name, file in files.items() for key, value in leaves(file).items()}
    assert found["dataset", "release.pictures"] == 2


def test_every_painted_row_stands_in_the_gallery(pages: Path) -> None:
    page = Read(pages / "rows/0001.html")
    assert page.ids == [L0, L1, I0, I2, M0]  # in the table's order, wave by wave
    assert f"{I2} left out: synthesize unsupported a picture that cannot be shown: it was not painted" in page.text
    assert f"{L1} left out: clarity" in page.text and f"{L0} kept" in page.text
    assert "Its prompt en resembles item 3 of prism/v1 , 0.90 alike." in page.text  # M0
    assert "original its flag is false: alignment" in page.text
    assert "style not released: translation: a cause" in page.text
    assert page.text.count("一只鲸鱼") == 8  # translations that are there
    assert "clarity 3 structure 9" in page.text  # L1's scores
    assert len(page.tags["img"]) == 4


def test_kept_pictures_stand_before_all_figures(pages: Path) -> None:
    """Those of the lowest digests of their ids, however many pages there are; what is cut says so."""
    page = tree(pages / "index.html")
    first, *_ = [one.tag for one in page.one("main").all() if one.tag in ("img", "data")]
    assert first == "img"
    strip = page.one("div", class_="strip")
    assert [one["href"] for one in strip.all("a")] == [
        f"rows/0001.html#{row_id}" for row_id in sorted(KEPT, key=digest)
    ]
    listed = json.loads((pages / "kept.json").read_text())
    assert [one["id"] for one in listed] == sorted(KEPT, key=digest) and all(
        (pages / one["path"]).is_file() for one in listed
    )
    assert beginning("a" * 161, 160) == "a" * 160 + "…" and beginning("a" * 160, 160) == "a" * 160


def test_links_lead_somewhere(pages: Path) -> None:
    for path in pages.rglob("*.html"):
        read = Read(path)
        for link in read.links:
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if link in ("data:,", "#main"):
                continue
            assert target.is_file(), f"{path}: {link}"
            if anchor and target.name != "search.html":
                assert anchor in Read(target).ids, f"{path}: {link}"


def test_foreign_words_are_text_and_long_ones_are_cut(pages: Path) -> None:
    page = Read(pages / "rows/0001.html")
    assert "</script><script>window.hacked = 1</script>" in page.text
    assert "javascript:alert(1) \\u202e!" in page.text  # what turns the direction is seen
    assert len(page.tags["script"]) == 1 and not any("javascript" in link for link in page.links)
    assert (pages / "rows/0001.html").stat().st_size < 100_000
    for path in pages.rglob("*.js"):
        assert path.parent.name == "assets" or "<" not in path.read_text(), path


def test_the_same_build_gives_the_same_bytes(pages: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in pages.rglob("*") if path.is_file()}
    report(small_build.params())
    assert {path: path.stat().st_mtime_ns for path in pages.rglob("*") if path.is_file()} == before
    dataset_pages(tmp_path)
    assert contents(tmp_path / "dataset") == contents(pages)


def test_of_too_many_rows_a_sample_is_shown_and_says_so(pages: Path, tmp_path: Path) -> None:
    assert write_dataset(Folder(tmp_path), limit=2) == 2
    assert "There are 5 in all: the pages show those whose ids have the lowest" in Read(tmp_path / "index.html").text
    shown = Read(tmp_path / "rows/0001.html")
    assert len(shown.ids) == 2


def test_nothing_is_one_line(project: Path) -> None:
    report(small_build.params())
    page = Read(project / "report/dataset/index.html")
    assert page.text.endswith("No dataset was built yet: dvc repro builds it.")
    assert not (project / "report/dataset/rows").exists()


def test_a_part_of_a_build_has_pages_of_that_part(project: Path) -> None:
    small_build.write()
    for table in (
        joins.table_of("select"),
        joins.table_of("hold_out"),
        joins.table_of("release"),
        joins.table_of("translate"),
        joins.table_of("categorize"),
        joins.table_of("prompts"),
    ):
        for path in table.iterdir():
            path.unlink()
    report(small_build.params())
    page = Read(project / "report/dataset/rows/0001.html")
    assert f"{L1} left out: clarity" in page.text  # already known by then
    assert "two shiny red apples" in page.text


def type_words(page: Page, words: str) -> list[str]:
    page.fill("[name=words]", words)
    page.wait_for_selector(f'#count[data-searched="{words}"]')
    return page.locator("#found h2").all_text_contents()


def test_the_search_finds_what_was_written(browser: Browser, pages: Path) -> None:
    from playwright.sync_api import expect

    with visited(browser, pages / "search.html", home=pages.parent) as page:
        page.wait_for_selector("#found h2")
        assert type_words(page, "shiny apples ") == [L0]
        assert type_words(page, "shiny app") == [L0]  # the last may be a beginning
        assert type_words(page, "shiny app ") == []
        assert type_words(page, "鲸鱼") == [L0, I0, M0]
        assert type_words(page, "鱼") == [L0, I0, M0]  # the last sign of a run
        assert type_words(page, "鲸鱼 lantern") == [L0]
        assert type_words(page, "constructor ") == []
        assert type_words(page, "") == [L0, L1, I0, I2, M0]
        page.select_option("[name=outcome]", "clarity")
        expect(page.locator("#found h2")).to_have_count(1)
        assert page.url.endswith("#outcome=clarity")
        assert page.locator("#found .bad").text_content() == "left out: clarity"
        with page.expect_navigation():
            page.click("#found a")
        assert page.url.endswith(f"rows/0001.html#{L1}")
        page.go_back()
        expect(page.locator("#found h2")).to_have_count(1)  # as it was left
        page.select_option("[name=outcome]", "")
        page.select_option("[name=category]", "style")
        expect(page.locator("#count")).to_have_text("1 of 5 pictures")
        page.select_option("[name=category]", "")
        page.select_option("[name=score]", "image_clarity")
        page.fill("[name=from]", "9")
        expect(page.locator("#count")).to_have_text("2 of 5 pictures")  # L0 has 10, I0 has 9
        assert page.evaluate("window.hacked") is None


def test_pages_are_for_everybody(browser: Browser, pages: Path) -> None:
    with served(pages.parent) as url, visited(browser, f"{url}dataset/search.html", width=390, scheme="dark") as page:
        page.wait_for_selector("#found h2")
        assert (sideways(page), serious(page)) == (0, [])
