"""`--static`: a page that needs no server, keeps what is said in the browser, and gives a log as it is read."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stages.deciding import sitting
from stages.deciding.answered import drawing, labelling
from stages.deciding.proposed import reviewing
from stages.evaluation.curating.review import digest_of
from stages.evaluation.labelling.logged import all_said
from stages.gir.shared.benchmark import GIR
from stages.prism.room import ROOM
from stages.project.decisions import Decision, opened, path_of, read_log
from stages.project.errors import UserError
from tests import fakes
from tests.browser import serious, sideways, visited
from tests.deciding.small_board import NAMES, params_of, write_board
from tests.in_command import gamut as call
from tests.prism.small_dataset import EDITION
from tests.prism.small_proposal import CAT, DOG, OWL, put

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = Path("page.html")


def test_what_is_said_stays_in_the_browser_and_is_a_log(browser: Browser, project: Path) -> None:
    put(CAT, DOG, OWL)
    with opened("ann", "review.prism.v1") as log:
        log.add(Decision(id=OWL["id"], about=digest_of(ROOM, OWL), decision="accept"))
    said = list(sitting.write_page(reviewing(ROOM, EDITION), "ann", PAGE))
    assert said[1].startswith("page.html: 2 cards, 0.0 MB") and "Put review.prism.v1.jsonl into datasets/" in said[2]
    with visited(browser, project / PAGE, width=390, scheme="dark") as page:
        page.wait_for_selector("[data-shown='0']")
        assert serious(page) == [] and sideways(page) == 0
        page.keyboard.press("a")
        page.wait_for_selector("[data-shown='1']")
        for _ in range(20):  # the browser writes down what is kept at its leisure
            page.reload()
            page.wait_for_selector("[data-shown]")
            if page.locator("[data-shown='1']").count():
                break
        assert "1 of 2" in page.text_content("header")
        page.keyboard.press("w")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=nothing is rewritten")
        page.fill("[data-text=prompt]", "a cubist hound — “new”\n")
        page.check("[data-holds=prompt_zh]")
        page.fill("[data-remark]", "better")
        page.click("[data-save]")
        page.wait_for_selector(".done:not([hidden])")
        with page.expect_download() as download:
            page.click("[data-download]")
        assert download.value.suggested_filename == "review.prism.v1.jsonl"
        content = Path(download.value.path()).read_bytes()
    path = path_of("ann", "review.prism.v1")
    path.write_bytes(path.read_bytes() + content)
    assert [line.model_dump(exclude_defaults=True) for line in read_log(path)][1:] == [
        {"id": CAT["id"], "about": digest_of(ROOM, CAT), "decision": "accept"},
        {
            "id": DOG["id"],
            "about": digest_of(ROOM, DOG),
            "decision": "rewrite",
            "texts": {"prompt": "a cubist hound — “new”\n", "prompt_zh": DOG["prompt_zh"]},
            "remark": "better",
        },
    ]
    with pytest.raises(UserError, match="all of it is decided"):
        list(sitting.write_page(reviewing(ROOM, EDITION), "ann", PAGE))


def test_pictures_lie_in_it_and_repeats_are_told_apart(browser: Browser, project: Path) -> None:
    write_board(10)
    drawn, _ = drawing(GIR, params_of(), None, 20)
    task = labelling(GIR, params_of(), drawn, "ann")
    list(sitting.write_page(task, "ann", PAGE))
    assert not any(word in PAGE.read_text() for word in (*NAMES, "riddle0", "t2i-0"))
    with visited(browser, project / PAGE) as page:
        for number, _ in enumerate(task.places):
            page.wait_for_selector(f"[data-shown='{number}']")
            assert page.evaluate("document.querySelector('#card img').naturalWidth") == 128
            page.keyboard.press("u" if number == 5 else "y")  # takes the fifth back
            if number == 5:
                page.wait_for_selector("[data-shown='4']")
                page.keyboard.press("n")
                page.wait_for_selector("[data-shown='5']")
                page.keyboard.press("y")
        with page.expect_download() as download:
            page.click("[data-download]")
        content = Path(download.value.path()).read_bytes()
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f"[data-shown='{len(task.places) - 1}']")
        page.keyboard.press("u")
        page.wait_for_selector("text=21 of 22")
        with page.expect_download() as download:
            page.click("[data-download]")
        assert read_log(Path(download.value.path()))[-1].decision == "", "it stood in the file before"
    path = path_of("ann", task.name)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    said = all_said(GIR, params_of())
    assert len(said) == 22 and sum(one.repeat for one in said) == 2 and sum(not one.value for one in said) == 1


def test_by_the_command(project: Path) -> None:
    put(CAT, DOG)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "config", "user.name", "Ann Lee"], check=True)
    code, said = call("review", "prism", EDITION, "--static", str(PAGE))
    assert code == 0 and "0 of 2 are decided by ann-lee" in said and "datasets/decisions/ann-lee;" in said
    assert PAGE.read_text().count("<template") == 2 and not Path("datasets/reviews").exists()
    assert call("review", "prism", EDITION, "--csv") == (
        0,
        "datasets/reviews/prism/v1.csv: 2 proposed, 2 to be decided\n",
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["review", "dataset", "v1"], "`gamut review dataset` has no editions and no --csv"),
        (["review", "prism", "v2"], "datasets/prism/proposal/v2: there is no proposal for 'v2'; known are: v1"),
        (
            ["review", "prism"],
            "which edition of prism? prism.editions of stages/editions/params.yaml names none: `gamut review prism",
        ),
        (["label", "filter"], "there is no benchmark 'filter'; did you mean 'filters'?"),
        (["label", "filters"], "datasets/labels/sample.csv: no such file"),
        (["review", "prism", "v1", "--csv", "--static", "x"], "--csv and --static are two ways to decide elsewhere"),
        (["review", "prism", "v1", "--reviewer", "..."], "--reviewer '...': a name of 1 to 64 letters or digits"),
    ],
)
def test_mistakes_in_a_call_are_a_line(project: Path, arguments: list[str], words: str) -> None:
    put(CAT, DOG)
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    fakes.write_editions()
    code, said = call(*arguments)
    assert code == 1 and said.startswith(words) and said.count("\n") == 1
