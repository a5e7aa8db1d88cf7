"""Every question of the dataset's stages and of PRISM passes through each family of servers (`tests.families`), as
profiles configure the models; each ending lands in its status; limits lose nothing; what is wrong is said in one line.

A family answers as the embedded world does, whose replies fit: so a record that is not ok was refused or misread.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from stages.asking.making import Creating
from stages.asking.models import http, pacing
from stages.asking.models.opening import open_model
from stages.asking.outcomes import Conversation
from stages.asking.requests import Chat, Create, Paint, Picture, Reply, Request
from stages.asking.visiting import Answer, Visit, follow
from stages.command import model_check
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
from stages.dataset.shared.visits import about_picture
from stages.prism.shared.items import PrismItem
from stages.prism.shared.judging import inquiries
from stages.prism.shared.tracks import TRACKS
from stages.project.errors import UserError
from stages.project.model_kinds import OpenAIModel
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint, Settings
from stages.tables.columns import Row
from stages.tables.images import upright_jpeg
from stages.tables.reading import read_rows
from tests import fakes, world
from tests.fakes import jpeg
from tests.families import FAMILIES, KEY, Family, limited, strict
from tests.stub_server import Say, Stub, stub_server

PROMPT = next(caption for caption in world.captions(50, 1) if '"' in caption)
CHINESE = str(world.answer("translate", {"caption": PROMPT}, [])["translation"])
PARAMS = fakes.params(synthesize={"width": 1024, "height": 1024, "max_failures": 0})
CHATTING = [name for name, family in FAMILIES.items() if family.endings]
PAINTING = ("painter", "other_painter", "unified")


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


def served(family: Family) -> Iterator[Stub]:
    with stub_server(answer) as stub:
        strict(stub, family)
        yield stub


@pytest.fixture
def stub(family: Family) -> Iterator[Stub]:
    yield from served(family)


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
    for stage, question in (
        (find_text, find_text.FIND_TEXT),
        (examine, examine.EXAMINE),
        (score, score.SCORE),
        (proofread, proofread.PROOFREADING),
    ):
        yield about_picture(question, PARAMS.seed, stage.columns), record  # type: ignore[attr-defined]
    yield mine_text.describe(PARAMS), record
    yield annotate.describe(PARAMS), record | {"categories": list(annotate.EMPHASIS)}
    yield align.compare(PARAMS), record
    yield translate.into_chinese(PARAMS), record | {"captions": captions}


def prism_judging() -> Iterator[tuple[Visit, Row]]:
    """Both questions about an answer on each of PRISM's tracks, in both languages."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = PrismItem(id=record["id"], track=record["track"], prompt=PROMPT, prompt_zh=CHINESE)
        shown = [Picture(world.picture(PROMPT))]
        asked = [
            one.question.about(one.fields, one.material(shown, ()), 7)
            for language in ("en", "zh")
            for one in inquiries(item, language)
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
            assert len(asked) == 11 + 7 + 8, (
                "9 stages with one question, rewriting with two; 7 captions; 7 tracks and looks"
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


# What is refused


def mistake(stub: Stub, role: str, model: OpenAIModel, **endpoint: Any) -> str:
    with pytest.raises(UserError) as caught:
        asyncio.run(rows_of(opened(stub, role, model, **endpoint), [(ask_once(role), {"id": "a-00000000"})]))
    message = str(caught.value)
    assert "\n" not in message and KEY not in message
    return message


def ask_once(role: str) -> Visit:
    if role in PAINTING:
        return lambda record: synthesize.paint(PARAMS)(record | {"prompt": PROMPT})
    return lambda record: rewrite.describe_anew(PARAMS)(record | {"caption": PROMPT, "image": None})


def test_a_wrong_key_and_a_wrong_model_are_told_as_such(family: Family, stub: Stub, monkeypatch: pytest.MonkeyPatch):
    role, model = next(iter(family.models.items()))
    said = mistake(stub, role, model.model_copy(update={"id": "org/other"}))
    assert "model 'org/other' (params.yaml) or this path" in said and said.endswith("is not served")
    monkeypatch.setenv("A_KEY", "sk-Wrong")
    said = mistake(stub, role, model)
    assert said.endswith(f"put a key that may use {model.id} into the environment variable A_KEY")
    assert stub.calls == 2, "asked once each: it concerns every request"


@pytest.mark.parametrize(
    ("name", "role", "changes", "words"),
    [
        ("gemini", "judge", {"omit": []}, 'Unknown name "seed": Cannot find field.: add `omit: [seed]`'),
        ("gemini", "judge", {"sampling": {"top_k": 20}}, "leave `top_k` out of `sampling`"),
        ("gemini", "judge", {"extra_body": {"chat_template_kwargs": {}}}, "`chat_template_kwargs` out of `extra_body`"),
        ("openai-chat", "judge", {"sampling": {"temperature": 0.0}}, "leave `temperature` out of `sampling`"),
        ("openai-chat", "judge", {"sampling": {"max_tokens": 9}}, "`extra_body: {max_completion_tokens: …}`"),
        ("openai-chat", "judge", {"sampling": {"repetition_penalty": 1.1}}, "leave `repetition_penalty` out of"),
        ("openai-images", "painter", {"omit": ["seed"]}, "add `omit: [response_format]`"),
        ("openai-images", "painter", {"omit": ["response_format"]}, "add `omit: [seed]`"),
        ("openai-images", "painter", {"sampling": {"negative_prompt": " "}}, "leave `negative_prompt` out of"),
        ("openai-images", "painter", {"sampling": {"true_cfg_scale": 4.0}}, "leave `true_cfg_scale` out of"),
    ],
)
def test_a_field_that_a_family_refuses_is_named_with_what_to_do(
    name: str, role: str, changes: dict[str, Any], words: str
):
    model = FAMILIES[name].models[role]
    fitting = {"omit": model.omit, "extra_body": {}, "sampling": {}} | changes
    wrong = OpenAIModel.model_validate({"kind": "openai", "id": model.id, **fitting})
    with stub_server(answer) as stub:
        strict(stub, FAMILIES[name])
        assert words in mistake(stub, role, wrong)


# Endings


def echo_rows(stub: Stub, family: Family, known: bool = True, **endpoint: Any) -> list[Row]:
    """What becomes of records that are repeated by the family's chat model, through the runner."""
    model = next(model for role, model in family.models.items() if role not in PAINTING)
    client = opened(stub, "judge", model, **endpoint)
    client._pool.servers[0].answered = known
    fakes.put(client, [("w-part01-00000", 0, fakes.records(1))], Path("table"), max_failures=1.0)
    return list(read_rows(Path("table")))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("name", "ending"), [(name, one) for name in CHATTING for one in FAMILIES[name].endings])
def test_each_ending_has_its_status(name: str, ending: str):
    body, status = FAMILIES[name].endings[ending]
    with stub_server(answer, script=[Say(200, body)] * 3) as stub:
        strict(stub, FAMILIES[name])
        [row] = echo_rows(stub, FAMILIES[name], attempts=3)
    assert row["status"] == status and row["word"] is None and row["reason"]
    again = status == "transport_error" and "thinking" not in ending
    assert stub.calls == (3 if again or ending == "no choice at all" else 1), row


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("name", CHATTING)
def test_what_is_broken_off_or_empty_once_is_answered_when_it_is_asked_again(name: str):
    bodies = [body for ending, (body, _) in FAMILIES[name].endings.items() if ending in ("abort", "no choice at all")]
    with stub_server(fakes.echo, script=[Say(200, body) for body in bodies]) as stub:
        strict(stub, FAMILIES[name])
        [row] = echo_rows(stub, FAMILIES[name], attempts=2)
        assert (row["status"], row["word"], stub.calls) == ("ok", "word0", len(bodies) + 1)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_reasoning_parser_that_takes_answers_for_thinking_is_named_at_the_first_answer(name: str):
    body, _ = FAMILIES[name].endings["the answer taken for thinking"]
    with stub_server(answer, script=[Say(200, body)]) as stub:
        strict(stub, FAMILIES[name])
        with pytest.raises(UserError) as caught:
            echo_rows(stub, FAMILIES[name], known=False)
    said = str(caught.value)
    assert '{"word": "word0"}: the server\'s reasoning parser takes' in said and "\n" not in said
    assert "extra_body: {chat_template_kwargs: {enable_thinking: false}}" in said and "max_tokens" in said


# Limits


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("name", ["gemini", "openai-chat", "vllm"])
def test_five_requests_a_minute_finish_with_nothing_lost(name: str):
    """A minute is 0.2 s here: 18 records are four minutes at least, whatever the host says of when to come again."""
    with stub_server(fakes.echo) as stub:
        strict(stub, FAMILIES[name])
        limited(stub, FAMILIES[name], 5, 0.2)
        model = next(model for role, model in FAMILIES[name].models.items() if role not in PAINTING)
        client = opened(stub, "judge", model, attempts=1)
        limits = fakes.put(client, [("w-part01-00000", 0, fakes.records(18))], Path("table"))
        assert limits.statuses == {"ok": 18} and stub.calls == 18
    assert [row["word"] for row in read_rows(Path("table"))] == [f"word{n}" for n in range(18)]


# What `gamut check --ask` says


def found(stub: Stub, family: Family) -> list[str]:
    roles: dict[str, str] = dict.fromkeys(
        ("judge", "captioner", "translator", "seed_writer", "writer", "painter"), "world"
    )
    chats = next((name for name in family.models if name not in PAINTING), None)
    paints = next((name for name in family.models if name in PAINTING), None)
    roles |= {role: "chat" for role in roles if role != "painter" and chats}
    roles |= {"painter": "paints"} if paints else {}
    models: dict[str, Any] = {"world": {"kind": "sandbox"}}
    models |= {"chat": family.models[chats].model_dump()} if chats else {}
    models |= {"paints": family.models[paints].model_dump()} if paints else {}
    square = {"width": 1024, "height": 1024, "max_failures": 0}
    parameters = fakes.everything(models=models, roles=roles, synthesize=square)
    reached = {slug: {"url": stub.url, "key_variable": "A_KEY"} for slug in models if slug != "world"}
    run_settings = Settings.model_validate({"models": reached})
    return [line for _, line in model_check.lines(parameters, model_check.results(parameters, run_settings))]


@pytest.mark.usefixtures("project")
def test_check_ask_says_in_a_line_each_what_it_found(
    family: Family, stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = 2 * any(role not in PAINTING for role in family.models) + any(role in PAINTING for role in family.models)
    lines = found(stub, family)
    assert Counter(line.split()[0] for line in lines)["ok"] == asked and not any("FAILED" in line for line in lines)
    monkeypatch.setenv("A_KEY", "sk-Wrong")
    lines = found(stub, family)
    failed = [line for line in lines if line.startswith("FAILED")]
    assert len(failed) == asked and all("put a key that may use" in line and "\n" not in line for line in failed)
    stub.script[:] = []
