"""Pages of items and contestants, of the toy: what a person is shown of answers, whoever wrote what into them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pyarrow.parquet as pq
import pytest

from gamut.asking import progress
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Detect, Paint, Reply, Request
from gamut.evaluation.boards import score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.running import controls
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.report.benchmarks.items import GivenPrompt, given_rewritten_prompt
from gamut.report.benchmarks.results import read_results
from gamut.report.board import pages
from gamut.report.site.texts import Cut
from gamut.report.site.thumbnails import Thumbnail
from tests.browser import serious, sideways, visited
from tests.evaluation import test_toy
from tests.evaluation.toy_project import ONE, SIDES, Played, canned, params_of, put_edition
from tests.fakes import contents
from tests.report.page_tree import Element, tree

toy = test_toy.toy
HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(2)> javascript:alert(3) \u202e"
LONG = 1_000_000
VISIBLE = HOSTILE.replace("\u202e", "\\u202e")


CUT = "[...document.querySelectorAll('ul.said')].filter((one) => one.scrollHeight > one.clientHeight + 1).length"
"""Lists of what judges say of which something is hidden."""


def by_role(role_model: RoleModel, request: Request) -> Reply:
    """What anybody replies; `shy` paints nothing, words are long and hostile, boxes are found."""
    match request:
        case Detect():
            return Reply(orjson.dumps([[request.labels[0], 0.75, [8, 4, 32.5, 60]]]))
        case Create(modalities=("text",)):
            long = LONG if "how many" in str(request.parts).lower() else 0
            return Reply(bundle([HOSTILE + "x" * long], thinking=HOSTILE))
        case Paint() | Create() if role_model.slug == "shy":
            return Reply(b"It will not <b>.", "refused")
        case Chat(name="said"):
            return Reply(orjson.dumps({"reason": HOSTILE, "verdict": "N"}))
    return canned(role_model, request)


class Site(NamedTuple):
    """A project with its pages: its folder, the pages' own, and the parameters."""

    project: Path
    pages: Path
    params: Any


@pytest.fixture(scope="module")
def site(toy: Benchmark[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two samples of everything by `bold`, who is measured whole, and `shy`, who was not looked at by the detector."""
    folder, params = (
        tmp_path_factory.mktemp("site"),
        params_of(toy, samples=2, bold=ONE, shy=ONE | {"max_failures": 48}),
    )
    params.toy.controls_of.append("bold")
    put_edition(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(controls, "CONTROLS", ("blank", "mismatched"))
        Played(patch, by_role)
        for contestant in params.contestants:
            answer.answer(toy, params, contestant)
            judge.judge(toy, params, contestant, "world")
        observe.observe(toy, "detector", params, "bold", "world")
        judge.judge_controls(toy, params, "bold", "world")
        score.score(toy, params, "bold")
        pages(toy, params)
        yield Site(folder, folder / "report/benchmarks/toy", params)


def item(site: Site, name: str) -> Element:
    return tree(site.pages / f"items/{name}.html")


def card(page: Element, setting: str, contestant: str) -> Element:
    return page.one("article", id=f"{setting}--{contestant}", data_contestant=contestant)


def links(page: Element) -> set[str]:
    return {one["href"] for one in page.all("a")} | {one["src"] for one in page.all("img")}


def test_every_item_has_its_page_with_every_answer(site: Site) -> None:
    assert len([*site.pages.glob("items/*.html")]) == 16
    for path in site.pages.glob("items/*.html"):
        page = tree(path)
        assert [one["id"] for one in page.all("article")] == [
            f"{setting}--{name}" for setting in SIDES for name in ("bold", "shy")
        ]


def test_no_link_of_these_pages_is_broken(site: Site) -> None:
    text_of = cache(Path.read_text)
    for path in [site.pages / "items.html", *site.pages.glob("items/*.html"), *site.pages.glob("contestants/*.html")]:
        page = tree(path)
        assert [one["id"] for one in page.all() if "id" in one.attributes].count("main") == 1
        for link in links(page):
            where, _, anchor = link.partition("#")
            to = path if not where else path.parent / where.partition("?")[0]
            if to.resolve() == site.pages.parents[1] / "index.html":
                continue
            assert to.resolve().is_relative_to(site.pages) and to.exists(), link
            assert not anchor or f' id="{anchor}"' in text_of(to), link


def test_prompt_pictures_and_what_judges_are_asked(site: Site) -> None:
    page = item(site, "edit-00000000")
    assert page.one("section", id="prompt").one("blockquote").words == "Put the house of <image:b> into <image:a>."
    assert [one.words for one in page.one("section", id="prompt").all("figcaption")] == [
        "input a, 192 × 192: two red cars",
        "input b, 192 × 192: a blue house",
    ]
    asked = [one.words for one in page.one("section", id="apart").all("h3")][:3]
    assert asked == ["compare (judges: changed)", "compare (judges: changed)", "edited (judges: edited)"]
    given = [one.words for one in page.one("section", id="apart").all("div", class_="part")][:1]
    assert given == ["Put the house of image 2 into image 1."], "as the setting puts it, not as the edition has it"


def test_a_checklist_has_its_statements_and_a_picture_its_boxes(site: Site) -> None:
    mine = card(item(site, "picture-00000002"), "in_place", "bold")
    first, second = mine.all("div", class_="sample")
    for sample in (first, second):
        folded = [one.words for one in sample.all("summary")]
        assert "3 of 3 for it" in folded and "what the detector world found, for counted" in folded
        statements = [one.words for one in sample.all("i")][:3]  # and of controls again
        assert statements == ["1. two red cars", "2. a blue house", "3. two red cars to the left of a blue house"]
    # one red car and no house where there should be two of them and one
    assert "counted: 0 of 1" in first.words
    assert first.one("polygon")["points"] == "8,4 32.5,4 32.5,60 8,60"
    assert first.one("svg")["viewbox"] == "0 0 64 64" and "red cars 0.75" in first.words


def test_what_is_missing_says_why(site: Site) -> None:
    page = item(site, "picture-00000002")
    shy = card(page, "apart", "shy")
    assert shy.words.count("refused_generation It will not <b>.") == 2
    assert not [*shy.all("img")] and "not asked yet: detector" in shy.words
    rows = [[*row.all("td")] for row in tree(site.pages / "items.html").one("tbody").all("tr")]
    # of all but words two samples in two settings, of which there is no judgement to be missed
    assert [row[-1].text for row in rows] == ["0"] * 4 + ["4"] * 12


def test_hostile_and_endless_words_are_text_and_cut(site: Site) -> None:
    path = site.pages / "items/words-00000000.html"
    page = tree(path)
    assert path.stat().st_size < 300_000
    bold = card(page, "apart", "bold")
    shown = next(bold.all("div", class_="part"))
    mark = f"\n[… {len(HOSTILE) + LONG - 20_000:,} characters left out …]\n"
    assert shown.one("span", class_="words").text == VISIBLE + "x" * (10_000 - len(HOSTILE)) + mark + "x" * 10_000
    assert VISIBLE in bold.text.partition("thinking")[2] and f"✗ against it {VISIBLE}" in bold.words
    assert [one["src"] for one in page.all("script")] == ["orders.js", "../assets/items.js", "../assets/page.js"]
    assert not [one for one in page.all() for name in one.attributes if name.startswith("on")]


def test_orders_walk(site: Site) -> None:
    script = (site.pages / "items/orders.js").read_text()
    orders = json.loads(script.partition(" = ")[2].rstrip(";\n"))
    assert orders["names"] == [
        json.loads(line)["id"] for line in Path("datasets/editions/toy/v1.jsonl").read_text().splitlines()
    ]
    # words 0 (judged N), edits (0.7 of 10, for the judge says 7), the rest whole; one judge, so nobody to disagree
    assert orders["orders"]["lowest"] == [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15]
    assert orders["orders"]["failed"] == [*range(4, 16)] and "disagree" not in orders["orders"]
    page = item(site, "picture-00000000")
    assert page.one("a", rel="prev")["href"] == "words-00000003.html"
    assert page.one("a", rel="next")["href"] == "picture-00000001.html"
    assert not [*item(site, "words-00000000").all("a", rel="prev")]


def test_the_page_of_a_contestant_has_all_of_its_metric_file(site: Site) -> None:
    metrics = json.loads((site.project / "metrics/toy/v1/contestants/bold.json").read_text())
    page = tree(site.pages / "contestants/bold.html")
    shown = {one["data-key"]: float(one["value"]) for one in page.all("data", data_file="bold")}
    assert shown == {key: value for key, value in metrics.items() if not isinstance(value, str)}
    assert all(value in page.text for value in metrics.values() if isinstance(value, str))
    assert not any("open" in one.attributes for one in page.all("details"))  # its answers come first
    ranking = page.one("section", id="answers")
    assert "Apart, judged by world: overall " in page.words.removesuffix(ranking.words)
    first = next(page.one("tbody", id="rows").all("tr"))
    assert first.one("a")["href"] == "../items/words-00000000.html#apart--bold"
    assert [one["value"] for one in first.all("data")] == ["0.0"]
    assert page.one("data", data_key="apart.world.coverage").text == "1"
    assert "It has no scores yet." in tree(site.pages / "contestants/shy.html").text


def test_written_again_nothing_changes(
    toy: Benchmark[Any, Any], site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long work says how far it has come."""
    monkeypatch.setattr(progress, "SECONDS_OF_A_PACE", 0)
    before = contents(site.pages)
    states = {path: path.stat().st_mtime_ns for path in site.pages.rglob("*")}
    pages(toy, site.params)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 16
    assert lines[0].startswith("toy.pages: 1 of 16 items, ")
    assert lines[-1].startswith("toy.pages: 16 of 16 items, ")
    assert contents(site.pages) == before
    assert {path: path.stat().st_mtime_ns for path in site.pages.rglob("*") if path.is_file()}.items() <= states.items()


def test_answers_to_another_edition_are_refused(toy: Benchmark[Any, Any], site: Site, tmp_path: Path) -> None:
    others = replace(toy, item=type("Other", (toy.item,), {}))
    items = [*toy.items(site.params)]
    renamed = [one.model_copy(update={"id": "new"}) if one.id == "words-00000000" else one for one in items]
    object.__setattr__(others, "items", lambda params: renamed)
    with pytest.raises(UserError, match="answers/bold: row apart-0-00000000 belongs to no item at its place in this"):
        pages(others, site.params, tmp_path)


def test_a_mask_is_laid_over_inputs_and_answers(toy: Benchmark[Any, Any], site: Site, tmp_path: Path) -> None:
    """The second picture of an edit as if it were a mask."""
    record = replace(toy)
    items = [
        one.model_copy(update={"images": tuple(role_of(picture) for picture in one.images)})
        for one in toy.items(site.params)
    ]
    object.__setattr__(record, "items", lambda params: items)
    pages(record, site.params, tmp_path)
    page = tree(tmp_path / "benchmarks/toy/items/edit-00000000.html")
    captions = [one.words for one in page.one("section", id="prompt").all("figcaption")]
    assert captions[2:] == ["input a, hatched where mask b lies"]
    defined = page.one("mask", id="mask-1").one("image")["href"]
    assert (tmp_path / "benchmarks/toy/items" / defined).resolve().exists()
    samples = [*card(page, "apart", "bold").all("div", class_="sample")]
    over = [[*sample.all("rect", mask="url(#mask-1)")] for sample in samples]
    assert [len(one) for one in over] == [1, 1] and over[0][0]["fill"] == "url(#hatching)"
    assert "with mask b over it" in samples[0].words
    assert not [*card(page, "apart", "shy").all("rect", fill="url(#hatching)")]  # which has painted nothing
    assert not [*tree(tmp_path / "benchmarks/toy/items/words-00000000.html").all("pattern")]


def role_of(picture: Any) -> Any:
    return picture.model_copy(update={"role": "mask"}) if picture.name == "b" else picture


def test_damaged_pictures_are_named(toy: Benchmark[Any, Any], site: Site, tmp_path: Path) -> None:
    table = site.project / "datasets/toy/answers/bold/apart-0-00000.parquet"
    whole = table.read_bytes()
    try:
        rows = pq.read_table(table)
        degraded = [
            row | {"parts": [{"text": None, "image": {"bytes": b"no picture", "path": None}}]}
            for row in rows.to_pylist()
        ]
        pq.write_table(rows.from_pylist(degraded, rows.schema), table)
        pages(toy, site.params, tmp_path)
    finally:
        table.write_bytes(whole)
    said = "a picture that cannot be shown: it is not a picture in a known format"
    assert said in card(tree(tmp_path / "benchmarks/toy/items/picture-00000000.html"), "apart", "bold").text


def test_prompts_in_other_words(toy: Benchmark[Any, Any], site: Site) -> None:
    found, [item, *_] = read_results(toy, site.params), toy.items(site.params)
    pictures = {picture.sha256: Thumbnail(path=picture.name) for picture in item.images}
    row = {"item": item.id, "prompt": None, "status": "truncated", "reason": "too long"}
    worded = {"prompt": "Count. <image:a>"}
    lost = given_rewritten_prompt(found, item, "apart", pictures, {item.id: row})
    assert lost.why == "its prompt was not rewritten: truncated: too long"
    assert given_rewritten_prompt(found, item, "apart", pictures, None).why == "its prompt was not rewritten yet"
    given = given_rewritten_prompt(found, item, "in_place", pictures, {item.id: row | worded})
    assert given == GivenPrompt([Cut("Count. ", 0), pictures[item.images[0].sha256]], "text")
    nowhere = given_rewritten_prompt(found, item, "apart", pictures, {item.id: row | {"prompt": "<image:z>"}})
    assert nowhere.why == "it cannot be asked: the text names the picture 'z': there are a"


def test_items_are_walked_through_by_keyboard(site: Site, browser: Any) -> None:
    page: Any
    with visited(browser, site.pages / "items.html") as page:
        page.fill("input[name=words]", "RED cars")
        page.select_option("select[name=group]", "picture")
        assert page.locator("#items tr:visible th").all_inner_texts() == ["picture-00000001", "picture-00000002"]
        with page.expect_navigation():
            page.click("text=lowest first")
        page.wait_for_selector("text=1 of 16 in the order lowest first")
        for number in range(2, 6):
            with page.expect_navigation():  # a key that comes before the page's script is lost
                page.keyboard.press("ArrowRight")
            page.wait_for_selector(f"text={number} of 16")
        assert page.url.endswith("edit-00000000.html?order=lowest")
        page.go_back()
        page.wait_for_selector("text=4 of 16")
        page.select_option("select[data-order]", "failed")
        page.wait_for_selector("text=not among the 12 of the order failed")
        page.keyboard.press("n")
        page.wait_for_selector("text=1 of 12")
        assert not page.locator("a[rel=prev]").count()


def test_foreign_words_run_nothing_and_pages_fit(site: Site, browser: Any) -> None:
    page: Any
    with visited(browser, site.pages / "items/picture-00000002.html", home=site.pages, width=390) as page:
        assert serious(page) == []
        for path in sorted({*site.pages.rglob("*.html")} - {*site.pages.glob("items/*0[13].html")}):
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            assert not sideways(page), path.relative_to(site.pages)
            assert page.evaluate(CUT) == 0, path.relative_to(site.pages)
