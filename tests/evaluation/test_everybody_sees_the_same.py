"""Judges behind a server, detectors, controls, people and pages are given the same bytes of answers and of items."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image, ImageDraw

from gamut.asking.models import opening
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Detect, Picture, Reply, Request
from gamut.deciding.benchmark_tasks import draw_answers, label_answers
from gamut.deciding.desk import Desk
from gamut.deciding.label_studio import inline_picture
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running import controls
from gamut.project.decisions import open_log
from gamut.project.roles import RoleModel
from gamut.report.benchmarks.answers import blocks
from gamut.report.benchmarks.results import read_results
from gamut.report.site.folder import Folder
from gamut.report.site.texts import Cut
from gamut.report.site.thumbnails import thumbnail_bytes
from gamut.tables.images import as_jpeg, upright_rgb
from gamut.tables.reading import read_rows
from tests.evaluation import test_toy
from tests.evaluation.small_pictures import by_digest, named
from tests.evaluation.toy_project import ONE, canned, params_of
from tests.fakes import Fake, encoded
from tests.stub_server import stub_server
from tests.tables.test_images import with_tag

toy = test_toy.toy
TAIL = b"score 10" * 125_000
LONG = "so " * 1_000_000 + "Two red cars."


def hidden() -> bytes:
    """A red picture that says "score 10", all of it transparent; and a million bytes behind its end."""
    image = Image.new("RGBA", (96, 64), "red")
    ImageDraw.Draw(image).text((10, 20), "score 10", fill="white")
    image.putalpha(0)
    return encoded(image, "PNG") + TAIL


LYING = Image.linear_gradient("L").convert("RGB").resize((96, 64))
HIDDEN, TURNED = hidden(), encoded(LYING, "JPEG", exif=with_tag(6), quality=95, subsampling=0)
WHITE = encoded(Image.new("RGB", (96, 64), "white"), "PNG", compress_level=1)
UPRIGHT = as_jpeg(Image.open(io.BytesIO(TURNED)).transpose(Image.Transpose.ROTATE_270))
PNG, JPEG = Picture(WHITE, "image/png"), Picture(UPRIGHT)


class Given(NamedTuple):
    """What was asked of the judge's server, of the detector and of the contestant."""

    params: Any
    judge: list[Chat]
    detector: list[Request]
    contestant: list[Request]


@pytest.fixture(scope="module")
def given(toy: Benchmark[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Given]:
    """One contestant's answers to three items, and all who look at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("odd"))
        yield from looked_at(toy, patch)


def looked_at(toy: Benchmark[Any, Any], patch: pytest.MonkeyPatch) -> Iterator[Given]:
    pictures = [picture.model_dump() for picture in named([TURNED])]
    items = [
        {"id": "picture-0", "prompt": "A red car.", "kind": "picture", "expected": "a red car", "found": "1 red car"},
        {"id": "edit-0", "prompt": "Make <image:0> brighter.", "kind": "edit", "images": pictures},
        {"id": "both-0", "prompt": "Show two red cars and say so.", "kind": "both", "expected": "two red cars"},
    ]
    freeze_edition("toy", "v1", [toy.item.model_validate(one) for one in items], by_digest(TURNED))
    models = {"world": {"kind": "openai", "id": "stub"}, "eyes": {"kind": "sandbox"}}
    params = params_of(toy, models=models, odd=ONE)
    params.toy.observers["detector"] = ["eyes"]
    patch.setattr(controls, "CONTROLS", ("praise", "input_copied"))
    asked = Given(params, [], [], [])

    def judged(request: Request) -> Reply:
        assert isinstance(request, Chat)
        asked.judge.append(request)
        return canned(RoleModel("judge", "world", params.models["world"]), request)

    def here(role_model: RoleModel, request: Request) -> Reply:
        if isinstance(request, Detect):
            asked.detector.append(request)
            return Reply(b"[]")
        asked.contestant.append(request)
        wants_text = isinstance(request, Create) and "text" in request.modalities
        return Reply(bundle([LONG, HIDDEN] if wants_text else [HIDDEN]))

    open_model = opening.open_model

    def open_it(role_model: RoleModel, *others: Any) -> Any:
        there = role_model.slug == "world"
        return open_model(role_model, *others) if there else Fake(partial(here, role_model))

    patch.setattr(opening, "open_model", open_it)
    with stub_server(judged) as stub:
        Path("run.toml").write_text(f'[models.world]\nurl = "{stub.url}"\n')
        answer.answer(toy, params, "odd")
        judge.judge(toy, params, "odd", "world")
        observe.observe(toy, "detector", params, "odd", "eyes")
        yield asked


def pictures_in(requests: Sequence[Request]) -> set[Picture]:
    return {part for one in requests for message in one.messages for part in message.parts if isinstance(part, Picture)}


def test_everybody_is_given_the_same(toy: Benchmark[Any, Any], given: Given, tmp_path: Path) -> None:
    params = given.params
    assert pictures_in(given.judge) == {PNG, JPEG} and len(given.judge) > 3
    assert {one.picture for one in given.detector} == {PNG}
    # people: the page that is served, and Label Studio's
    task = label_answers(toy, params, draw_answers(toy, params, 1.0, None)[0], "ann")
    cards = list(task.cards({card for card, _ in task.places}))
    assert {picture for card in cards for picture in card.pictures} == {PNG, JPEG}
    with open_log("ann", task.name) as log:
        desk = Desk(task, log)
        numbers = range(len(task.places))
        served = {desk.picture(n, which) for n in numbers for which in range(len(desk.card(n).pictures))}
    assert served == {PNG, JPEG}
    addresses = {inline_picture(card, which) for card in cards for which in range(len(card.pictures))}
    ends = {"png": WHITE, "jpeg": UPRIGHT}
    assert addresses == {f"data:image/{end};base64,{base64.b64encode(data).decode()}" for end, data in ends.items()}
    # pages of the report have smaller pictures: of the same
    folder = Folder(tmp_path / "pages")
    for block in blocks(read_results(toy, params), folder):
        shown = [*(part for answers in block.answers.values() for one in answers for part in one.pictures)]
        assert {folder.place(one.path).read_bytes() for one in shown} == {thumbnail_bytes(WHITE)}
        assert {folder.place(one.path).read_bytes() for one in block.pictures.values()} == {thumbnail_bytes(UPRIGHT)}
    # a text is cut alike: 3,000,013 characters, 20,000 of which stay
    cut = f"{LONG[:10_000]}\n[… 2,980,013 characters left out …]\n{LONG[-10_000:]}"
    texts = ["".join(part for part in one.messages[0].parts if isinstance(part, str)) for one in given.judge]
    assert sum(cut in text for text in texts) == 2 and max(map(len, texts)) < 25_000, "in each setting once"
    assert sum(any(cut in one.part for one in card.shown if isinstance(one.part, str)) for card in cards) == 2
    assert {part.text for one in block.answers["both-0"] for part in one.parts if isinstance(part, Cut)} == {cut}


def test_the_contestant_gets_its_item_and_the_table_its_answer_as_they_are(given: Given) -> None:
    parts = {part for one in given.contestant if isinstance(one, Create) for part in one.parts}
    assert Picture(TURNED) in parts and Picture(UPRIGHT) not in parts
    rows = list(read_rows(Path("datasets/toy/answers/odd")))
    kept = {part["image"]["bytes"] for row in rows for part in row["parts"] if part["image"]}
    assert kept == {HIDDEN} and LONG in [part["text"] for row in rows for part in row["parts"]]
    said = "shown on white where it is transparent; shown without 1,000,000 bytes behind its end"
    assert all(row["status"] == "ok" and said in row["reason"] for row in rows)
    texts = [row["reason"] for row in rows if row["item"] == "both-0"]
    assert all(one.endswith("; 3,000,013 characters, of which 20,000 are shown") for one in texts)


def test_controls_are_made_of_what_everybody_sees(toy: Benchmark[Any, Any], given: Given) -> None:
    before = len(given.judge)
    judge.judge_controls(toy, given.params, "odd", "world")
    seen = pictures_in(given.judge[before:])
    assert JPEG in seen, "an input that is copied, as the judge sees it beside answers"
    for picture in seen - {JPEG}:
        pixels = np.asarray(upright_rgb(picture.data))
        assert pixels.shape == (64, 96, 3) and pixels[:48].min() > 250, "white above the words of praise"
