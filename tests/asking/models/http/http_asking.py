"""The HTTP client and what is asked through it, for all tests that put it before the stub server."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamut.asking.models.http import client as http
from gamut.asking.requests import Chat, Create, Embed, Message, Paint, Picture, Reply, Request
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from tests import fakes
from tests.fakes import jpeg
from tests.stub_server import Act, Say, Stub, stub_server

KEY = "sk-Secret/0123456789+abcdef"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
CHAT = Chat("quality", (Message("user", ("rubric", Picture(b"\xff\xd8jpeg"), "item")),), SCHEMA, seed=7, sample=2)
PAINT = Paint("a red cube", 64, 128, seed=3, sample=1)
PICTURES = (Picture(b"\xff\xd8jpeg"), Picture(b"\r\n--x", "image/png"))
EDIT = Create((*PICTURES, "make it blue"), ("image",), 64, 128, seed=3)
EMBED = Embed("a red cube")
VECTOR = np.array([0.5, -1.0], np.float32)


def model(url: str | list[str] | None, fields: dict[str, Any] | None = None, **endpoint: Any) -> http.HttpModel:
    """A client; `fields` stand in params.yaml, the others in run.toml."""
    parameters = OpenAIModel(kind="openai", id="org/model", revision="r1", **(fields or {}))
    return http.HttpModel("judge (a_judge)", "a_judge", parameters, Endpoint(url=url, **endpoint))


def put(client: http.HttpModel, *requests: Request) -> list[Reply]:
    return fakes.answers(client, *requests)


def ask(
    stub: Stub, request: Request, *script: Act, fields: dict[str, Any] | None = None, known: bool = False, **more: Any
) -> Reply:
    """Put one request to the stub after giving it a script; `known`: the server has answered this client before."""
    stub.script[:] = script
    client = model(stub.url, fields, **more)
    client._pool.servers[0].answered = known
    return put(client, request)[0]


def completion(ended: str | None = "stop", **message: Any) -> Say:
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    return Say(200, {"choices": [{"message": message, "finish_reason": ended}], "usage": usage})


def error(status: int, message: str = "because", **names: str) -> Say:
    return Say(status, {"error": {"message": message, **names}})


def gone_url() -> str:
    """An address where nobody listens."""
    with stub_server(lambda request: Reply(b"")) as gone:
        return gone.url


BOTH = Create(("first", Picture(jpeg()), "second"), ("text", "image"), 64, 128, seed=3)
CHATTING = {"pictures_from": "chat"}
