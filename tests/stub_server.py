"""An OpenAI-compatible server for tests: it answers by any function, or with faults.

`with stub_server(answer) as stub:` runs it in a thread; every call is counted and logged. Faults come by a script, or
by chance: what happens to a call is decided by the seed, the digest of what was sent, and how often that has come.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import random
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import aiohttp
import numpy as np
import orjson
from aiohttp import web

from gamut.asking.parts import unbundle
from gamut.asking.requests import Chat, Create, Embed, Message, Paint, Part, Picture, Reply, Request


@dataclass(frozen=True)
class Say:
    """An HTTP response given instead of an answer; a body other than bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Fault = Literal[
    "429",
    "429_retry_after",
    "500",
    "502",
    "503",
    "slow_headers",
    "stalled_body",
    "reset",
    "truncated_json",
    "wrong_envelope",
    "wrong_content",
    "markdown",
    "refusal",
    "empty_content",
    "too_large",
    "duplicate_keys",
    "non_utf8",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
Answer = Callable[[Request], Reply]
Act = int | Say | Fault
"""What to do with one call: a status, a response, or a fault; the slow ones never end."""


class Call(NamedTuple):
    """One call as logged: `name` is the schema's name, "chat" without one, "paint", "edit" or "embed"; `digest` the
    sha256 of the body; `fault` what was done instead of answering well, empty for an answer or a script's response."""

    path: str
    name: str
    digest: str
    seed: int
    fault: str


@dataclass
class Stub:
    """A running server: `script` is used up before anything is answered or fails by chance (`failing`: rates).

    `heard`: the last headers and bodies; a form's files stand in its body as pictures under "image[]".
    """

    script: list[Act]
    latency: float  # seconds added to every call
    failing: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    url: str = ""
    log: list[Call] = field(default_factory=list)
    heard: deque[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=lambda: deque(maxlen=8))
    times: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> int:
        return len(self.log)

    def enter(self, request: web.Request, body: dict[str, Any], digest: str) -> Act | None:
        """Count and log a call; return what is to be done with it, None for an answer."""
        with self.lock:
            self.times[digest] += 1
            act = self.script.pop(0) if self.script else self.fate(digest, self.times[digest])
            fault = act if isinstance(act, str) else ""
            self.log.append(Call(request.path, name_of(request.path, body), digest, body.get("seed", 0), fault))
            self.heard.append((dict(request.headers), body))
            return act

    def fate(self, digest: str, time: int) -> Fault | None:
        """What happens to a request when it comes for the first, second, … time."""
        chance = random.Random(f"{self.seed}/{digest}/{time}").random()
        for fault, rate in self.failing.items():
            if chance < rate:
                return fault
            chance -= rate
        return None


def name_of(path: str, body: Mapping[str, Any]) -> str:
    if path.endswith(("/edits", "/embeddings")):
        return "edit" if path.endswith("/edits") else "embed"
    if "prompt" in body or "width" in body:
        return "paint"
    return body.get("response_format", {}).get("json_schema", {}).get("name", "chat")


@contextmanager
def stub_server(
    answer: Answer,
    script: Sequence[Act] = (),
    latency: float = 0.0,
    workers: int = 2,
    failing: Mapping[Fault, float] | None = None,
    seed: int = 0,
) -> Iterator[Stub]:
    """Run a server in a thread."""
    stub, started = Stub(list(script), latency, dict(failing or {}), seed), Future[Callable[[], object]]()
    pool = ThreadPoolExecutor(workers)
    thread = threading.Thread(target=lambda: asyncio.run(serve(stub, pool, answer, started)), daemon=True)
    thread.start()
    stop = started.result(timeout=30)
    try:
        yield stub
    finally:
        stop()
        thread.join()


async def serve(stub: Stub, pool: Executor, answer: Answer, started: Future[Callable[[], object]]) -> None:
    """Serve until stopped; `started` gets the function that stops it, callable from any thread."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    app = web.Application(client_max_size=2**28)
    app.router.add_post(
        "/v1/{kind:chat/completions|images/generations|images/edits|embeddings}", partial(handle, stub, pool, answer)
    )
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
    try:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        started.set_result(lambda: loop.call_soon_threadsafe(stopped.set))
        await stopped.wait()
    except OSError as error:
        started.set_exception(error)
    finally:
        await runner.cleanup()
        pool.shutdown(cancel_futures=True)


async def handle(stub: Stub, pool: Executor, answer: Answer, request: web.Request) -> web.StreamResponse:
    """Do what the script or chance says, or answer."""
    body, digest = await read(request)
    act = stub.enter(request, body, digest)
    await asyncio.sleep(stub.latency)
    if act == "slow_headers" or act == "reset":
        await asyncio.sleep(3600 if act == "slow_headers" else 0)  # cancelled when the client goes away
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if isinstance(act, str) and act.startswith(("4", "5")):
        headers = {"Retry-After": "0.01"} if act == "429_retry_after" else {}
        act = Say(int(act[:3]), {"error": {"message": f"scripted {act}"}}, headers)
    elif isinstance(act, int):
        act = Say(act, {"error": {"message": f"scripted {act}"}})
    if not isinstance(act, Say):
        asked = question(request.path, body)
        reply = await asyncio.get_running_loop().run_in_executor(pool, answer, asked)
        status, said = response(asked, reply, request.path, body)
        if act == "stalled_body":
            return await stall(request, orjson.dumps(said))
        act = Say(status, spoiled(act, said) if act else said)
    data = act.body if isinstance(act.body, bytes) else orjson.dumps(act.body)
    return web.Response(status=act.status, body=data, headers=act.headers, content_type="application/json")


async def read(request: web.Request) -> tuple[dict[str, Any], str]:
    """The fields of a body, JSON or a form, and its digest."""
    if not request.content_type.startswith("multipart/"):
        data = await request.read()
        return orjson.loads(data), hashlib.sha256(data).hexdigest()
    fields: dict[str, Any] = {"image[]": []}
    digest = hashlib.sha256()
    async for part in await request.multipart():
        assert isinstance(part, aiohttp.BodyPartReader)
        data = bytes(await part.read())
        digest.update(str(part.name).encode() + data)
        if part.name == "image[]":
            assert part.filename
            fields["image[]"].append(Picture(data, part.headers["Content-Type"]))
        else:
            fields[str(part.name)] = int(data) if part.name in ("seed", "n") else data.decode()
    return fields, digest.hexdigest()


async def stall(request: web.Request, data: bytes) -> web.StreamResponse:
    """Send half of a body, and nothing more."""
    started = web.StreamResponse(headers={"Content-Length": str(len(data)), "Content-Type": "application/json"})
    await started.prepare(request)
    await started.write(data[: len(data) // 2])
    await asyncio.sleep(3600)  # cancelled when the client goes away
    return started


def spoiled(fault: Fault, said: dict[str, Any]) -> Any:
    """Spoil a right body; what is done to the content of a chat reply leaves other bodies without any."""
    if fault == "truncated_json":
        data = orjson.dumps(said)
        return data[: len(data) // 2]
    if fault == "non_utf8":
        return orjson.dumps(said)[:-1] + b', "note": "\xff\xfe"}'
    if fault == "wrong_envelope":
        return {"object": "list", "answers": [said]}
    if "choices" not in said:
        return {"data": []}
    message = said["choices"][0]["message"]
    if fault == "refusal":
        return said | {"choices": [{"message": {"refusal": "I will not"}, "finish_reason": "stop"}]}
    content = spoiled_content(fault, message.get("content") or "")
    return said | {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}


def spoiled_content(fault: str, content: str) -> str:
    """What a chat reply holds under a fault, instead of this JSON object."""
    return {
        "wrong_content": '{"unexpected": true}',
        "markdown": f"Here it is:\n```json\n{content}\n```",
        "empty_content": "",
        "too_large": "x" * 8_500_000 if fault == "too_large" else "",
        "duplicate_keys": f"{content[:-1]}, {content[1:]}",
    }[fault]


def question(path: str, body: Mapping[str, Any]) -> Request:
    """Rebuild the request from an HTTP body; its seed is the one sent, which has the sample number in it."""
    seed = body.get("seed", 0)
    if "input" in body:
        return Embed(body["input"])
    if "prompt" in body:
        width, height = (int(side) for side in body.get("size", "64x64").split("x"))
        if pictures := body.get("image[]"):
            return Create((*pictures, body["prompt"]), ("image",), width, height, seed)
        return Paint(body["prompt"], width, height, seed)
    messages = tuple(Message(m["role"], tuple(part(p) for p in m["content"])) for m in body["messages"])
    modalities = tuple(body.get("modalities", ["text"]))
    if "image" in modalities:
        return to_make(messages[0].parts, modalities, body.get("width", 64), body.get("height", 64), seed)
    if schema := body.get("response_format", {}).get("json_schema"):
        return Chat(schema["name"], messages, schema["schema"], seed)
    words = messages[-1].parts[-1]
    found = re.search(r"JSON schema:\n(.*)\Z", str(words))
    if found is None:
        return Create(messages[0].parts, ("text",), 0, 0, seed)
    last = Message(messages[-1].role, messages[-1].parts[:-1])
    return Chat("", (*messages[:-1], last), orjson.loads(found[1]), seed)


def to_make(parts: tuple[Part, ...], modalities: tuple[Any, ...], width: int, height: int, seed: int) -> Request:
    """What was asked for over chat: one text for a picture is a `Paint`, as a `Create` of it would be no other."""
    if modalities == ("image",) and len(parts) == 1 and isinstance(parts[0], str):
        return Paint(parts[0], width, height, seed)
    return Create(parts, modalities, width, height, seed)


def part(sent: Mapping[str, Any]) -> str | Picture:
    if sent["type"] == "text":
        return str(sent["text"])
    kind, _, encoded = sent["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return Picture(base64.b64decode(encoded, validate=True), kind)


def response(asked: Request, reply: Reply, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Lay a reply out as the protocol does: status and body."""
    refused = reply.finish == "refused"
    ended = "content_filter" if refused else reply.finish
    if reply.finish not in ("stop", "length") and not (refused and isinstance(asked, Chat)):
        status = 500 if reply.finish == "transport_error" else 400
        return status, {"error": {"message": reply.content.decode(), "code": ended}}
    usage = {"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens}
    if isinstance(asked, Embed):
        floats = np.frombuffer(base64.b64decode(reply.content), "<f4").tolist()
        vector = reply.content.decode() if body.get("encoding_format") == "base64" else floats
        return 200, {"data": [{"index": 0, "embedding": vector}], "usage": usage}
    if isinstance(asked, Paint):
        picture = base64.b64encode(reply.content).decode()
        if not path.endswith("/chat/completions"):
            return 200, {"data": [{"b64_json": picture}], "usage": usage}
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
        message: dict[str, Any] = {"role": "assistant", "content": None, "images": [image]}
    elif isinstance(asked, Create):
        return 200, created(reply, path, ended, usage)
    else:
        message = {"role": "assistant", "refusal" if refused else "content": reply.content.decode()}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage}


def created(reply: Reply, path: str, ended: str, usage: Mapping[str, int]) -> dict[str, Any]:
    """A body with the parts of a reply: in the content, in order, with the thinking beside it; or pictures alone."""
    answer = unbundle(reply.content)
    encoded = [base64.b64encode(picture).decode() for picture in answer.pictures]
    if not path.endswith("/chat/completions"):
        return {"data": [{"b64_json": picture} for picture in encoded], "usage": usage}
    following = iter(encoded)
    content = [
        {"type": "text", "text": one}
        if isinstance(one, str)
        else {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{next(following)}"}}
        for one in answer.parts
    ]
    message = {"role": "assistant", "content": content, "reasoning_content": answer.thinking or None}
    if all(isinstance(one, str) for one in answer.parts):
        message["content"] = "".join(answer.texts)
    return {"choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage}
