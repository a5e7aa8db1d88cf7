"""`gamut check --ask`: one request for each model and kind of request, every failure in its own line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gamut.asking.requests import Chat, Create, Embed, Paint, Picture, Read, Reply, Request, pack_vector, pictures_of
from gamut.asking.seeing import Reading
from gamut.command import model_check
from gamut.command.cli import app
from gamut.command.model_check import WORD, Probe, Result
from gamut.project.settings import Settings
from gamut.publish.parameters import Everything
from tests import fakes
from tests.stub_server import Say, stub_server

GPT = {"kind": "openai", "id": "org/model", "revision": "0123456789abcdef", "structured_output": "json_schema"}
ALL_CHAT = dict.fromkeys(("judge", "captioner", "translator", "seed_writer", "writer"), "gpt")


def params(**roles: str) -> Everything:
    """Every chat role is filled by gpt, the painter by the world; `roles` change that."""
    models = {
        "world": {"kind": "sandbox"},
        "gpt": GPT,
        "nowhere": {"kind": "openai", "id": "org/nowhere"},
        "words": {"kind": "tfidf", "dimensions": 2},
        "ocr": {"kind": "rapidocr"},
    }
    return fakes.everything(models=models, roles={"painter": "world"} | ALL_CHAT | roles, seed=7)


def settings(url: str, **endpoint: Any) -> Settings:
    return Settings.model_validate({"models": {"gpt": {"url": url, "attempts": 1} | endpoint}})


def good(request: Request) -> Reply:
    match request:
        case Chat():
            return Reply(b'{"answer": "yes"}', "stop", 300, 12)
        case Paint() | Create():
            return Reply(fakes.jpeg(size=(request.width, request.height)))
        case Embed():
            return Reply(pack_vector(np.array([0.6, 0.8], "float32")))
        case _:
            raise AssertionError(request)


def asked(parameters: Everything, run_settings: Settings) -> list[Result]:
    return list(model_check.probe_models(parameters, run_settings))


def test_a_model_is_asked_once_for_each_kind_of_request() -> None:
    parameters = params(painter="gpt", detector="gpt", reader="ocr", image_embedder="world", alignment_scorer="gpt")
    gpt, ocr = parameters.dataset.models["gpt"], parameters.dataset.models["ocr"]
    assert model_check.planned_probes(parameters) == [
        Probe("gpt", gpt, "paint", ("painter",)),
        Probe("gpt", gpt, "look", ("judge", "captioner")),
        Probe("gpt", gpt, "chat", ("translator", "seed_writer", "writer")),
        Probe("gpt", gpt, "detect", ("detector",)),
        Probe("gpt", gpt, "alignment", ("alignment_scorer",)),
        Probe("world", parameters.dataset.models["world"], "embed a picture", ("image_embedder",)),
        Probe("ocr", ocr, "read", ("reader",)),
    ]


@pytest.mark.usefixtures("project")
def test_each_kind_of_request_arrives_as_its_stage_would_send_it() -> None:
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return good(request)

    with stub_server(answer) as stub:
        found = asked(params(painter="gpt", editor="gpt", text_embedder="gpt"), settings(stub.url))
    assert [result.failure for result in found] == [""] * 5
    assert {result.probe.request: type(request) for result, request in zip(found, heard, strict=True)} == {
        "paint": Paint,
        "look": Chat,
        "chat": Chat,
        "edit": Create,
        "embed a text": Embed,
    }
    by_kind = {result.probe.request: request for result, request in zip(found, heard, strict=True)}
    paint, edit, look, chat = (by_kind[kind] for kind in ("paint", "edit", "look", "chat"))
    assert isinstance(paint, Paint) and (paint.width, paint.height, paint.seed) == (64, 64, 7)
    assert isinstance(edit, Create) and [type(part) for part in edit.parts] == [Picture, str]
    assert (edit.modalities, edit.width, edit.height, edit.seed) == (("image",), 64, 64, 7)
    assert isinstance(look, Chat) and len(pictures_of(look)) == 1 and look.schema["required"] == ["answer"]
    assert isinstance(chat, Chat) and not pictures_of(chat)
    assert not Path(".store").exists()


@pytest.mark.usefixtures("project")
def test_lines_have_model_revision_seconds_tokens_and_cost() -> None:
    parameters = params()
    with stub_server(good) as stub:
        run_settings = settings(stub.url, input_price=10, output_price=100)
        lines = [
            line for _, line in model_check.result_lines(parameters, model_check.probe_models(parameters, run_settings))
        ]
    skipped, look, chat = (re.sub(r"\d+\.\d\d s", "0.01 s", line) for line in lines)
    assert skipped == (  # 12 characters of the revision; a name as wide as the widest, "translator, seed_writer, ..."
        "skipped painter: world                        sandbox    -             paint            "
        "not asked: the embedded world answers only its own questions"
    )
    assert look == (  # (300 * 10 + 12 * 100) / 1,000,000 = 0.0042
        "ok      judge, captioner: gpt                 org/model  0123456789ab  look             "
        "   0.01 s     300 in     12 out  cost 0.0042"
    )
    assert chat.startswith("ok      translator, seed_writer, writer: gpt  org/model  0123456789ab  chat ")


def fails(answer: Reply, painted: bool = False) -> list[str]:
    """The failures when a server's every answer is this one; of the questions of the chat roles, or of the painter."""
    roles = {"painter": "gpt"} if painted else {}
    with stub_server(lambda request: answer) as stub:
        found = asked(params(**roles), settings(stub.url))
    return [result.failure for result in found if (result.probe.request == "paint") == painted and result.failure]


@pytest.mark.usefixtures("project")
def test_a_reply_of_another_form_is_a_failure() -> None:
    assert (
        fails(Reply(b'Surely:\n\n{"reply": "yes"}'))
        == ['the reply does not fit its JSON schema: Surely: {"reply": "yes"}'] * 2
    )
    assert fails(Reply(b"I won't.", "refused")) == ["refused_judge: I won't."] * 2
    assert fails(Reply(b'{"answer": "y', "length"))[0].startswith("truncated: ")
    assert fails(Reply(b"no picture"), painted=True) == [
        'parse_error: the image is not a picture in a known format (10 bytes, at the start "no picture")'
    ]


@pytest.mark.usefixtures("project")
def test_a_model_that_fails_does_not_keep_the_others_from_being_asked() -> None:
    with stub_server(good, script=[401]) as stub:
        found = asked(params(painter="nowhere"), settings(stub.url))
    painter, look, chat = (result.failure for result in found)
    assert painter == 'painter (nowhere) has no server address: run.toml needs `[models.nowhere] url = "…"`'
    assert look.startswith("judge (gpt): ") and "HTTP 401" in look and "\n" not in look
    assert chat == "" and found[2].reply is not None


@pytest.mark.usefixtures("project")
def test_a_server_that_says_nothing_but_429_is_given_up_at_the_third() -> None:
    """A new key of a free tier says so for the rest of the day; what it says is told, and the others are asked."""
    limited = Say(429, {"error": {"message": "Rate limit reached for requests"}}, {"Retry-After": "60"})
    with stub_server(good, script=[limited] * 9) as stub:
        _, look, chat, embed = asked(params(text_embedder="words"), settings(stub.url))
        # each time a harmless one tells that it is not this request's own fault; the second kind finds it still so
        assert stub.calls == (3 + 1) + (1 + 1)
    assert all("HTTP 429: Rate limit reached for requests" in one.failure for one in (look, chat)) and not embed.failure


def test_models_in_this_process_are_asked_too() -> None:
    with stub_server(good) as stub:
        parameters = params(text_embedder="words", reader="ocr")
        *_, words, reader = asked(parameters, settings(stub.url))
    assert words.failure == "" and words.identity["revision"].startswith("sha256-")
    assert reader.failure == "" and reader.reply is not None and WORD.encode() in reader.reply.content


def test_a_reader_has_to_find_the_word() -> None:
    request = Read(Picture(b""))
    reply = Reply(json.dumps([["GAMBIT", 0.9, [[0, 0], [9, 0], [9, 9], [0, 9]]]]).encode())
    end = Reading(request).next([reply])
    assert model_check.find_fault(request, reply, end) == "'GAMBIT' was read, but the picture shows GAMUT"


def detects(said: str, **fields: Any) -> list[str]:
    """What is said of a detector whose every answer is this one."""
    models = fakes.values()["models"] | {"eye": {"kind": "openai", "id": "org/eye", **fields}}
    roles = {"painter": "world"} | dict.fromkeys(ALL_CHAT, "world") | {"detector": "eye"}
    with stub_server(lambda request: Reply(said.encode())) as stub:
        found = asked(fakes.everything(models=models, roles=roles), Settings(models={"eye": {"url": stub.url}}))
    return [result.failure for result in found if result.probe.request == "detect"]


@pytest.mark.usefixtures("project")
def test_a_detector_has_to_find_the_square_where_it_is() -> None:
    right = '[{"bbox_2d": [594, 125, 875, 500], "label": "red square"}]'  # 380, 60, 560 and 240 of 640 x 480
    assert detects(right, boxes="thousandths") == [""]
    assert detects(right.replace("[594", "[[594").replace("500]", "500]]"), boxes="thousandths") == [""]
    assert detects(right, boxes="pixels") == [
        "parse_error: a box reaches far beyond the picture: is `boxes` in params.yaml this model's convention?"
    ]
    turned = '[{"bbox_2d": [125, 594, 500, 875], "label": "red square"}]'
    assert detects(turned, boxes="thousandths") == [
        "the red square at (380, 60, 560, 240) was found (80.0, 285.1, 320.0, 420.0): does the model give boxes in "
        "another format?"
    ]
    assert detects("[]", boxes="thousandths")[0].startswith("the red square at (380, 60, 560, 240) was found nowhere")
    assert detects(right)[0].startswith("detector (eye): set models.eye.boxes in params.yaml to how this model gives")


@pytest.mark.usefixtures("project")
def test_answers_that_are_found_by_a_rows_id_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fakes.Fake(good)
    model.by_record = True
    monkeypatch.setattr(model_check, "open_model", lambda *_: model)
    found = asked(params(painter="gpt"), Settings())
    assert {result.remark for result in found} == {"not asked: its answers are found by the id of a row"}
    assert (len(found), model.asked, model.closed) == (3, [], 1)


def command(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output.splitlines()


def test_the_command_ends_with_1_when_a_model_fails(project: Path) -> None:
    roles = {"painter": "world"} | ALL_CHAT
    (project / "params.yaml").write_text(
        json.dumps(fakes.values(models={"world": {"kind": "sandbox"}, "gpt": GPT}, roles=roles))
    )
    with stub_server(good, script=[400]) as stub:
        (project / "run.toml").write_text(f'[models.gpt]\nurl = "{stub.url}"\n')
        code, said = command("--ask", "--quiet")
        assert code == 1 and said[-1] == "1 question failed"
        assert [line[:29] for line in said[:-1]] == ["FAILED  judge, captioner: gpt"]
        code, said = command("--ask")
    assert code == 0 and [line[:7] for line in said[-4:-1]] == ["skipped", "ok     ", "ok     "]


def test_a_contestant_s_python_file_is_asked_for_any_text_and_a_judge_s_for_its_form() -> None:
    """What a contestant writes itself has no form, while a judge's reply is JSON."""
    own = {"kind": "python", "file": "stages/mine/models/a.py", "function": "answer"}
    values = fakes.values(models={"world": {"kind": "sandbox"}, "own": own}, roles=fakes.values()["roles"])
    roles = dict.fromkeys(values["roles"], "world") | {"judge": "own"}
    prism = values["prism"] | {"contestants": ["mine"], "controls_of": ["mine"], "judges": ["own"]}
    contestants = {"mine": {"class": "unified", "model": own}}
    parameters = fakes.everything(models=values["models"], roles=roles, contestants=contestants, prism=prism)
    planned = {(probe.slug, probe.request) for probe in model_check.planned_probes(parameters) if probe.slug != "world"}
    assert planned == {("own", "look"), ("mine", "paint"), ("mine", "edit"), ("mine", "answer")}
