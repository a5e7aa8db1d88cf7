"""The wire format itself: bodies as the protocol has them, and readers that take nothing else."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pytest

from gamut.asking.models.http import protocol
from gamut.asking.models.http.host_words import Complaint, read_complaint
from gamut.asking.requests import (
    Chat,
    Create,
    Embed,
    Message,
    Paint,
    Picture,
    Read,
    Reply,
    Request,
    pack_vector,
    schema_in_words,
    unpack_vector,
)
from gamut.project.model_kinds import OpenAIModel, Sampling

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
PICTURE = Picture(b"\xff\xd8jpeg")
CHAT = Chat("quality", (Message("user", ("rubric", PICTURE, "item", PICTURE)),), SCHEMA, seed=7, sample=2)
PAINT = Paint("a red cube", 64, 128, seed=3, sample=1)
EDIT = Create((PICTURE, Picture(b"\r\n--\0", "image/png"), "blue"), ("image",), 64, 128, seed=3)
CHATS = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 99, "top_k": -1, "repetition_penalty": 1.05}
PAINTS = {
    "guidance_scale": 3.5,
    "num_inference_steps": 4,
    "quality": "high",
    "negative_prompt": " ",
    "true_cfg_scale": 4.0,
}
ALL = Sampling(**CHATS, **PAINTS)
URL = "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8jpeg").decode()
PARTS = [
    {"type": "text", "text": "rubric"},
    {"type": "image_url", "image_url": {"url": URL}},
    {"type": "text", "text": "item"},
    {"type": "image_url", "image_url": {"url": URL}},
]


def model(**fields: Any) -> OpenAIModel:
    return OpenAIModel(kind="openai", id="org/model", **fields)


def body(request: Request, **fields: Any) -> Any:
    post = protocol.build_post(request, model(**fields))
    assert post.content_type == "application/json"
    return orjson.loads(post.body)


def test_chat():
    assert protocol.build_post(CHAT, model()).path == "/chat/completions"
    assert body(CHAT, sampling=ALL) == {
        "model": "org/model",
        "messages": [{"role": "user", "content": PARTS}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "quality", "schema": SCHEMA, "strict": True},
        },
        "seed": 9,
        **CHATS,
    }


def test_chat_with_a_server_that_knows_json_but_no_schemas():
    sent = body(CHAT, structured_output="json_object")
    assert sent["response_format"] == {"type": "json_object"}
    words = {"type": "text", "text": schema_in_words(SCHEMA)}
    assert sent["messages"] == [{"role": "user", "content": [*PARTS, words]}]


def test_chat_with_a_server_that_knows_neither_and_a_reply_that_is_asked_for_again():
    turns = (Message("assistant", ("[",)), Message("user", ("again",)))
    again = Chat("quality", CHAT.messages + turns, SCHEMA, seed=9)
    sent = body(again, structured_output="instruction")
    assert "response_format" not in sent
    assert sent["messages"][0]["content"] == PARTS, "what was sent before stays, so that its prefix is reused"
    assert [part["text"] for part in sent["messages"][2]["content"]] == ["again", schema_in_words(SCHEMA)]


def test_paint():
    assert protocol.build_post(PAINT, model()).path == "/images/generations"
    assert body(PAINT, sampling=ALL) == {
        "model": "org/model",
        "prompt": "a red cube",
        "n": 1,
        "size": "64x128",
        "response_format": "b64_json",
        "seed": 4,
        **PAINTS,
    }


def test_an_edit_is_a_form_byte_for_byte():
    post = protocol.build_post(EDIT, model(omit=["n", "response_format"], extra_body={"strength": 0.5, "tiled": True}))
    kind, boundary = post.content_type.split("; boundary=")
    assert (post.path, kind) == ("/images/edits", "multipart/form-data")
    start, end = f"--{boundary}\r\nContent-Disposition: form-data; name=", f"--{boundary}--\r\n"
    fields = {"model": "org/model", "prompt": "blue", "size": "64x128", "seed": "3", "strength": "0.5", "tiled": "true"}
    texts = "".join(f'{start}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()).encode()
    files = [f'{start}"image[]"; filename="0.jpeg"\r\nContent-Type: image/jpeg\r\n\r\n'.encode() + b"\xff\xd8jpeg\r\n"]
    files += [f'{start}"image[]"; filename="1.png"\r\nContent-Type: image/png\r\n\r\n'.encode() + b"\r\n--\0\r\n"]
    assert post.body == texts + b"".join(files) + end.encode()


TOLD = Create(("rubric", PICTURE, "item", PICTURE), ("text",), 0, 0, seed=7, sample=2)
BOTH = replace(TOLD, modalities=("text", "image"), width=64, height=128)


@pytest.mark.parametrize("way", ["images", "chat"])
def test_free_text_is_asked_by_chat_without_a_schema(way: str):
    assert protocol.build_post(TOLD, model(pictures_from=way)).path == "/chat/completions"
    sent = body(TOLD, sampling=ALL, pictures_from=way)
    assert sent == {"model": "org/model", "messages": [{"role": "user", "content": PARTS}], "seed": 9, **CHATS} | (
        {"modalities": ["text"]} if way == "chat" else {}
    ), "a server that paints too is told not to"


def test_texts_and_pictures_are_asked_for_with_all_parts_in_place():
    sent = body(BOTH, pictures_from="chat", sampling=Sampling(max_tokens=9, guidance_scale=3.5))
    assert sent == {
        "model": "org/model",
        "messages": [{"role": "user", "content": PARTS}],
        "modalities": ["text", "image"],
        "width": 64,
        "height": 128,
        "seed": 9,
        "max_tokens": 9,
        "guidance_scale": 3.5,
    }
    assert body(BOTH, pictures_from="chat", extra_body={"modalities": ["image"]})["modalities"] == ["image"]
    assert not {"width", "height", "modalities"} & set(body(BOTH, pictures_from="chat", omit=["size", "modalities"]))


def test_images_endpoints_get_pictures_beside_and_their_numbers_in_the_text():
    edit = replace(TOLD, modalities=("image",), width=64, height=128)
    post = protocol.build_post(edit, model())
    assert post.path == "/images/edits" and b'name="prompt"\r\n\r\nrubric image 1 item image 2\r\n' in post.body
    assert post.body.count(b"\xff\xd8jpeg") == 2 and b'name="size"\r\n\r\n64x128\r\n' in post.body
    drawn = replace(PAINT, prompt="a red cube")
    asked = Create(("a red", "cube"), ("image",), 64, 128, seed=3, sample=1)
    assert protocol.build_post(asked, model()) == protocol.build_post(drawn, model()), "as any other painting"
    assert body(asked, pictures_from="chat") | {"messages": 0} == body(drawn, pictures_from="chat") | {"messages": 0}


def test_who_only_makes_pictures_is_not_asked_for_text_beside_them():
    assert "writes no text beside a picture" in protocol.unsupported_reason(BOTH, model())
    assert not any(protocol.unsupported_reason(asked, model()) for asked in (TOLD, EDIT, PAINT, CHAT))
    assert not protocol.unsupported_reason(BOTH, model(pictures_from="chat"))


def test_embed():
    sent = body(Embed("a red cube"), sampling=ALL)
    assert sent == {"model": "org/model", "input": "a red cube", "encoding_format": "base64"}


def test_what_is_omitted_is_not_sent():
    omit = ["seed", "response_format", "n", "size", "encoding_format", "modalities"]
    assert set(body(PAINT, omit=omit)) == {"model", "prompt"}
    sent = body(CHAT, omit=omit)
    assert set(sent) == {"model", "messages"} and "JSON" in sent["messages"][-1]["content"][-1]["text"]
    assert set(body(Embed("x"), omit=omit)) == {"model", "input"}
    assert set(body(PAINT, omit=omit, pictures_from="chat")) == {"model", "messages"}


@pytest.mark.parametrize("request_", [Read(PICTURE), Embed(PICTURE)])
def test_what_no_server_of_this_protocol_answers_is_a_programming_error(request_: Request):
    with pytest.raises(TypeError, match="not asked over HTTP"):
        protocol.build_post(request_, model())


# Replies

CHATTING = model(pictures_from="chat")


def said(*messages: dict[str, Any], ended: str = "stop") -> bytes:
    choices = [{"message": message, "finish_reason": ended} for message in messages]
    return orjson.dumps({"choices": choices, "usage": {"prompt_tokens": 11, "completion_tokens": 5}})


def image(url: str = "data:image/png;base64,iVBORw==") -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize(
    "messages",
    [
        [{"content": "Here it is", "images": [image()]}],
        [{"content": [{"type": "text", "text": "Here it is"}, image()]}],
        [{"content": "<think>a cube</think>"}, {"content": [image()]}],
    ],
)
def test_a_picture_in_a_chat_reply_is_found_wherever_servers_put_it(messages: list[dict[str, Any]]):
    assert protocol.read_reply(PAINT, CHATTING, said(*messages)) == Reply(b"\x89PNG", "stop", 11, 5)


def test_a_chat_reply_without_a_picture_says_what_it_has():
    expected = Reply(b"text instead of a picture: I cannot paint", "missing", 11, 5)
    assert protocol.read_reply(PAINT, CHATTING, said({"content": "I cannot paint"})) == expected
    assert protocol.read_reply(PAINT, CHATTING, said({"content": ""})) == Reply(
        b"the reply has no picture", "missing", 11, 5
    )
    assert protocol.read_reply(PAINT, CHATTING, said({"refusal": "no"})) == Reply(b"no", "refused", 11, 5)
    assert protocol.read_reply(PAINT, CHATTING, said({"content": ""}, ended="content_filter")).finish == "refused"


PNG = base64.b64encode(b"\x89PNG\xff\xfe" * 30).decode()  # with + and / in it
ENCODED = [
    PNG,
    f"data:image/png;base64,{PNG}",
    "\r\n".join(PNG[start : start + 76] for start in range(0, len(PNG), 76)) + "\n",
    PNG.replace("+", "-").replace("/", "_"),
]


@pytest.mark.parametrize("encoded", ENCODED)
def test_base64_is_read_however_it_is_laid_out(encoded: str):
    expected = Reply(b"\x89PNG\xff\xfe" * 30, "stop", 11, 5)
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    url = encoded if encoded[:5].lower() == "data:" else f"data:,{encoded}"
    for sent in ({"b64_json": encoded}, {"b64_json": encoded, "url": "http://elsewhere"}, encoded, {"url": url}):
        assert protocol.read_reply(PAINT, model(), orjson.dumps({"data": [sent], "usage": usage})) == expected
    for message in (
        {"content": None, "images": [encoded]},
        {"content": "", "images": [None, {"image_url": url}]},
        {"content": ["Here it is", {"type": "image_url", "image_url": url}]},
        {"content": [{"type": "text", "text": None}, image(url)]},
    ):
        assert protocol.read_reply(PAINT, CHATTING, said(message)) == expected
    vector = np.array([0.5, -1e-3, 3e7], np.float32)
    laid_out = encoded.replace(PNG, pack_vector(vector).decode())
    if laid_out != encoded:
        data = orjson.dumps({"data": [{"embedding": laid_out}]})
        assert protocol.read_reply(Embed("x"), model(), data) == Reply(pack_vector(vector))


@pytest.mark.parametrize("encoded", [PNG[:-1], "é" + PNG, 1])
def test_what_is_no_base64_or_cut_off_is_none(encoded: Any):
    with pytest.raises(ValueError, match=r"^unreadable: "):
        protocol.read_reply(PAINT, model(), orjson.dumps({"data": [{"b64_json": encoded}]}))


@pytest.mark.parametrize(
    "change",
    [
        {"usage": "a lot"},
        {"usage": {"prompt_tokens": "12", "completion_tokens": {"text": 5}}},
        {"id": None, "model": 5, "created": "now", "object": [], "error": None, "system_fingerprint": {}},
        {"choices": [{"message": {"content": "{}"}, "finish_reason": 5, "index": "first", "logprobs": "none"}]},
        {"choices": [{"message": {"content": "{}", "refusal": [], "images": "none", "tool_calls": 3}}]},
        {"choices": [{"message": {"content": "{}", "images": {"a": 1}, "role": None}}, None, "more"]},
        {"choices": [{"message": {"content": ["{", "}"]}}]},
        {"choices": [{"message": {"content": [{"text": None}, {"text": "{}"}, {"image_url": 5}]}}]},
    ],
)
def test_what_is_not_needed_loses_no_answer(change: dict[str, Any]):
    sent = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]} | change
    assert protocol.read_reply(CHAT, model(), orjson.dumps(sent)) == Reply(b"{}")


def test_a_choice_without_a_message_loses_no_picture():
    choices = [None, {"message": None}, {"message": {"content": [image()]}, "finish_reason": 5}]
    assert protocol.read_reply(PAINT, CHATTING, orjson.dumps({"choices": choices})) == Reply(b"\x89PNG")


@pytest.mark.parametrize("data", ["\ufeff{}", " \n{}\n"])
@pytest.mark.parametrize("more", ["", '"logprobs": [-Infinity, NaN], '])
def test_json_is_read_as_servers_write_it(data: str, more: str):
    body = f'{{{more}"choices": [{{"message": {{"content": "坏"}}}}]}}'
    assert protocol.read_reply(CHAT, model(), data.replace("{}", body).encode()) == Reply("坏".encode())
    wrong = data.replace("{}", '{"error": {"message": "boom", "code": "model_not_found"}}')
    said = read_complaint(wrong.encode())
    assert said == Complaint("boom", frozenset({"model_not_found"}), frozenset(), "boom")


def test_embeddings_come_as_base64_or_as_floats():
    vector = np.array([0.5, -1.0, 0.1], np.float32)
    for sent in (pack_vector(vector).decode(), vector.tolist(), [0.5, -1, 0.1]):
        data = orjson.dumps({"data": [{"embedding": sent}], "usage": {"prompt_tokens": 3}})
        reply = protocol.read_reply(Embed("x"), model(), data)
        assert reply == Reply(pack_vector(vector), "stop", 3)
        assert np.array_equal(unpack_vector(reply.content), vector)


@pytest.mark.filterwarnings("error")
def test_an_embedding_that_no_float32_can_hold_is_none():
    with pytest.raises(ValueError, match="unreadable"):
        protocol.read_reply(Embed("x"), model(), b'{"data": [{"embedding": [1e300, 1]}]}')


@pytest.mark.parametrize(
    ("tokens", "counted"), [(7, 7), (7.0, 7), (-1, 0), (1e308, 2**31 - 1), (2**63, 2**31 - 1), ("7", 0), (None, 0)]
)
def test_tokens_are_counted_as_tables_keep_them(tokens: Any, counted: int):
    data = orjson.dumps({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": tokens}})
    assert protocol.read_reply(CHAT, model(), data).input_tokens == counted


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xff\xfe", b"", b"[]", b"null", b'{"choices": []}'])
@pytest.mark.parametrize("request_", [CHAT, PAINT, TOLD, Embed("x")])
def test_what_is_no_answer_is_a_value_error_with_words(data: bytes, request_: Request):
    with pytest.raises(ValueError, match=r"^(no JSON|unreadable): "):
        protocol.read_reply(request_, CHATTING, data)
