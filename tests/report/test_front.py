"""The first page, of boards made by hand: what stands on it, how wide and heavy it is, and what is missing said so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gamut.dataset.reporting.outputs import METRICS
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.project.errors import UserError
from gamut.project.places import BOARDS, board_of, reason_of
from gamut.project.validation import check_values, read_yaml
from gamut.report import front
from gamut.report.benchmarks.boards import Row
from gamut.report.benchmarks.index import MOST_ANSWERS, MOST_TELLING, ShownAnswer, TellingItem
from gamut.report.benchmarks.results import Results, Value
from gamut.report.dataset.gallery import SHOWN_FIRST
from gamut.report.front import lead_in_words, write_front
from gamut.report.site.folder import claim
from tests.browser import serious, sideways, visited
from tests.fakes import jpeg
from tests.paths import ROOT
from tests.report.page_tree import Element, tree
from tests.report.reading_back import compared, numbers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("aegis", "gapeval", "genius", "gir", "prism")
HOSTILE = "<script>alert(1)</script> \u202e"
FARTHEST = 'Math.max(...[...document.querySelectorAll("article *")].map((one) => one.getBoundingClientRect().right))'
"""How far to the right anything of a card reaches."""
WIDE = 20
"""Contestants of the heaviest page."""
SLUGS = [f"a_contestant_with_a_very_long_name_and_a_number_{n:02}" for n in range(WIDE)]


def results_of(name: str, slugs: Sequence[str], trusted: bool = True) -> Results:
    """A benchmark of the laptop whose headline board has these contestants, a point apart and two of a tie group."""
    benchmark, values = benchmark_of(name), read_yaml(ROOT / "params.yaml")
    values["contestants"] = dict.fromkeys(slugs, values["contestants"]["careful"])
    values[name] |= {"contestants": [*slugs], "controls_of": [], "edition": "v1"}
    known = {key: value for key, value in values.items() if key in benchmark.params.model_fields}
    params = check_values(benchmark.params, known, Path("params.yaml"))
    edition = benchmark.edition(params)
    edition.parent.mkdir(parents=True, exist_ok=True)
    edition.write_text("{}")
    metric, judge = benchmark.headline(params)
    board: dict[str, float | str] = {f"{metric.name}.{judge}.validation.passed": int(trusted)}
    for place, slug in enumerate(slugs):
        key, value = f"{metric.name}.{judge}.{slug}.", 90.123 - place
        board |= {f"{key}{metric.shown[0]}{end}": value + by for end, by in (("", 0), ("_lo", -3.5), ("_hi", 4.25))}
        ranks = {"rank_best": place + 1, "rank_worst": place + 2, "tie_group": place // 2 + 1} if trusted else {}
        board |= {f"{key}{end}": number for end, number in ({"coverage": 1} | ranks).items()}
    own: dict[str, dict[str, float | str]] = {slug: {} for slug in slugs}
    return Results(benchmark, params, [], {}, benchmark.metrics_in(params), slugs, board, own, {}, {})  # type: ignore[arg-type]


def put_boards(patch: pytest.MonkeyPatch, slugs: Sequence[str], names: Sequence[str] = NAMES, **how: Any) -> None:
    """Boards for `write_front` to find, and an item of each on which contestants lie apart."""
    found = {name: results_of(name, slugs, **how) for name in names}
    patch.setattr(front, "load", lambda params: None)
    patch.setattr(front, "read_results", lambda benchmark, params: found[benchmark.name])
    claim(Path("report"))
    BOARDS.mkdir(parents=True)
    for name in names:
        board_of(name).write_text("{}")
        folder = Path("report/benchmarks", name)
        (folder / "items").mkdir(parents=True)
        (folder / "items/one.html").write_text("<title>one</title>")
        (folder / "picture.jpg").write_bytes(jpeg())
        answers = [
            ShownAnswer(slug, f"items/one.html#s--{slug}", "picture.jpg", "", 50.0) for slug in slugs[:MOST_ANSWERS]
        ]
        item = TellingItem("one", HOSTILE * 5, "items/one.html#s", "s", 50.0, answers)
        (folder / MOST_TELLING).write_text(json.dumps([item.values()]))


def put_release() -> None:
    METRICS.parent.mkdir(parents=True)
    METRICS.write_text(json.dumps({"release": {"pictures": 1200, "captions_per_picture": 4.653}}))
    Path("report/dataset").mkdir(parents=True)
    Path("report/dataset/picture.jpg").write_bytes(jpeg())
    one = {"page": "rows/0001.html", "words": HOSTILE, "path": "picture.jpg", "width": 64, "height": 64}
    Path("report/dataset", SHOWN_FIRST).write_text(json.dumps([one | {"id": f"w-{n}"} for n in range(24)]))


@pytest.fixture(scope="module")
def heaviest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Five benchmarks with twenty contestants of long names, and a release."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("front"))
        put_boards(patch, SLUGS)
        put_release()
        write_front(Path("report"), stale={"gir": "not built with these parameters", "dataset": "nor this"})
        yield Path("report").resolve()


def card_of(page: Element, name: str) -> Element:
    return page.one("article", data_benchmark=name)


def test_a_card_has_the_first_of_a_headline_board_and_its_pictures(heaviest: Path) -> None:
    page = tree(heaviest / "index.html")
    assert [one["data-benchmark"] for one in page.all("article")] == [*NAMES]
    card = card_of(page, "gir")
    assert len([*card.one("tbody").all("tr")]) == front.MOST_ROWS and "and 14 more" in card.words
    assert "cannot be told apart, ahead of the rest." in card.words and "overall, 0 to 100" in card.words
    assert "not built with these parameters" in card.words and "nor this" in page.one("section", id="dataset").words
    assert "observed by detector world, reader rapidocr, image embedder world" in card.words
    assert "judged by world (the embedded world)" in card_of(page, "prism").words
    pictures = [*card.one("div", class_="answers").all("a")]
    assert len(pictures) == MOST_ANSWERS
    assert pictures[0]["href"] == "benchmarks/gir/items/one.html#s--a_contestant_with_a_very_long_name_and_a_number_00"
    assert len([*page.one("section", id="dataset").all("img")]) == front.PICTURES
    everybody = page.one("div", aria_label="contestants")
    assert len([*everybody.one("tbody").all("tr")]) == WIDE and len([*everybody.all("data")]) == WIDE * len(NAMES)
    assert "1,200 pictures" in page.words and "alert(1)" in page.words and not [*page.all("script", src=None)]


def test_its_numbers_are_those_of_the_leaderboard(heaviest: Path) -> None:
    """Keys begin with benchmark and edition there."""
    boards = {name: results_of(name, SLUGS).board for name in NAMES}
    file = {f"{name}.v1.{key}": value for name, board in boards.items() for key, value in board.items()}
    found = numbers([heaviest / "index.html"])
    _, wrong = compared(found, {"leaderboard": file})
    assert not wrong and len(found["leaderboard"]) > WIDE * len(NAMES)


def test_it_is_light_and_fits_every_window(heaviest: Path, browser: Browser) -> None:
    assert (heaviest / "index.html").stat().st_size < 300_000
    with visited(browser, heaviest / "index.html", home=heaviest, width=1366, height=768) as page:
        assert page.locator("article img").first.bounding_box()["y"] < 768  # type: ignore[index]
        for width in (1366, 1280, 400):
            page.set_viewport_size({"width": width, "height": 768})
            assert sideways(page) == 0
            assert page.evaluate(FARTHEST) <= width
        assert serious(page) == []
        with page.expect_navigation():
            page.click("article .answers a >> nth=0")  # one click from a number's card to its pictures
        assert page.title() == "one"


def test_without_anything_it_says_what_builds_it(project: Path) -> None:
    write_front(Path("report"))
    page = tree(Path("report/index.html"))
    assert "no release and no board yet" in page.words and "run dvc repro" in page.words
    assert not [*page.all("img")] and "git log -1 -- dvc.lock" in page.words


def test_one_contestant_a_judge_that_failed_and_a_board_left_out(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_boards(monkeypatch, ["alone"], ["prism"], trusted=False)
    Path("report/benchmarks/prism", MOST_TELLING).write_text("[]\n")  # nobody painted
    reason_of("aegis").write_text(json.dumps({"why": HOSTILE}))
    write_front(Path("report"), stale={"genius": "nothing of it is here"}, commit="commit 4f0c2a91b3de of 2026-11-27")
    page = tree(Path("report/index.html"))
    card = card_of(page, "prism").words
    assert "This judge failed its validation: it ranks no contestant." in card and "alone" in card and "–" in card
    assert "aegis is left out: <script>alert(1)</script> \\u202e" in page.words
    assert "genius: nothing of it is here" in page.words and "boards of 1 benchmark with 1 contestant:" in page.words
    assert page.words.count("Written from commit 4f0c2a91b3de of 2026-11-27.") == 2


def test_a_board_that_cannot_be_read_hides_no_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_boards(monkeypatch, ["one", "two"], ["gir", "prism"])
    Path("report/benchmarks/gir", MOST_TELLING).write_text("{")
    write_front(Path("report"))
    page = tree(Path("report/index.html"))
    assert [one["data-benchmark"] for one in page.all("article")] == ["prism"]
    assert "gir is left out: report/benchmarks/gir/telling.json is not JSON" in page.words
    monkeypatch.setattr(front, "read_results", fails)
    write_front(Path("report"))
    assert "prism is left out: no such edition" in tree(Path("report/index.html")).words


def fails(*_: Any) -> Results:
    raise UserError("no such edition")


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([], "No contestant is ranked."),
        ([None, None], "No contestant is ranked."),
        ([1, None], "Only a is ranked."),
        ([1, 2, 2], "a is ahead."),
        ([1, 1, None], "a, b cannot be told apart."),
        ([1, 1, 2], "a, b cannot be told apart, ahead of the rest."),
        ([1, 1, 1, 1, 1], "a, b, c and 2 more cannot be told apart."),
    ],
)
def test_nobody_is_ahead_of_whom_it_cannot_be_told_from(groups: list[int | None], said: str) -> None:
    value = Value("", 1.0, None, None, None)
    rows = [
        Row(name, False, name, [value], None, None, group, 1.0, [], None, [])
        for name, group in zip("abcde", groups, strict=False)
    ]
    assert lead_in_words(rows) == said


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("aegis", "raw.world.overall"),
        ("gapeval", "both_settings.world.succ"),
        ("genius", "main.world.overall"),
        ("gir", "t2i.observers.overall"),
        ("prism", "en.world.overall"),
    ],
)
def test_a_headline_is_the_first_value_of_the_first_metric_by_the_first_judge(
    project: Path, name: str, headline: str
) -> None:
    found = results_of(name, ["one"])
    metric, judge = found.benchmark.headline(found.params)
    assert f"{metric.name}.{judge}.{metric.shown[0]}" == headline and benchmark_of(name).about
