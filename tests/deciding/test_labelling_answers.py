"""`gamut label BENCHMARK` in Chromium: what a person says of answers, blindly, and how well that is measured."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from PIL import Image, PngImagePlugin

from gamut.deciding.benchmark_tasks import draw_answers, label_answers
from gamut.deciding.cards import ACCEPT, REJECT, Card, Task, choices_of
from gamut.deciding.dataset_tasks import PASS_WORDS
from gamut.deciding.label_studio import ASKED_NAME, interface_xml
from gamut.evaluation.labelling.labels import all_labels
from gamut.evaluation.labelling.questions import listed_replies
from gamut.evaluation.scoring.agreement import agreements
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from stages.gir.shared.benchmark import GIR
from tests.deciding.sitting import begun, cookie_of, sitting
from tests.deciding.small_board import NAMES, params_of, riddles, write_board

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KEY, LABELS = Path("datasets/sheets/gir/v1.key.csv"), Path("datasets/labels/gir/v1.csv")
ERRORS = 0.1


def task_of(answers: int | None = None, reviewer: str = "ann") -> Task:
    drawn, _ = draw_answers(GIR, params_of(), None, answers)
    return label_answers(GIR, params_of(), drawn, reviewer)


def write_truth(count: int) -> None:
    """Label all answers as `truth`: one contestant always miscounts, the other never."""
    of = {"setting": "t2i", "measure": "counts", "person": "truth", "sample": "0", "question": "0"}
    whole = [(name, item.id) for name in NAMES for item in riddles(count)]
    scores = [of | {"contestant": name, "item": str(id), "score": str(int(name == NAMES[0]))} for name, id in whole]
    write_csv(LABELS, [*scores[0]], ([*row.values()] for row in scores))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_person_of_known_skill_comes_out_as_it_is(project: Path) -> None:
    """91 questions and 9 of them again. Who errs in a tenth says the truth in .9, and the same again in .82."""
    write_board(46)
    task = task_of(91)
    write_truth(46)
    of = ("contestant", "item", "sample")
    true = {tuple(row[name] for name in of): row["score"] == "1" for row in rows_of(LABELS)}
    answer_of = {row["code"]: tuple(row[name] for name in of) for row in rows_of(KEY)}
    chance = random.Random(5)
    with sitting(task) as here:
        for number, (code, _) in enumerate(task.places):
            right = true[answer_of[code]] != (chance.random() < ERRORS)
            desk = here.server.desk
            assert desk.decide(number, desk.card(number).about, "NY"[right], {}, "") == []
    said = all_labels(GIR, params_of())
    truth, hers = ([one for one in said if one.rater == rater] for rater in ("truth", "ann"))
    found = {one.comparison.among: one.comparison for one in agreements(truth, hers, 3, ["counts"])}
    assert (found["people"].n, found["again"].n) == (91, 9) and len(hers) == 100
    for name, due in {"same": 0.9, "kappa": 0.8}.items():  # half of all are right: by chance half would be the same
        value, low, high = found["people"].measures[name]
        assert low < value < 1 and low <= due <= high, name
    _, low, high = found["again"].measures["identical"]
    assert low <= 0.82 <= high


def signed(picture: bytes) -> bytes:
    """A picture that says who made it."""
    out, metadata = io.BytesIO(), PngImagePlugin.PngInfo()
    metadata.add_text("Software", " and ".join(NAMES))
    Image.open(io.BytesIO(picture)).save(out, "PNG", pnginfo=metadata)
    return out.getvalue()


def test_nothing_that_the_page_carries_tells_whose_answer_it_is(project: Path) -> None:
    write_board(10, signed)
    task = task_of(20)
    with sitting(task) as here:
        connection = HTTPConnection("127.0.0.1", here.server.server_port)
        cookie = cookie_of(here, connection)

        def got(path: str) -> bytes:
            connection.request("GET", path, headers={"Cookie": cookie})
            reply = connection.getresponse()
            assert reply.status == 200
            return str(reply.getheaders()).encode() + reply.read()

        carried = [got("/"), *(got(f"/cards/{n}") for n in range(len(task.places)))]
        pictures = [got(f"/pictures/{n}/0") for n in range(len(task.places))]
        connection.close()
    assert len(task.places) == 22 and b"Does the picture show exactly so many? duck: " in carried[1]
    for content in carried + pictures:
        assert [word for word in (*NAMES, "riddle0", "t2i-0", "judgments") if word.encode() in content.lower()] == []
    for picture in pictures:
        assert Image.open(io.BytesIO(picture[picture.index(b"\x89PNG") :])).info == {}
    contestants = [row["contestant"] for row in rows_of(KEY)]
    assert 1 < sum(one != other for one, other in pairwise(contestants)) < 19


def test_the_same_are_drawn_again_by_the_key_and_each_has_an_order_of_its_own(project: Path) -> None:
    write_board(10)
    first = task_of(12)
    assert len(rows_of(KEY)) == 12
    before = KEY.read_bytes()
    assert task_of().places == first.places and KEY.read_bytes() == before
    other = task_of(reviewer="bob")
    assert other.places != first.places and {*map(str, other.places)} != {*map(str, first.places)}
    assert sorted(one for one, number in other.places if not number) == sorted(
        one for one, number in first.places if not number
    )
    with pytest.raises(UserError, match=r"v1\.key\.csv belongs to another draw"):
        task_of(14)
    rows = KEY.read_text().replace(rows_of(KEY)[0]["item"], "riddle77")
    KEY.write_text(rows)
    with pytest.raises(UserError, match=r"v1\.key\.csv: \d answers? of this draw \(a\w+, …\) cannot be found"):
        task_of()


LONG = Card("a", "", "Is it?\nIt is where it is.", [], choices_of(["Y", "N"]))


def test_what_a_question_says_at_length_stays_folded(browser: Browser, project: Path) -> None:
    task = Task("t", "T", [(one, 0) for one in "ab"], lambda ids: (replace(LONG, id=one) for one in ids))
    with sitting(task) as here, begun(browser, here) as page:
        page.wait_for_selector("[data-shown='0'] details:not([open])")
        assert page.text_content("#card h2") == "Is it?" and not page.is_visible("text=It is where it is.")
        page.click("summary")
        page.keyboard.press("y")
        page.wait_for_selector("[data-shown='1'] details[open]")
        assert page.is_visible("text=It is where it is.")


def hotkeys(form: Card) -> list[tuple[str, str]]:
    """The keys that Label Studio's interface names, each with what is kept where it is pressed."""
    choices = [one.attrib for one in ElementTree.fromstring(interface_xml([ASKED_NAME], [form])).iter("Choice")]
    return [(one["hotkey"], one.get("alias", one["value"])) for one in choices if "hotkey" in one]


def test_a_key_says_here_what_it_says_in_label_studio(browser: Browser, project: Path) -> None:
    """Label Studio 1.23 numbers choices without hotkeys from 1: of 0 to 10 `7` said 6, and `0` said 9."""
    forms = [
        Card("score", "", "How good?", [], choices_of(listed_replies("0 to 10"))),
        Card("change", "", "Better?", [], choices_of(listed_replies("-1 to 1"))),
        LONG,
        Card("row", "", "Pass?", [], choices_of(["1", "0"], PASS_WORDS)),
        Card("review", "", "Sound?", [], choices_of([ACCEPT, REJECT]), texts={"prompt": "a cat"}),
    ]
    keys = [hotkeys(form) for form in forms]
    assert ["".join(key for key, _ in of_form) for of_form in keys] == ["0123456789x", "01", "yn", "10", "arw"]
    said = [(form, *key) for form, of_form in zip(forms, keys, strict=True) for key in of_form]
    cards = {f"{form.id}-{key}": form for form, key, _ in said}
    task = Task("t", "T", [(one, 0) for one in cards], lambda ids: (replace(cards[one], id=one) for one in ids))
    with sitting(task) as here, begun(browser, here) as page:
        for number, (_, key, _) in enumerate(said):
            page.wait_for_selector(f"[data-shown='{number}']")
            page.keyboard.press(key)
        page.fill("[data-text=prompt]", "a dog")
        page.click("[data-save]")
        page.wait_for_selector(".done:not([hidden])")
        assert [one.decision for one in here.lines()] == [value for _, _, value in said]
