"""An OpenAI-compatible server for tests: it answers as the embedded world does, or by any function, or with faults.

`with stub_server() as stub:` runs it in a thread; `python -m tests.stub_server --port 0` alone, until interrupted.
Every call is counted and logged; any process reads both with `calls_of(url)`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import multiprocessing
import signal
import threading
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import orjson
from aiohttp import web

from stages.requests import Chat, Message, Paint, Picture, Reply, Request


@dataclass(frozen=True)
class Say:
    """An HTTP response given instead of an answer; a body other than bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Callable[[Request], Reply]
Act = int | Say | Literal["reset", "hang"]
"""What to do with one call: a status, a response, close the connection, or never answer."""


class Call(NamedTuple):
    """One call as logged: `name` is the schema's name or "paint", `digest` the sha256 of the body."""

    path: str
    name: str
    digest: str
    seed: int


@dataclass
class Stub:
    """A running server: `script` is used up before anything is answered; `heard`: the last headers and bodies."""

    script: list[Act]
    latency: float  # seconds added to every call
    url: str = ""
    log: list[Call] = field(default_factory=list)
    heard: deque[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=lambda: deque(maxlen=8))
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> int:
        return len(self.log)

    def enter(self, request: web.Request, data: bytes) -> Act | None:
        """Count and log a call; return what the script says to do with it."""
        body = orjson.loads(data)
        name = "paint" if "prompt" in body else body["response_format"]["json_schema"]["name"]
        with self.lock:
            self.log.append(Call(request.path, name, hashlib.sha256(data).hexdigest(), body["seed"]))
            self.heard.append((dict(request.headers), body))
            return self.script.pop(0) if self.script else None


def calls_of(url: str) -> list[Call]:
    """The log of the server at this address, from any process."""
    with urllib.request.urlopen(f"{url}/calls", timeout=10) as reply:
        return [Call(*call) for call in json.load(reply)]


@contextmanager
def stub_server(
    answer: Answer | None = None,
    faults: Mapping[str, float] | None = None,
    script: Sequence[Act] = (),
    latency: float = 0.0,
    port: int = 0,
    workers: int = 2,
) -> Iterator[Stub]:
    """Run a server in a thread. Without `answer` it answers as the embedded world does with these faults."""
    stub, started = Stub(list(script), latency), Future[Callable[[], object]]()
    pool: Executor = ThreadPoolExecutor(workers)
    if answer is None:
        from stages.models import sandbox  # only now: most tests of clients do without the embedded world

        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), sandbox.follow_parent)
        answer = partial(sandbox.answer, faults=dict(faults or {}))
    thread = threading.Thread(target=lambda: asyncio.run(serve(stub, pool, answer, port, started)), daemon=True)
    thread.start()
    stop = started.result(timeout=30)
    try:
        yield stub
    finally:
        stop()
        thread.join()


async def serve(stub: Stub, pool: Executor, answer: Answer, port: int, started: Future[Callable[[], object]]) -> None:
    """Serve until stopped; `started` gets the function that stops it, callable from any thread."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    app = web.Application(client_max_size=2**28)
    app.router.add_post("/v1/{kind:chat/completions|images/generations}", partial(handle, stub, pool, answer))
    app.router.add_get("/v1/calls", partial(tell, stub))
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
    try:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        started.set_result(lambda: loop.call_soon_threadsafe(stopped.set))
        await stopped.wait()
    except OSError as error:
        started.set_exception(error)
    finally:
        await runner.cleanup()
        pool.shutdown(cancel_futures=True)


async def tell(stub: Stub, request: web.Request) -> web.Response:
    return web.json_response(stub.log)


async def handle(stub: Stub, pool: Executor, answer: Answer, request: web.Request) -> web.Response:
    """Do what the script says, or answer."""
    act = stub.enter(request, data := await request.read())
    await asyncio.sleep(stub.latency)
    if act == "hang" or act == "reset":
        await asyncio.sleep(3600 if act == "hang" else 0)  # cancelled when the client goes away
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if act is None:
        asked = question(orjson.loads(data))
        act = Say(*response(asked, await asyncio.get_running_loop().run_in_executor(pool, answer, asked)))
    elif isinstance(act, int):
        act = Say(act, {"error": {"message": f"scripted {act}"}})
    body = act.body if isinstance(act.body, bytes) else orjson.dumps(act.body)
    return web.Response(status=act.status, body=body, headers=act.headers, content_type="application/json")


def question(body: Mapping[str, Any]) -> Request:
    """Rebuild the request from an HTTP body; its seed is the one sent, which has the sample number in it."""
    if "prompt" in body:
        width, height = (int(side) for side in body["size"].split("x"))
        return Paint(body["prompt"], width, height, body["seed"])
    schema = body["response_format"]["json_schema"]
    messages = tuple(Message(m["role"], tuple(part(p) for p in m["content"])) for m in body["messages"])
    return Chat(schema["name"], messages, schema["schema"], body["seed"])


def part(sent: Mapping[str, Any]) -> str | Picture:
    if sent["type"] == "text":
        return str(sent["text"])
    kind, _, encoded = sent["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return Picture(base64.b64decode(encoded, validate=True), kind)


def response(asked: Request, reply: Reply) -> tuple[int, dict[str, Any]]:
    """Lay a reply out as the protocol does: status and body."""
    refused = reply.finish == "refused"
    ended = "content_filter" if refused else reply.finish
    if reply.finish not in ("stop", "length") and not (refused and isinstance(asked, Chat)):
        status = 500 if reply.finish == "transport_error" else 400
        return status, {"error": {"message": reply.content.decode(), "code": ended}}
    usage = {"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens}
    if isinstance(asked, Paint):
        return 200, {"data": [{"b64_json": base64.b64encode(reply.content).decode()}], "usage": usage}
    message = {"role": "assistant", "refusal" if refused else "content": reply.content.decode()}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage}


def main() -> None:
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server that answers as the embedded world does.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=json.loads, default={}, help='rates as JSON, such as {"blur": 0.1}')
    options = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with stub_server(faults=options.faults, port=options.port) as stub:
        print(stub.url, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
