"""`gamut review BENCHMARK EDITION` in Chromium: what a reviewer presses is what stands in the log."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from gamut.deciding.benchmark_tasks import review_proposals
from gamut.evaluation.curating.review import digest_of
from stages.prism.curation import CURATION
from tests.browser import serious, sideways
from tests.deciding.sitting import begun, sitting
from tests.prism.small_dataset import EDITION
from tests.prism.small_proposal import CAT, DOG, LOST, OWL, write_proposal

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_accept_reject_rewrite_undo(browser: Browser, project: Path) -> None:
    write_proposal(CAT, DOG, OWL, LOST)
    with sitting(review_proposals(CURATION, EDITION)) as here, begun(browser, here) as page:
        page.wait_for_selector("[data-shown='0']")
        assert page.text_content("h1").endswith("edition v1: 3 proposals") and CAT["prompt"] in page.text_content(
            "#card"
        )
        assert serious(page) == [] and sideways(page) == 0
        page.keyboard.press("a")
        page.wait_for_selector("[data-shown='1']")
        page.keyboard.press("u")
        page.wait_for_selector("[data-shown='0']")
        page.keyboard.press("m")
        page.keyboard.type("which cat?")
        page.keyboard.press("Escape")
        page.keyboard.press("r")
        page.wait_for_selector("[data-shown='1']")
        page.keyboard.press("w")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=nothing is rewritten")
        page.fill("[data-text=prompt_zh]", "no Chinese")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=new_prompt_zh is not Chinese")
        assert len(here.lines()) == 3
        page.fill("[data-text=prompt_zh]", "立体派的狗")
        page.click("[data-save]")
        page.wait_for_selector("[data-shown='2']")
        page.keyboard.press("a")
        page.wait_for_selector(".done:not([hidden])")
        assert "3 of 3" in page.text_content("header") and "gamut freeze prism v1" in page.text_content(".done")
    assert [line.model_dump(exclude_defaults=True) for line in here.lines()] == [
        {"id": CAT["id"], "about": digest_of(CURATION, CAT), "decision": "accept"},
        {"id": CAT["id"], "decision": ""},
        {"id": CAT["id"], "about": digest_of(CURATION, CAT), "decision": "reject", "remark": "which cat?"},
        {
            "id": DOG["id"],
            "about": digest_of(CURATION, DOG),
            "decision": "rewrite",
            "texts": {"prompt_zh": "立体派的狗"},
        },
        {"id": OWL["id"], "about": digest_of(CURATION, OWL), "decision": "accept"},
    ]


def test_what_could_not_be_saved_is_told_and_stays_typed(browser: Browser, project: Path) -> None:
    write_proposal(CAT, DOG)
    with sitting(review_proposals(CURATION, EDITION)) as here, closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(here.address)
        page.keyboard.press("p")
        page.wait_for_selector("[data-shown='0']")
        page.keyboard.press("w")
        page.fill("[data-text=prompt]", "a cubist lynx")
        here.server.desk.close()
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=Not saved. this page has ended: start the command again")
        page.route("**/*", lambda route: route.abort())  # as when it was killed
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=Not saved. No answer")
        assert page.input_value("[data-text=prompt]") == "a cubist lynx" and here.lines() == []
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("text=No answer")
        assert "0 of 2" in page.text_content("header")


def test_a_page_goes_on_where_it_was_left(browser: Browser, project: Path) -> None:
    """Also with what was typed and not said, when one goes elsewhere and comes back."""
    write_proposal(CAT, DOG, OWL)
    with sitting(review_proposals(CURATION, EDITION)) as here:
        here.server.desk.decide(0, digest_of(CURATION, CAT), "reject", {}, "which cat?")
        with begun(browser, here) as page:
            page.wait_for_selector("[data-shown='1']")
            page.fill("[data-remark]", "which dog?")
            page.keyboard.press("Escape")
            page.keyboard.press("ArrowLeft")
            page.wait_for_selector("[data-shown='0'] [data-decision=reject][aria-pressed=true]")
            assert page.input_value("[data-remark]") == "which cat?"
            page.keyboard.press("o")
            page.wait_for_selector("[data-shown='1']")
            assert page.input_value("[data-remark]") == "which dog?"
            page.keyboard.press("a")
            page.wait_for_selector("[data-shown='2']")
            page.keyboard.down("a")  # held, it says it of one card
            page.keyboard.down("a")
            page.wait_for_selector(".done:not([hidden])")
            page.keyboard.press("ArrowLeft")
            page.wait_for_selector("[data-shown='2']")
            page.reload()
            page.wait_for_selector(".done:not([hidden])")
    assert [(line.id, line.decision, line.remark) for line in here.lines()] == [
        (CAT["id"], "reject", "which cat?"),
        (DOG["id"], "accept", "which dog?"),
        (OWL["id"], "accept", ""),
    ]
