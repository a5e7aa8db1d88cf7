"""Pictures through `synthesize` and `release`, against bare Pillow, `cp` and sha256 in one run.

    python bench/painting.py                       # about a minute
    python bench/painting.py --pictures 64 --turns 5

A stub paints PNGs of 1024² pixels and some 1.7 MB at once; `synthesize` asks it, keeps the replies, makes JPEGs of
quality 95 without subsampling of them and writes its table. `ratio` is its processor time a picture over that of
Pillow's decoding and encoding alone; `two_threads` the time on the clock with one thread for pictures over that with
two, to be read beside `two_processes`, what Pillow alone gains by a second process at that time; `longest_block_ms` the
longest that a task of the event loop which sleeps four milliseconds was late, and `blocked_ms_a_second` the most that
it was late in any second, all delays of more than 5 ms together: both count what else the machine does too.

`release` then makes a shard of pictures of .58 MB. Each byte goes through sha256 twice, with the rows and with the
file: `hashing_ms_a_mb`. `share_of_cp` is its rate without that over cp's, by processor time;
`share_of_cp_and_hashing` with it, over that of cp with as much hashing. Of `--turns` the best counts. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import pyarrow as pa
from PIL import Image

from gamut.asking.job import job_of_rows
from gamut.asking.limits import Limits
from gamut.asking.progress import Tally
from gamut.asking.requests import Reply, Request
from gamut.asking.run import ask_model
from gamut.dataset.reading.rows import SCHEMA as SOURCE_ROWS
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.dataset.shared.source_blocks import WithSources
from gamut.project.budgets import Budget
from gamut.project.model_kinds import OpenAIModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint
from gamut.tables.columns import make_id
from gamut.tables.writing import write_rows
from stages.dataset import align, annotate, examine, hold_out, originals, release, score, synthesize, translate

PAINTER = RoleModel("painter", "stub", OpenAIModel(kind="openai", id="stub"))
SIDE = 1024
RELEASED = Path("datasets/release/w-00000.parquet")
TICK, BESIDE = 0.004, 0.005
"""Seconds that the task sleeps, and that it may be late without being blocked: threads take turns by as much."""


def painted(seed: int) -> bytes:
    """A picture with some noise, as a PNG."""
    chance = np.random.default_rng(seed)
    large = Image.fromarray(chance.integers(0, 256, (64, 64, 3), dtype=np.uint8)).resize((SIDE, SIDE))
    pixels = np.asarray(large).astype(int) + chance.integers(-3, 4, (SIDE, SIDE, 3))
    return encoded(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)), "PNG")


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def pillow_alone(png: bytes) -> bytes:
    return encoded(Image.open(io.BytesIO(png)).convert("RGB"), "JPEG", quality=95, subsampling=0)


class Painter:
    """Answers at once, and has a task beside it that notes by how much it is late."""

    identity: ClassVar[dict[str, object]] = {"id": "stub", "revision": "", "numerics": "", "sampling": {}}
    concurrency, by_record = 8, False

    def __init__(self, pngs: Sequence[bytes]) -> None:
        self.pngs, self.late = pngs, list[tuple[float, float]]()
        self.ticking: asyncio.Task[None] | None = None

    async def answer(self, request: Request) -> Reply:
        self.ticking = self.ticking or asyncio.create_task(self.tick())
        await asyncio.sleep(0.001)
        return Reply(self.pngs[request.seed % len(self.pngs)])  # type: ignore[union-attr]

    async def tick(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(TICK)
            self.late.append((before, time.monotonic() - before - TICK))

    async def close(self) -> None:
        if self.ticking:
            self.ticking.cancel()

    def blocked(self) -> float:
        """Seconds late within the worst second."""
        seconds = dict[int, float]()
        for when, late in self.late:
            seconds[int(when)] = seconds.get(int(when), 0) + late * (late > BESIDE)
        return max(seconds.values())


def synthesized(pngs: Sequence[bytes], count: int, threads: int) -> tuple[float, float, Painter]:
    """Seconds of processor and clock for `count` new pictures."""
    records = [{"id": make_id("w", number), "prompt": f"picture {number}"} for number in range(count)]
    params = SimpleNamespace(seed=0, synthesize=synthesize.Synthesize(width=SIDE, height=SIDE))
    painter, limits = Painter(pngs), Limits(Tally("synthesize", count), 0, Budget(Path()), Endpoint(), "stub")
    shutil.rmtree("store", ignore_errors=True)
    began = time.process_time(), time.monotonic()
    with mock.patch("gamut.asking.engine.local.usable_cores", lambda: threads), contextlib.redirect_stdout(None):
        asked = synthesize.paint(params), synthesize.SCHEMA, synthesize.STEP.table, 0
        ask_model(painter, job_of_rows("synthesize", PAINTER, {"w-00000": records}, *asked), limits)
    return time.process_time() - began[0], time.monotonic() - began[1], painter


def processes_gain(pngs: Sequence[bytes]) -> float:
    clocks = []
    for processes in (1, 2):
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            list(pool.map(pillow_alone, pngs[:4]))
            began = time.monotonic()
            list(pool.map(pillow_alone, [*pngs, *pngs]))
            clocks.append(time.monotonic() - began)
    return clocks[0] / clocks[1]


def painting(count: int, turns: int) -> dict[str, float]:
    pngs = [painted(seed) for seed in range(8)]
    alone, whole, one, two, gains, longest, blocked = ([] for _ in range(7))
    for _ in range(turns):
        alone.append(processor_time(lambda: [pillow_alone(png) for png in pngs]) / len(pngs))
        one.append(synthesized(pngs, count, 1)[1])
        seconds, clock, painter = synthesized(pngs, count, 2)
        whole.append(seconds / count)
        two.append(clock)
        gains.append(processes_gain(pngs))
        longest.append(max(late for _, late in painter.late))
        blocked.append(painter.blocked())
    return {
        "pillow_ms": round(1000 * min(alone), 1),
        "synthesize_ms": round(1000 * min(whole), 1),
        "ratio": round(min(whole) / min(alone), 3),
        "two_threads": round(max(a / b for a, b in zip(one, two, strict=True)), 2),
        "two_processes": round(max(gains), 2),
        "longest_block_ms": round(1000 * min(longest), 1),
        "blocked_ms_a_second": round(1000 * min(blocked), 1),
    }


def processor_time(call: Callable[[], object]) -> float:
    """Seconds of this process and of those that it waits for."""
    began = sum(os.times()[:4])
    call()
    return sum(os.times()[:4]) - began


def write_tables(count: int, size: int) -> None:
    """Write what `release` reads; every tenth picture is held out."""
    ids, texts = [make_id("w", number) for number in range(count)], (*CHARACTERISTICS, "detail")

    def put(name: str, schema: pa.Schema, rows: Callable[[str], list[dict[str, Any]]]) -> None:
        write_rows(Path("datasets", name), schema, [{"id": row_id} | row for row_id in ids for row in rows(row_id)])

    def of_texts(column: str) -> list[dict[str, Any]]:
        return [{"description": text, column: 40 * "word ", "status": "ok"} for text in texts]

    put("source_rows", SOURCE_ROWS, lambda _: [{"wave": "w", "route": "as_is", "source": "bench"}])
    picture = {"prompt": "p", "status": "ok"}
    put("synthesize", synthesize.SCHEMA, lambda _: [picture | {"image": {"bytes": os.urandom(size), "path": None}}])
    put("examine", examine.STEP.schema, lambda _: [{"score_image_clarity": 9, "score_image_structure": 8}])
    put("score", score.STEP.schema, lambda _: [{f"score_{name}": 5 for name in CHARACTERISTICS}])
    put("align", align.STEP.schema, lambda _: [{"score_original": 7}])
    put("originals", originals.SCHEMA, lambda _: [{"caption": "a word", "kept": True}])
    put("annotate", annotate.STEP.schema, lambda _: of_texts("caption"))
    put("translate", translate.STEP.schema, lambda _: of_texts("caption_cn"))
    put("hold_out", hold_out.SCHEMA, lambda row_id: [{"kept": not row_id.endswith("0")}])


def releasing(count: int, turns: int) -> dict[str, float]:
    write_tables(count, 580_000)
    source = [{"kind": "sandbox", "wave": "w", "count": count}]
    params = WithSources.model_validate({"sources": source})
    copied, hashed, made = [], [], []
    for _ in range(turns):
        with contextlib.redirect_stdout(None):
            made.append(processor_time(lambda: release.STEP.carry_out(params)))
        copied.append(processor_time(lambda: subprocess.run(["cp", RELEASED, "copy"], check=True)))
        hashed.append(2 * processor_time(lambda: hashlib.sha256(RELEASED.read_bytes())))
    size = RELEASED.stat().st_size / 1e6
    return {
        "released_mb": round(size),
        "release_ms_a_mb": round(1000 * min(made) / size, 2),
        "cp_ms_a_mb": round(1000 * min(copied) / size, 2),
        "hashing_ms_a_mb": round(1000 * min(hashed) / size, 2),
        "share_of_cp": round(min(copied) / (min(made) - min(hashed)), 2),
        "share_of_cp_and_hashing": round((min(copied) + min(hashed)) / min(made), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=48, help="that are painted")
    parser.add_argument("--kept", type=int, default=400, help="that are released or held out")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gamut-bench-") as folder, contextlib.chdir(folder):
        os.environ["GAMUT_STORE"] = f"{folder}/store"
        figures = painting(options.pictures, options.turns) | releasing(options.kept, options.turns)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
