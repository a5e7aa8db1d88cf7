"""Asking a chat model over HTTP: gamut against bare aiohttp and the openai SDK, in one run.

    python bench/asking.py                                  # about 6 minutes

All ask the same stub the same questions: it answers after 200 ms and has one core, the client the other, each a process
of its own. Counted are requests/s and CPU time per call once a ramp-up is over, at 64, 256 and 1,024 in flight:

    bare            aiohttp and orjson: the least that can be done, and what all others are compared with
    gamut           gamut's client over HTTP, asked by as many workers; it lets Python look for garbage less often
    runner          a whole stage that asks: fingerprints, reply store, parser, table
    openai          the openai SDK with its own transport, and `openai_aiohttp` with the one over aiohttp

Of `--repeats` turns the best counts, as other work on the machine only ever slows one down; the SDK, far from the rest,
has one turn. Then 200,000 requests at 256 in flight, for gamut and the runner: peak memory after a tenth, a half and
all of them. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# What is not of the standard library is imported by the client that needs it, so that each weighs what it needs.

IN_FLIGHT = (64, 256, 1024)
LEAST, MOST = 4, 16
"""Requests counted for each one in flight: fewer would count waves, and 64 in flight give at most 320/s."""
RAMP_UP = 5
"""Requests for each one in flight that are not counted: connections open, limits that adapt find their level, and the
stub spreads its answers, so that later ones do not come in waves."""
SLOW = ("openai", "openai_aiohttp")
STUB_SECONDS = 0.2
MEMORY_IN_FLIGHT, MEMORY_STUB_SECONDS = 256, 0.02
MODEL = "stub"
OPENING = "You count words."
INSTRUCTION = "How many words has the caption?"
SCHEMA = {
    "type": "object",
    "properties": {"words": {"type": "integer"}},
    "required": ["words"],
    "additionalProperties": False,
}
CONTENT = '{"words": 9}'


def caption(number: int) -> str:
    return f"nine words about the thing that is called {number}"


def format_wanted() -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "count_words", "schema": SCHEMA, "strict": True}}


def body(number: int) -> dict[str, Any]:
    """The request as gamut sends it."""
    texts = [OPENING, INSTRUCTION, f"<caption>\n{caption(number)}\n</caption>"]
    content = [{"type": "text", "text": text} for text in texts]
    messages = [{"role": "user", "content": content}]
    return {"model": MODEL, "seed": 0, "messages": messages, "response_format": format_wanted()}


class Meter:
    """Notes seconds, CPU seconds and peak MB when as many replies as in `marks` have come."""

    def __init__(self, marks: Sequence[int]) -> None:
        self.marks, self.count, self.notes = set(marks), 0, list[tuple[float, float, float]]()

    def reply(self, content: str) -> None:
        if content != CONTENT:
            raise ValueError(f"not the stub's reply: {content}")
        self.count += 1
        if self.count in self.marks:
            used = resource.getrusage(resource.RUSAGE_SELF)
            self.notes.append((time.perf_counter(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))


# The clients: each asks `total` requests, `in_flight` at a time, and tells the meter every reply.


async def by_workers(in_flight: int, total: int, ask: Callable[[int], Awaitable[str]], meter: Meter) -> None:
    numbers = iter(range(total))

    async def work() -> None:
        for number in numbers:
            meter.reply(await ask(number))

    async with asyncio.TaskGroup() as group:
        for _ in range(in_flight):
            group.create_task(work())


async def bare(url: str, in_flight: int, total: int, meter: Meter) -> None:
    import aiohttp
    import orjson

    async def ask(number: int) -> str:
        async with session.post(address, data=orjson.dumps(body(number))) as response:
            data = await response.read()
        response.raise_for_status()
        choice = orjson.loads(data)["choices"][0]
        if choice["finish_reason"] != "stop":
            raise ValueError(choice["finish_reason"])
        return choice["message"]["content"]

    address = f"{url}/chat/completions"
    connector = aiohttp.TCPConnector(limit=in_flight)
    async with aiohttp.ClientSession(connector=connector, headers={"Content-Type": "application/json"}) as session:
        await by_workers(in_flight, total, ask, meter)


async def gamut(url: str, in_flight: int, total: int, meter: Meter) -> None:
    from gamut.asking.models.http.client import HttpModel
    from gamut.asking.requests import Chat, Message, tag_fields
    from gamut.project.model_kinds import OpenAIModel
    from gamut.project.settings import Endpoint

    async def ask(number: int) -> str:
        parts = (OPENING, INSTRUCTION, tag_fields({"caption": caption(number)}))
        reply = await model.answer(Chat("count_words", (Message("user", parts),), SCHEMA, 0))
        return reply.content.decode()

    endpoint = Endpoint(url=url, concurrency=in_flight)
    model = HttpModel("judge (stub)", "stub", OpenAIModel(kind="openai", id=MODEL), endpoint)
    await by_workers(in_flight, total, ask, meter)
    await model.close()


def runner(url: str, in_flight: int, total: int, meter: Meter) -> None:
    import pyarrow as pa
    from pydantic import BaseModel

    from gamut.asking.job import Job
    from gamut.asking.limits import Limits
    from gamut.asking.models.http.client import HttpModel
    from gamut.asking.outcomes import Conversation
    from gamut.asking.progress import Tally
    from gamut.asking.questions import Question
    from gamut.asking.requests import Reply, Request
    from gamut.asking.run import ask_model
    from gamut.asking.visiting import Answer
    from gamut.project.budgets import Budget
    from gamut.project.model_kinds import OpenAIModel
    from gamut.project.roles import RoleModel
    from gamut.project.settings import Endpoint
    from gamut.tables.columns import ASKED, ROWS_PER_SHARD, Row, make_id, place

    class Words(BaseModel):
        words: int

    class Metered(HttpModel):
        async def answer(self, request: Request) -> Reply:
            reply = await super().answer(request)
            meter.reply(reply.content.decode())
            return reply

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        [answer] = yield [question.about({"caption": record["caption"]})]
        return [{"id": record["id"], "words": answer.value.words, **answer.columns()}]

    starts = {place(make_id("bench", start))[0]: start for start in range(0, total, ROWS_PER_SHARD)}

    def records(shard: str) -> Iterator[Row]:
        for number in range(starts[shard], min(starts[shard] + ROWS_PER_SHARD, total)):
            yield {"id": make_id("bench", number), "caption": caption(number)}

    question = Question("count_words", OPENING, INSTRUCTION, Words)
    schema = pa.schema([pa.field("id", pa.string()), pa.field("words", pa.int32()), *ASKED])
    endpoint = Endpoint(url=url, concurrency=in_flight)
    judge = RoleModel("judge", "stub", OpenAIModel(kind="openai", id=MODEL))
    model = Metered("judge (stub)", "stub", judge.model, endpoint)
    with tempfile.TemporaryDirectory(prefix="gamut-bench-") as folder:
        os.environ["GAMUT_STORE"] = f"{folder}/store"
        limits = Limits(Tally("bench_asking", total), 0, Budget(Path(folder)), endpoint, "judge (stub)")
        job = Job("bench_asking", judge, [*starts], records, total, visit, schema, Path(folder) / "out", 0)
        ask_model(model, job, limits)


async def openai(url: str, in_flight: int, total: int, meter: Meter, over_aiohttp: bool = False) -> None:
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async def ask(number: int) -> str:
        reply: Any = await client.chat.completions.create(**body(number))
        return reply.choices[0].message.content

    transport: dict[str, Any] = {"http_client": DefaultAioHttpClient()} if over_aiohttp else {}
    async with AsyncOpenAI(base_url=url, api_key="none", **transport) as client:
        await by_workers(in_flight, total, ask, meter)


async def openai_aiohttp(url: str, in_flight: int, total: int, meter: Meter) -> None:
    await openai(url, in_flight, total, meter, over_aiohttp=True)


CLIENTS: dict[str, Callable[[str, int, int, Meter], Any]] = {
    "bare": bare,
    "gamut": gamut,
    "runner": runner,
    "openai": openai,
    "openai_aiohttp": openai_aiohttp,
}


def ask_as(client: str, url: str, in_flight: int, total: int, marks: Sequence[int]) -> dict[str, Any]:
    """Be one client; return what its meter noted, or why there is no such client here."""
    meter = Meter(marks)
    try:
        asked = CLIENTS[client](url, in_flight, total, meter)
        if asyncio.iscoroutine(asked):
            asyncio.run(asked)
    except (ImportError, RuntimeError) as error:  # a package, or an extra of it
        if client not in SLOW:
            raise
        return {"missing": str(error)}
    return {"notes": meter.notes}


# The stub: no more of HTTP than these clients use, so that it is never what is waited for.


class Stub(asyncio.Protocol):
    calls = 0

    def __init__(self, seconds: float, ramp_up: int) -> None:
        self.seconds, self.ramp_up = seconds, ramp_up

    def connection_made(self, transport: Any) -> None:
        self.transport, self.received = transport, b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head = self.received.find(b"\r\n\r\n")
        if head < 0:
            return
        length = CONTENT_LENGTH.search(self.received, 0, head)
        if length is None:
            raise ValueError(f"a request without its length: {self.received[:head]!r}")
        if len(self.received) >= head + 4 + int(length[1]):  # a client waits for its answer before it sends more
            self.received = b""
            Stub.calls += 1
            spread = random.uniform(0.5, 1.5) if Stub.calls <= self.ramp_up else 1
            asyncio.get_running_loop().call_later(self.seconds * spread, self.transport.write, REPLY)


CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHOICE = {"index": 0, "message": {"role": "assistant", "content": CONTENT}, "finish_reason": "stop"}
USAGE = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35}
COMPLETION = {"id": "1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [CHOICE], "usage": USAGE}
ANSWER = json.dumps(COMPLETION).encode()
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(ANSWER), ANSWER)


async def serve(seconds: float, ramp_up: int) -> None:
    """Answer until standard input ends; print the port first, the calls and the CPU seconds that they took last."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Stub(seconds, ramp_up), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    before = time.process_time()
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps([Stub.calls, time.process_time() - before]))


@contextmanager
def stub(seconds: float, ramp_up: int, core: str) -> Iterator[tuple[str, list[float]]]:
    """A stub's address, and a list that holds its calls and CPU seconds once it has ended."""
    command = [sys.executable, __file__, "--child", core, "stub", str(seconds), str(ramp_up)]
    ended: list[float] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", ended
        ended += json.loads(process.communicate("")[0])


# The measurements.


def cores() -> tuple[str, str]:
    """A core for the stub and one for the client; "" where there is no choice."""
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return (str(allowed[0]), str(allowed[1])) if len(allowed) > 1 else ("", "")


def start(client: str, url: str, core: str, in_flight: int, total: int, marks: Sequence[int]) -> Any:
    arguments = [client, url, str(in_flight), str(total), *map(str, marks)]
    command = [sys.executable, __file__, "--child", core, *arguments]
    paths = {"PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | paths)


def finished(process: Any) -> Any:
    """What a client printed last."""
    out, complaints = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(process.args)}\n{complaints[-2000:]}")
    return json.loads(out.splitlines()[-1])


def speed(client: str, in_flight: int, requests: int, stub_seconds: float) -> dict[str, float] | str:
    """Requests/s, ms of CPU per call, and the calls/s that the stub could have answered; or why not."""
    stub_core, client_core = cores()
    ramp_up = RAMP_UP * in_flight
    marks = [ramp_up, ramp_up + requests]  # those in flight at the end are not counted: all is busy until then
    with stub(stub_seconds, ramp_up, stub_core) as (url, ended):
        said = finished(start(client, url, client_core, in_flight, ramp_up + requests + in_flight, marks))
    if "missing" in said:
        return str(said["missing"])
    (start_seconds, start_cpu, _), (end_seconds, end_cpu, _) = said["notes"]
    calls, stub_cpu = ended
    figures = {
        "per_second": requests / (end_seconds - start_seconds),
        "cpu_ms": (end_cpu - start_cpu) / requests * 1e3,
        "stub_could": calls / stub_cpu,
    }
    print(
        f"{client}, {in_flight:,} in flight: {figures['per_second']:,.0f}/s, {figures['cpu_ms']:.3f} ms of CPU a call; "
        f"the stub could answer {figures['stub_could']:,.0f}/s",
        flush=True,
    )
    return figures


def memory(requests: int) -> dict[str, list[int]]:
    """Peak MB of gamut and of the runner after a tenth, a half and all requests; both at the same time."""
    marks = [requests // 10, requests // 2, requests]
    with stub(MEMORY_STUB_SECONDS, 0, "") as (url, _):
        running = {name: start(name, url, "", MEMORY_IN_FLIGHT, requests, marks) for name in ("gamut", "runner")}
        peaks = {name: [round(note[2]) for note in finished(process)["notes"]] for name, process in running.items()}
    for name, values in peaks.items():
        print(f"{name}: peak MB after {marks} requests: {values}", flush=True)
    return peaks


def child(core: str, kind: str, *arguments: str) -> None:
    if core:
        os.sched_setaffinity(0, {int(core)})
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # 1,024 connections are more than a shell allows
    if kind == "stub":
        seconds, ramp_up = arguments
        asyncio.run(serve(float(seconds), int(ramp_up)))
    else:
        url, in_flight, total, *marks = arguments
        print("\n" + json.dumps(ask_as(kind, url, int(in_flight), int(total), list(map(int, marks)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--requests",
        type=int,
        default=4096,
        help=f"counted in one measurement, within {LEAST} and {MOST} for each one in flight",
    )
    parser.add_argument("--in-flight", type=int, nargs="+", default=IN_FLIGHT)
    parser.add_argument("--stub-seconds", type=float, default=STUB_SECONDS, help="until a request is answered")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory-requests", type=int, default=200_000, help="0: leave the memory out")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    began = time.monotonic()
    turns: dict[tuple[str, int], list[dict[str, float]]] = {}
    missing: dict[str, str] = {}
    for turn in range(options.repeats):
        for in_flight in options.in_flight:
            requests = min(max(options.requests, LEAST * in_flight), MOST * in_flight)
            for client in CLIENTS:
                if client in missing or (client in SLOW and turn):
                    continue
                figures = speed(client, in_flight, requests, options.stub_seconds)
                if isinstance(figures, str):
                    missing[client] = figures
                else:
                    turns.setdefault((client, in_flight), []).append(figures)
    print(json.dumps(summary(turns, missing, options.memory_requests and memory(options.memory_requests), began)))


def summary(
    turns: dict[tuple[str, int], list[dict[str, float]]], missing: dict[str, str], peaks: Any, began: float
) -> dict[str, Any]:
    """The best of all turns, as such and over that of bare aiohttp."""
    best = {
        key: (max(turn["per_second"] for turn in taken), min(turn["cpu_ms"] for turn in taken))
        for key, taken in turns.items()
    }
    figures: dict[str, Any] = dict.fromkeys(missing)
    for (client, in_flight), (per_second, cpu_ms) in best.items():
        bare_per_second, bare_cpu_ms = best["bare", in_flight]
        figures.setdefault(client, {})[in_flight] = {
            "per_second": round(per_second),
            "cpu_ms": round(cpu_ms, 3),
            "per_second_over_bare": round(per_second / bare_per_second, 2),
            "cpu_over_bare": round(cpu_ms / bare_cpu_ms, 2),
        }
    return {
        "clients": figures,
        "missing": missing,
        "stub_could_answer_per_second": round(max(turn["stub_could"] for taken in turns.values() for turn in taken)),
        "peak_mb": peaks or None,
        "minutes": round((time.monotonic() - began) / 60, 1),
    }


if __name__ == "__main__":
    main()
