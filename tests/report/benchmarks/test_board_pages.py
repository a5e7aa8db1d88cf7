"""The pages of boards and lists of the toy with two judges: one table in view, answers side by side, what is filtered
and downloaded; bars and spreads by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gamut.evaluation.defining.measures import Scale, averages, words_of
from gamut.report.benchmarks.index import setting_spreads
from gamut.report.benchmarks.item_scores import Score
from gamut.report.benchmarks.own_files import own_charts, own_tables
from gamut.report.site.folder import Folder
from gamut.report.site.pages import templates
from tests.browser import serious, sideways, visited
from tests.report.benchmarks import test_judge_pages
from tests.report.page_tree import Element, tree

toy, site = test_judge_pages.toy, test_judge_pages.site
Site = test_judge_pages.Site


def records(site: Site) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (site.pages / "items.jsonl").read_text().splitlines()]


def test_names_are_read_as_words() -> None:
    metric = averages("in_place", ["all"], {"fit": Scale(0, 10)})
    assert metric.words == "In place" and metric._replace(title="Where it stands").words == "Where it stands"
    assert words_of("gain.rule_compliance") == "gain: rule compliance"


@pytest.mark.parametrize("width", [1280, 400])
def test_one_board_is_in_view(site: Site, browser: Any, width: int) -> None:
    page: Any
    with visited(browser, site.pages / "index.html", width=width) as page:
        page.wait_for_selector("noscript", state="detached")
        first = [one["href"][1:] for one in site.page("index.html").one("nav", aria_label="boards").all("a")]
        assert len(first) == 6 and page.locator("section.one").count() == 6
        visible = "section.one:visible"
        assert page.locator(visible).evaluate_all("all => all.map(one => one.id)") == first[:1]
        assert serious(page) == [] and not sideways(page)
        page.focus(f'a[href="#{first[3]}"]')
        page.keyboard.press("Enter")
        assert page.locator(visible).evaluate_all("all => all.map(one => one.id)") == first[3:4]
        assert page.get_attribute(f'a[href="#{first[3]}"]', "aria-current") == "true"
        assert page.evaluate("scrollY") == 0, "the choice stays in view"
        page.go_back()
        assert page.locator(visible).evaluate_all("all => all.map(one => one.id)") == first[:1]


def test_an_address_shows_its_board_and_nothing_needs_a_script(site: Site, browser: Any) -> None:
    page: Any
    address = (site.pages / "index.html").as_uri() + "#board-in_place-strict"
    with visited(browser, address, home=site.pages) as page:
        assert page.locator("section.one:visible h2").all_inner_texts() == ["In place, judged by strict"]
        page.click("section.one:visible table.board th button >> text=contestant")  # what came later sorts too
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("section.one:visible h2").all_inner_texts() == ["In place, judged by strict"]
    assert page.locator("section.one:visible .telling img").count() > 5
    context.close()


def test_every_value_says_its_scale(site: Site) -> None:
    headings = [one.words for one in site.page("index.html").one("section", id="board-apart-world").all("th")]
    assert "overall 0 to 100" in headings[:5]
    assert "overall 0 to 100" in [one.words for one in site.page("contestants/able.html").all("th")]


def rects(svg: str) -> list[Element]:
    path = Path("bar.html")
    path.write_text(f"<p>{svg}</p>")
    return [*tree(path).all("rect")]


def test_signed_values_are_drawn_from_zero(project: Path) -> None:
    parts: Any = templates().get_template("parts.html").module
    bar, zero, *_ = rects(parts.interval_bar(-20, None, None, -100, 100))
    # of 200 points -20 lies at 40 %, 0 at 50 %
    assert (bar["x"], bar["width"], zero["x"]) == ("40.0", "10.0", "50.0")
    bar, *_ = rects(parts.interval_bar(50, 40, 60, -100, 100))
    assert (bar["x"], bar["width"]) == ("50.0", "25.0")
    assert [one["class"] for one in rects(parts.interval_bar(50, 40, 60, 0, 100))] == ["span", "point"]
    assert "--from: 40.0%; --to: 50.0%; --zero: 50.0%" in parts.shading(-20, Scale(-100, 100))
    assert "--from: 0%; --to: 65.0%" in parts.shading(65, Scale(0, 100)).replace("0.0%;", "0%;")
    assert parts.scale(Scale(-100, 65)) == '<small class="scale">−100 to 65</small>'


def test_items_tell_contestants_apart_by_what_was_scored() -> None:
    scores = [Score("en", "j", f"c{n}", value, value) for n, value in enumerate((10, 90, 30, 50, 70))]
    scores += [Score("en", "k", "c0", 0, 0), Score("zh", "j", "c0", 40, 40), Score("zh", "j", "c1", 0, None)]
    # of five the two best and the two lowest; in zh only one was scored, so nobody stands apart
    assert [*setting_spreads(scores, ["en", "zh"], "j")] == [(80, "en", ["c1", "c4", "c2", "c0"])]
    assert not [*setting_spreads(scores, ["en"], "k")]


def test_boards_show_items_with_answers_and_scores(site: Site) -> None:
    section = site.page("index.html").one("section", id="board-apart-strict")
    cards = [*section.all("article")]
    assert len(cards) == 6
    scored = {one["item"]: one["scores"] for one in records(site)}
    for card in cards:
        item = next(card.all("a")).words
        own = {
            one["contestant"]: one["least"]
            for one in scored[item]
            if (one["setting"], one["judge"]) == ("apart", "strict")
        }
        shown = [(one["data-contestant"], float(one.one("data")["value"])) for one in card.all("figure")]
        assert {name: pytest.approx(own[name], abs=0.01) for name, _ in shown} == dict(shown)
        assert shown == sorted(shown, key=lambda one: -one[1]) and len(shown) > 1
        assert all(one.one("a")["href"].startswith(f"items/{item}.html#apart--") for one in card.all("figure"))


def test_what_is_seen_can_be_downloaded(site: Site) -> None:
    metrics = site.project / "metrics/toy/v1"
    downloads = {one["href"] for one in site.page("index.html").all("a") if "download" in one.attributes}
    assert {"files/board.csv", "files/tables/apart.strict.md", "files/tables/apart.strict.tex"} <= downloads
    for name in downloads:
        assert (site.pages / name).read_bytes() == (metrics / name.removeprefix("files/")).read_bytes()
    assert len(records(site)) == 16 and {one["judge"] for one in records(site)[0]["scores"]} == {"world", "strict"}


def test_items_are_filtered_by_who_did_well_and_who_badly(site: Site, browser: Any) -> None:
    def score(one: dict[str, Any], contestant: str) -> float | None:
        wanted = ("apart", "strict", contestant)
        found = [own["least"] for own in one["scores"] if (own["setting"], own["judge"], own["contestant"]) == wanted]
        return found[0] if found else None

    def passes(one: dict[str, Any]) -> bool:
        good, bad = score(one, "able"), score(one, "brisk")
        return good is not None and bad is not None and good >= 80 and bad <= 40

    wanted = [one["item"] for one in records(site) if passes(one)]
    assert 0 < len(wanted) < 16
    page: Any
    with visited(browser, site.pages / "items.html") as page:
        page.wait_for_selector("#items figure img")
        page.select_option("select[name=judge]", "strict")
        page.select_option("select[name=good]", "able")
        page.select_option("select[name=bad]", "brisk")
        page.fill("input[name=least]", "80")
        page.fill("input[name=most]", "40")
        assert page.locator("#items tr:visible th").all_inner_texts() == wanted
        page.wait_for_selector(f'text="{len(wanted)} items"')
        page.wait_for_selector("#items tr:visible figure")
        names = (
            page.locator("#items tr:visible >> nth=0")
            .locator("figure")
            .evaluate_all("all => all.map(one => one.dataset.contestant)")
        )
        assert names[:2] == ["able", "brisk"], "those of the choice first"
        assert page.url.endswith("#judge=strict&good=able&least=80&bad=brisk&most=40")
        page.reload()
        assert page.locator("#items tr:visible th").all_inner_texts() == wanted, "the address keeps what is chosen"
        assert serious(page) == [] and not sideways(page)
        page.fill("input[name=apart]", "20")
        apart = {one["item"] for one in records(site) if (one["disagreement"] or 0) >= 20}
        assert page.locator("#items tr:visible th").all_inner_texts() == [one for one in wanted if one in apart]
        page.goto((site.pages / "items.html").as_uri() + "#missing=yes")
        missing = [one["item"] for one in records(site) if one["missing"]]
        assert page.locator("#items tr:visible th").all_inner_texts() == missing and missing


def test_own_files_are_tables_and_charts(project: Path) -> None:
    folder = Path("metrics/toy/v1")
    (folder / "released").mkdir(parents=True)
    (folder / "released/one.json").write_text('{"en.j.fit": 50.0, "en.j.n": 3}')
    (folder / "released/two.json").write_text('{"en.j.fit": 70.5}')
    (folder / "beside.json").write_text('{"j.one.gap": 1.5, "j.all": 2}')
    (folder / "board.json").write_text("{}")
    (folder / "map.csv").write_text("judge,contestant,x_of,y_of\nj,one,100,50\nj,two,100,50\nj,two,0,\n")
    plots = {"map.csv": {"x": "x_of", "y": "y_of", "x_label": "in words"}}
    results: Any = SimpleNamespace(
        folder=folder,
        contestants=["one", "two"],
        benchmark=SimpleNamespace(released=SimpleNamespace(plots=plots)),
    )
    pages = Folder(project / "pages")
    beside, released = own_tables(pages, results)
    assert (beside.title, beside.columns) == ("Beside", ["one", ""])
    assert {row: {who: cell[0] for who, cell in cells.items()} for row, cells in beside.rows.items()} == {
        "j.gap": {"one": 1.5},
        "j.all": {"": 2},
    }
    assert released.files == ["files/released/one.json", "files/released/two.json"]
    assert {who: cell[0] for who, cell in released.rows["en.j.fit"].items()} == {"one": 50.0, "two": 70.5}
    [chart] = own_charts(pages, results)
    # both at one place; what has no number is not drawn
    assert [point[:3] for point in chart.points] == [(100, 50, "1,2")]
    assert (chart.x, chart.y, chart.highest, chart.names) == ("in words", "y_of", 100, ["one", "two"])
