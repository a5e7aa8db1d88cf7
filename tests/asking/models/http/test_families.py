"""Every question of the dataset's stages and of PRISM passes through each family of servers (`tests.families`), as
profiles configure the models, and none is asked for what it does not take.

A family answers as the embedded world does, whose replies fit: so a record that is not ok was refused or misread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

import pytest

from gamut.asking.making import Creating
from gamut.asking.models.http import client as http
from gamut.asking.models.http import pacing
from gamut.asking.models.opening import open_model
from gamut.asking.outcomes import Conversation
from gamut.asking.requests import Chat, Create, Paint, Picture, Reply, Request
from gamut.asking.visiting import Answer, Visit, follow
from gamut.dataset.shared.visits import columns_of
from gamut.pipeline.asks import about_picture
from gamut.project.model_kinds import OpenAIModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.tables.columns import Row
from gamut.tables.images import upright_jpeg
from stages.dataset import (
    align,
    annotate,
    brainstorm,
    examine,
    find_text,
    imagine,
    mine_text,
    proofread,
    rewrite,
    score,
    synthesize,
    translate,
)
from stages.dataset.follow import FOLLOW
from stages.prism.shared.benchmark import judge_questions
from stages.prism.shared.items import TRACKS, PrismItem
from tests import embedded_world as world
from tests import fakes
from tests.fakes import jpeg
from tests.families import FAMILIES, KEY, Family
from tests.stub_server import Act, Say, Stub, stub_server

PROMPT = next(caption for caption in world.captions(50, 1) if '"' in caption)
CHINESE = str(world.answer("translate", {"caption": PROMPT}, [])["translation"])
PARAMS = fakes.params(synthesize={"width": 1024, "height": 1024, "max_failures": 0})
PAINTING = ("painter",)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.setattr(http, "BACKOFF", 0.001)
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(pacing, "LAST_PAUSE", 0.001)
    monkeypatch.setattr(pacing, "LAST_PAUSE_WHEN_BUSY", 0.05)


KNOWN: dict[tuple[Any, ...], Reply] = {}


def answer(request: Request) -> Reply:
    """The embedded world's replies, each worked out once for all families; pictures of the right size, fast."""
    if isinstance(request, Paint | Create):
        return Reply(jpeg(size=(request.width, request.height)), "stop", 9, 0)
    assert isinstance(request, Chat)
    if request.name == "check":
        return Reply(b'{"answer": "yes"}', "stop", 9, 2)
    asked = (request.name, request.messages)
    if asked not in KNOWN:
        KNOWN[asked] = world.reply(request, {})
    return KNOWN[asked]


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    return FAMILIES[request.param]


@pytest.fixture
def stub(family: Family) -> Iterator[Stub]:
    """A server that refuses what the family refuses."""
    with stub_server(answer) as stub:
        enter = stub.enter

        def entered(request: Any, body: dict[str, Any], digest: str) -> Act | None:
            act = enter(request, body, digest)
            refused = family.objection(request.path, body, request.headers.get("Authorization"))
            return Say(400, {"error": refused}) if refused else act

        stub.enter = entered  # type: ignore[method-assign]
        yield stub


def opened(stub: Stub, role: str, model: OpenAIModel, **endpoint: Any) -> http.HttpModel:
    reached = Endpoint(url=stub.url, key_variable="A_KEY", **endpoint)
    found = open_model(RoleModel(role, "slug", model), Settings(models={"slug": reached}))
    assert isinstance(found, http.HttpModel)
    return found


# Every question


def whole_dataset() -> Iterator[tuple[Visit, Row]]:
    """The visits of all asking stages of the dataset that ask a chat model, a record each."""
    picture = {"image": {"bytes": world.picture(PROMPT), "path": None}}
    record = {"id": "w-part01-00000000", "caption": PROMPT, "transcription": PROMPT.split('"')[1], **picture}
    captions = [{"description": "text", "caption": PROMPT}, {"description": "detail", "caption": PROMPT}]
    seeds = {f"s-{n}": caption for n, caption in enumerate(world.captions(3, 1))}
    yield brainstorm.invent(PARAMS), {"id": "families-00000", "family": "dreams"}
    yield imagine.expand(seeds, PARAMS), record
    for changes in ({}, {"image": None}, {"caption": None}):
        yield rewrite.describe_anew(PARAMS), record | changes
    for question in (find_text.FIND_TEXT, examine.EXAMINE, score.SCORE):
        yield about_picture(question, PARAMS.seed, columns_of(question)), record
    for question, given in ((proofread.PROOFREADING, {"wanted": "OPEN"}), (FOLLOW, {"prompt": PROMPT})):
        yield about_picture(question, PARAMS.seed, columns_of(question), [*given]), record | given
    yield mine_text.describe(PARAMS), record
    yield annotate.describe(PARAMS), record | {"categories": list(annotate.EMPHASIS)}
    yield align.compare(PARAMS), record | {"painted": True}
    yield translate.translate_captions(PARAMS), record | {"captions": captions}


def prism_judging() -> Iterator[tuple[Visit, Row]]:
    """Both questions about an answer on each of PRISM's tracks, in both languages."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = PrismItem(id=record["id"], track=record["track"], prompt=PROMPT, prompt_zh=CHINESE)
        shown = [Picture(world.picture(PROMPT))]
        asked = [
            one.question.about(one.fields, one.material(shown, ()), 7)
            for language in ("en", "zh")
            for one in judge_questions(PARAMS.prism, item, language)
        ]
        answers = yield asked
        return [{"id": record["id"], **one.columns()} for one in answers]

    for track in TRACKS:
        yield visit, {"id": f"{track}/1", "track": track}


async def rows_of(model: http.HttpModel, asked: Iterable[tuple[Visit, Row]]) -> list[Row]:
    """Follow visits to their ends, all at once."""

    async def one(visit: Visit, record: Row) -> list[Row]:
        replies: dict[str, Reply] = {}
        going = follow(visit, record, model, replies.get)
        while True:
            try:
                wanted = next(going)
                while callable(wanted):
                    wanted = going.send(wanted())
            except StopIteration as end:
                rows: list[Row] = end.value
                return rows
            replies.update(zip(wanted, await asyncio.gather(*map(model.answer, wanted.values())), strict=True))

    try:
        return [row for rows in await asyncio.gather(*(one(*each) for each in asked)) for row in rows]
    finally:
        await model.close()


def test_every_question_of_the_dataset_and_of_prism_passes(family: Family, stub: Stub):
    for role, model in family.models.items():
        if role not in PAINTING:
            before = stub.calls
            client = opened(stub, "judge", model)
            assert client.concurrency == 64
            rows = asyncio.run(rows_of(client, [*whole_dataset(), *prism_judging()]))
            assert [row for row in rows if row["status"] != "ok"] == []
            asked = {call.name for call in stub.log[before:]}
            assert len(asked) == 12 + 7 + 8, (
                "10 stages with one question, rewriting with two; 7 captions; 7 tracks and looks"
            )


def test_every_picture_is_painted_with_its_guidance(family: Family, stub: Stub):
    for role, model in family.models.items():
        if role in PAINTING:
            edit = Create((Picture(jpeg()), "make it blue"), ("image",), 1024, 1024, 7)

            def painted(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
                answers = yield [Creating(edit, upright_jpeg)]  # noqa: B023
                return [answer.columns() for answer in answers]

            record = {"id": "w-part01-00000000", "prompt": PROMPT}
            client = opened(stub, "painter", model)
            assert client.concurrency == 8
            rows = asyncio.run(rows_of(client, [(synthesize.paint(PARAMS), record), (painted, record)]))
            assert [row["status"] for row in rows] == ["ok", "ok"], rows
            sampling = model.sampling.model_dump(exclude_none=True)
            for _, body in list(stub.heard)[-2:]:  # a form has texts alone
                assert {name: str(body[name]) for name in sampling} == {n: str(v) for n, v in sampling.items()}
