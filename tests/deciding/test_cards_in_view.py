"""Cards of every benchmark in Chromium: all that is needed is in the first view, and keys count once it was there."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from PIL import Image

from gamut.asking.requests import Part, Picture
from gamut.deciding.benchmark_tasks import answer_card, draw_answers, label_answers
from gamut.deciding.cards import Card, Task
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.pictures import describe_picture
from gamut.evaluation.labelling.shown import AnswerQuestion, answer_questions, blocks_of
from gamut.project.decisions import digest_of
from stages.aegis.shared.benchmark import AEGIS
from stages.aegis.shared.items import AegisItem, CheckQuestion
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.genius.shared.benchmark import GENIUS
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.items import GirItem
from stages.own.shared.benchmark import OWN
from stages.own.shared.items import OwnItem
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from tests.browser import sideways, violations
from tests.deciding.sitting import FRAMES, begun, look_through, sitting
from tests.deciding.small_board import params_of, write_board
from tests.gapeval.small_items import item_of
from tests.genius.small_genius import genius_item

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = ((1920, 1080), (1366, 768), (400, 800))
LONG = "A red lantern hangs over the black water. " * 50
BLOCK: Any = SimpleNamespace(for_people=SimpleNamespace(script=None, second_look=False))


@cache
def picture(width: int = 1024, height: int = 1024) -> Picture:
    out = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).convert("RGB").save(out, "PNG")
    return Picture(out.getvalue(), "image/png")


SQUARE, TALL, WIDE = picture(), picture(200, 2400), picture(2400, 200)


def images(**pictures: Picture) -> dict[str, Any]:
    return {"images": [describe_picture(one.data, name, name.split("_")[0]) for name, one in pictures.items()]}


def questions(
    benchmark: AnyBenchmark, item: Any, setting: str, *answer: Part, **pictures: Picture
) -> Iterator[AnswerQuestion]:
    asked = answer_questions(benchmark, BLOCK, item, setting, answer, pictures)
    return (AnswerQuestion(f"{benchmark.name}-{item.id}-{n}", *one) for n, one in enumerate(asked))


def all_questions() -> Iterator[AnswerQuestion]:
    """Tasks, answers and references of one line and of thousands, of pictures of all forms, of one and of nine."""
    prism = PrismItem(id="style/0", track="style", prompt=LONG, prompt_zh="一只猫")
    yield from questions(PRISM, prism, "en", TALL)
    lines = (
        CheckQuestion(question="Does it say so?", about="text"),
        CheckQuestion(question="Is it blue?", about="image"),
    )
    texts = {
        "prompt": "Guess.",
        "clear_prompt": "Paint <image1> as <image2>.",
        "reference": "Blue.",
        "checklist": lines,
    }
    shown = {"input_1": SQUARE, "input_2": WIDE, "reference_1": TALL}
    kind = {"topic": "it", "reasoning": "none", "task": "interleaved"}
    aegis = AegisItem.model_validate(texts | kind | {"id": "a"} | images(**shown))
    yield from questions(AEGIS, aegis, "clear", SQUARE, **shown)
    yield from questions(AEGIS, aegis.model_copy(update={"id": "b"}), "clear", *["Step.", SQUARE] * 9, **shown)
    masked = {"input_1": SQUARE, "mask_1": SQUARE}
    gir = GirItem.model_validate({"id": "g", "prompt": "Paint it.", "task": "perception"} | images(**masked))
    yield from questions(GIR, gir, "edit", SQUARE, **masked)
    yield from questions(GIR, GirItem(id="h", prompt="x", task="text", lettering="OPEN"), "t2i", WIDE)
    gap = {"question_1": SQUARE, "reference_1": TALL}
    yield from questions(GAPEVAL, item_of(), "gen", WIDE, **gap)
    yield from questions(GAPEVAL, item_of(id="data_2"), "und", LONG, **gap)
    yield from questions(GENIUS, genius_item(), "interleaved", SQUARE, cats=WIDE, birds=SQUARE)
    mine = {"id": "o", "prompt": "Say <image1>.", "answer": "text", "rubric": LONG, "references": ["So."]}
    own = OwnItem.model_validate(mine | images(input_1=SQUARE))
    yield from questions(OWN, own, "as_is", "It is.\n" * 500, input_1=SQUARE)


def task_of(cards: Sequence[Card], rounds: Sequence[int] = (0,)) -> Task:
    by_id = {card.id: card for card in cards}

    def read(ids: Collection[str]) -> Iterator[Card]:
        return (by_id[one] for one in ids)

    return Task("t", "T", [(card.id, number) for number in rounds for card in cards], read)


def test_a_card_says_what_each_thing_is_without_the_marks_of_judges() -> None:
    cards = {one.code: answer_card(one) for one in all_questions()}
    texts = [one.part for card in cards.values() for one in (*card.given, *card.shown) if isinstance(one.part, str)]
    marks = ("<task>", "</", "<answer>", "<reference", "<hint>", "<prompt>", "[Image]", "[Text]", "answer:")
    assert [text for text in [*texts, *(card.question for card in cards.values())] for m in marks if m in text] == []
    headings = {code: list(dict.fromkeys(one.name for one in card.given)) for code, card in cards.items()}
    assert headings["prism-style/0-0"] == ["Prompt"] and headings["aegis-a-1"] == ["Task", "Reference"]
    assert headings["gapeval-data_1-0"] == ["Question", "Question picture", "Reference text", "Reference picture"]
    assert headings["genius-7-1"] == ["Hint", "Reference"] and headings["own-o-0"] == ["Task", "Rubric", "Reference"]
    assert cards["aegis-a-1"].question == "Image: Is it blue?" and [*cards["aegis-a-1"].shown] == [("", SQUARE)]
    assert "“Hint” word by word" in cards["genius-7-0"].question
    assert cards["gapeval-data_1-0"].wording[2] == "Answer 1 where the answer is right, 0 where it is not."


def test_labels_of_before_are_about_what_judges_see_not_about_how_people_see_it() -> None:
    by_code = {one.code: one for one in all_questions()}
    prism, aegis = by_code["prism-style/0-0"], by_code["aegis-a-1"]
    task = ["<task>\nPaint \n", SQUARE, " as \n", WIDE, ".\n</task>\n<reference>\n", TALL]
    for one, seen in (
        (prism, [TALL, f"<prompt>\n{LONG}\n</prompt>"]),
        (aegis, [*task, "Blue.\n</reference>\n<answer>\n", SQUARE, "</answer>\n"]),
    ):
        parts = [["", part if isinstance(part, str) else {"picture": part.digest}] for part in seen]
        assert one.about == answer_card(one).about == digest_of([one.line.words, parts]), one.code


def test_what_stands_in_no_block_is_of_the_answer() -> None:
    assert blocks_of(["<task>\n", "Draw.\n", SQUARE, "</task>\n", WIDE]) == [
        ("task", ["Draw.", SQUARE]),
        ("answer", [WIDE]),
    ]
    assert blocks_of([]) == [("answer", [])]


def outside(page: Page, selector: str, whole: bool = True) -> list[str]:
    """What of this is not in the window: its whole box, or its beginning."""
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    found = page.query_selector_all(selector)
    assert found, selector
    boxes = [one.bounding_box() for one in found]
    return [
        f"{selector} {box}"
        for box in boxes
        if box["x"] < 0
        or box["y"] < 0
        or box["x"] + box["width"] > width + 0.5
        or box["y"] + (box["height"] if whole else 16) > height + 0.5
    ]


def test_prompt_answer_and_buttons_are_in_the_first_view_of_every_benchmark(browser: Browser, project: Path) -> None:
    """And nothing but the keyboard is needed; axe finds nothing at all."""
    cards = [answer_card(one) for one in all_questions() if one.code.endswith("-0") or one.code == "genius-7-1"]
    said = []
    with sitting(task_of(cards)) as here, begun(browser, here) as page:
        for number, card in enumerate(cards):
            page.wait_for_selector(f"[data-card='{number}'] .judged [data-there]", state="attached")
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                where = f"{card.id} at {width}"
                assert outside(page, ".judged, .choices button, .choices input, #asked, nav button") == [], where
                first = page.query_selector_all(".judged > .part, .judged > figure")[:1]
                assert first and first[0].bounding_box()["height"] >= 24 and not outside(page, ".judged h3"), where
                if sum(isinstance(one.part, Picture) for one in card.shown) == 1:
                    assert outside(page, ".judged figure") == [], where
                    assert page.query_selector(".judged figure").bounding_box()["height"] >= 140, where
                if card.given:
                    assert outside(page, ".given") == [] and outside(page, ".block:first-child > *", False) == [], where
                assert sideways(page) == 0 and page.evaluate("document.scrollingElement.scrollHeight") <= height, where
            assert violations(page) == [], card.id
            said.append(card.choices[-1].value if card.choices else "0.5")
            if not card.choices:
                page.keyboard.type("0.5")
            key = card.choices[-1].key if card.choices else "Enter"
            look_through(page, number, key)
            page.keyboard.press(key)
        page.wait_for_selector(".done:not([hidden])")
        assert [one.decision for one in here.lines()] == said


def test_a_picture_is_shown_large_and_escape_leads_back(browser: Browser, project: Path) -> None:
    cards = [answer_card(one) for one in all_questions() if one.code.startswith("aegis-a")]
    with sitting(task_of(cards)) as here, begun(browser, here, width=400, height=800) as page:
        page.wait_for_selector("[data-shown='0']")
        page.keyboard.press("z")
        page.wait_for_selector("dialog[open]")
        assert page.text_content("[data-alt]") == "Answer: 1024 × 1024" and violations(page) == []
        page.keyboard.press("y")
        page.keyboard.press("z")
        page.wait_for_selector("dialog.pixels")
        assert page.query_selector("dialog img").bounding_box()["width"] == 1024
        page.keyboard.press("Escape")
        page.click(".given button")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("ArrowRight")
        assert page.text_content("[data-alt]").startswith("Task, part 4")
        page.keyboard.press("Escape")
        assert page.query_selector("dialog[open]") is None and here.lines() == []


def test_what_was_not_in_view_is_scrolled_to_and_counts_then(browser: Browser, project: Path) -> None:
    """Nine pictures with texts do not fit into a telephone: each key before the end leads on to what is left."""
    cards = [answer_card(one) for one in all_questions() if one.code == "aegis-b-0"]
    with sitting(task_of(cards)) as here, begun(browser, here, width=400, height=500) as page:
        page.wait_for_selector("[data-there]", state="attached")
        page.evaluate(FRAMES)
        assert not page.query_selector("[data-shown='0']") and page.query_selector("button[aria-disabled]")
        look_through(page, 0, "y")
        assert here.lines() == []
        page.keyboard.press("y")
        page.wait_for_selector(".done:not([hidden])")
        assert [one.decision for one in here.lines()] == ["Y"]


def test_a_hundred_labels_are_what_was_pressed(browser: Browser, project: Path) -> None:
    """91 questions and 9 of them again; a key before a picture came, one taken back, a pause."""
    write_board(46)
    drawn, _ = draw_answers(GIR, params_of(), None, 91)
    task = label_answers(GIR, params_of(), drawn, "ann")
    keys = ["yn"[int(code[1:3], 16) % 2] for code, _ in task.places]
    held: list[Any] = []
    with sitting(task) as here, begun(browser, here, width=400, height=800) as page:
        page.route("**/pictures/7/0", lambda route: held.append(route))
        for number, key in enumerate(keys):
            if number == 7:
                page.wait_for_selector("[data-card='7'] .judged")
                page.keyboard.press("n" if key == "y" else "y")
                page.wait_for_selector("text=Not counted: the card, or one of its pictures, is still loading.")
                assert len(here.lines()) == 7
                held.pop().continue_()
            page.wait_for_selector(f"[data-shown='{number}']")
            if number == 20:  # a slip, taken back
                page.keyboard.press("n" if key == "y" else "y")
                page.wait_for_selector("[data-shown='21']")
                page.keyboard.press("u")
                page.wait_for_selector("[data-shown='20']")
            if number == 50:
                page.keyboard.press("p")
                page.wait_for_selector("text=50 of 100 decided")
                page.keyboard.press(key)
                assert not page.is_visible("#card") and "Paused" in page.text_content(".paused")
                assert violations(page) == []
                page.keyboard.press("p")
            page.keyboard.press(key)
        page.wait_for_selector(".done:not([hidden])")
    lines = [(one.id, one.round, one.decision.lower()) for one in here.lines()]
    slip = lines[20:22]
    assert lines[:20] + lines[22:] == [(*where, key) for where, key in zip(task.places, keys, strict=True)]
    assert slip == [(*task.places[20], "n" if keys[20] == "y" else "y"), (*task.places[20], "")]
    assert sum(number for _, number in task.places) == 9
    assert "takes" not in Path("datasets/decisions/ann/label.gir.v1.jsonl").read_text()


def test_time_left_is_told_by_ones_own_pace_without_pauses(browser: Browser, project: Path) -> None:
    """Of 12 cards 10 s each are 2 min; the first took 4 s, the second 1 s, a minute of pause and 1 s: 3 s each, of 10
    that are left 30 s, so within a minute.
    """
    card = Card("a", "", "Is it?", [], answer_card(next(all_questions())).choices)
    with sitting(task_of([card], range(12))) as here, closing(browser.new_context()) as context:
        page = context.new_page()
        page.clock.install()
        page.goto(here.address)
        page.clock.pause_at(page.evaluate("Date.now()") + 1000)
        assert page.text_content("[data-left]") == "0 of 12 decided; the rest takes about 2 min if each takes 10 s."
        assert "Stop when you like: what is decided counts." in page.text_content(".paused")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-shown='0']")
        page.clock.run_for(4_000)
        page.keyboard.press("5")
        page.wait_for_selector("[data-shown='1']")
        page.clock.run_for(1_000)
        page.keyboard.press("p")
        page.clock.run_for(60_000)
        page.keyboard.press("p")
        page.clock.run_for(1_000)
        page.keyboard.press("5")
        page.wait_for_selector("[data-shown='2']")
        page.keyboard.press("p")
        said = "2 of 12 decided; the rest takes about 1 min at your pace, 3 s each."
        assert page.text_content("[data-left]") == said


def test_enter_leaves_a_remark_and_one_after_the_decision_is_kept(browser: Browser, project: Path) -> None:
    cards = [answer_card(one) for one in all_questions() if one.code.startswith("aegis-a")][:2]
    key = cards[0].choices[1].key
    with sitting(task_of(cards)) as here, begun(browser, here) as page:
        page.wait_for_selector("[data-shown='0']")
        page.keyboard.press("m")
        page.keyboard.type("hm 7")
        page.keyboard.press("Enter")
        page.keyboard.press(key)
        page.wait_for_selector("[data-shown='1']")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("[data-shown='0']")
        page.keyboard.press("m")
        page.keyboard.press("End")
        page.keyboard.type(", late")
        page.keyboard.press("Escape")
        page.wait_for_selector("main[aria-busy=false]")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("[data-shown='1']")
        said = [(one.decision, one.remark) for one in here.lines()]
    assert said == [(cards[0].choices[1].value, "hm 7"), (cards[0].choices[1].value, "hm 7, late")]
