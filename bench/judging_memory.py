"""The memory of a stage that judges pictures over HTTP: 2,000 answers of four pictures of 1 MB each, 256 in flight.

    python bench/judging_memory.py          # three minutes, and 9 GB of disk
    python bench/judging_memory.py --answers 3 --kilobytes 8 --in-flight 2 --seconds 0.1

The stub, a process of its own, reads what it is sent without keeping it, and answers after some seconds, so that as
many requests as may be are in flight. The judging process reads the answers by the reader that stages use, asks one
question about all pictures of an answer, keeps replies and writes a table. Its largest resident set, the most requests
that were in flight at once, and the seconds stand in the last line, as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

ANSWERS, JUDGMENTS = Path("answers"), Path("judgments")
VERDICT = '{"score": 7}'
DISTINCT = 8
"""Pictures that are drawn; each that is asked about has a density of its own, and so a digest."""


async def serve(seconds: float) -> None:
    """Answer until standard input ends; print the port first, and calls and the most of them in flight last."""
    from aiohttp import web

    calls, now, most = 0, 0, 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal calls, now, most
        calls, now = calls + 1, now + 1
        most = max(most, now)
        async for _ in request.content.iter_any():
            pass
        await asyncio.sleep(seconds)
        now -= 1
        message = {"role": "assistant", "content": VERDICT}
        return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()
    print(json.dumps([calls, most]))


def noise(kilobytes: int, seed: int) -> bytes:
    """A JPEG of noise of about this size: at quality 95 a pixel takes about 1.2 bytes."""
    import numpy as np
    from PIL import Image

    setting = max(16, round((kilobytes * 1000 / 1.18) ** 0.5))
    out = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (setting, setting, 3), np.uint8)
    Image.fromarray(pixels).save(out, "JPEG", quality=95)
    return out.getvalue()


def numbered(picture: bytes, number: int) -> bytes:
    """A JPEG with a number in the place of its density (JFIF): judges are sent no other metadata."""
    return picture[:14] + number.to_bytes(4) + picture[18:]


def write_answers(answers: int, pictures: int, kilobytes: int) -> None:
    """A table of answers, each of some pictures."""
    from gamut.evaluation.running.answers import SCHEMA, part_of, rows_to_answer
    from gamut.tables.reading import cut_into_slices
    from gamut.tables.writing import TableWriter

    drawn = [noise(kilobytes, seed) for seed in range(DISTINCT)]
    with TableWriter(ANSWERS, SCHEMA) as table:
        for shard, rows in rows_to_answer([str(number) for number in range(answers)], ["en"]).items():
            for name, _, group in cut_into_slices(shard, rows):
                full = []
                for row in group:
                    first = int(row["item"]) * pictures
                    made = [numbered(drawn[n % DISTINCT], first + n + 1) for n in range(pictures)]
                    full.append(row | {"parts": [part_of(one) for one in made], "status": "ok", "replies": []})
                table.write(name, full)
    print(sum(map(len, drawn)) // DISTINCT)


def judge(url: str, in_flight: int) -> None:
    """Judge all answers, and print the largest resident set in MB and the seconds."""
    from pydantic import BaseModel

    from gamut.asking.job import Job
    from gamut.asking.outcomes import Conversation
    from gamut.asking.questions import AskedQuestion, Question, json_schema
    from gamut.asking.requests import Chat, Message
    from gamut.asking.run import ask
    from gamut.asking.visiting import Answer
    from gamut.evaluation.running.answers import answer_of
    from gamut.evaluation.running.judging import SCHEMA, judgment_row
    from gamut.project.model_kinds import OpenAIModel
    from gamut.project.roles import RoleModel
    from gamut.tables.columns import Row
    from gamut.tables.reading import manifest, read_shard, shard_names

    class Score(BaseModel):
        score: int

    question = Question("compare", "You compare pictures.", "How much alike are they?", Score)
    shown = answer_of(ANSWERS)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        parts = (f"{question.opening}\n", *shown(record), f"{question.instruction}\n")
        [found] = yield [AskedQuestion(question, {}, Chat("compare", (Message("user", parts),), json_schema(Score), 0))]
        return [judgment_row(record, "alike", found, None if found.value is None else found.value.score, None)]

    def records(shard: str) -> Iterator[Row]:
        yield from read_shard(ANSWERS, shard, ["id", "item", "setting", "sample"])

    Path("run.toml").write_text(f'[models.stub]\nurl = "{url}"\nconcurrency = {in_flight}\n')
    began = time.monotonic()
    ask(
        Job(
            "judge",
            RoleModel("judge", "stub", OpenAIModel(kind="openai", id="stub")),
            shards=shard_names(ANSWERS),
            records=records,
            total=int(manifest(ANSWERS)["rows"]),
            visit=visit,
            schema=SCHEMA,
            folder=JUDGMENTS,
            max_failures=0,
        )
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([round(peak), round(time.monotonic() - began, 1)]))


def child(kind: str, *arguments: str) -> None:
    if kind == "stub":
        asyncio.run(serve(float(arguments[0])))
    elif kind == "write":
        write_answers(*map(int, arguments))
    else:
        judge(arguments[0], int(arguments[1]))


def measured(options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """Write the answers, start the stub, judge them."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child"]

    def run(*arguments: object) -> str:
        done = subprocess.run(
            [*command, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE, check=True
        )
        return done.stdout.splitlines()[-1]

    size = int(run("write", options.answers, options.pictures, options.kilobytes))
    stub = [*command, "stub", str(options.seconds)]
    with subprocess.Popen(stub, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        peak, seconds = json.loads(run("judge", url, options.in_flight))
        calls, most = json.loads(process.communicate("")[0])
    return {
        "answers": options.answers,
        "pictures": options.pictures,
        "picture_bytes": size,
        "calls": calls,
        "most_in_flight": most,
        "peak_mb": peak,
        "seconds": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--pictures", type=int, default=4, help="of an answer")
    parser.add_argument("--kilobytes", type=int, default=1000, help="of a picture")
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=3.0, help="that the stub takes for an answer")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measured(options, folder)))


if __name__ == "__main__":
    main()
