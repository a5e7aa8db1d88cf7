"""The runner against a bare pyarrow loop with the same trivial in-process answer, in one run.

    python bench/pipeline.py                    # 200,000 texts and 20,000 images of 20 KB
    python bench/pipeline.py --texts 20000 --images 2000

Each figure is taken in a process of its own. The last line is JSON: microseconds per text record above the loop, time
ratio on images, and peak memory at all rows over that at a tenth of them. Aims: 50 microseconds, and twice the time.
`floor` is the same for what no runner could leave out, one record after the other: the visit with its fingerprint and
parser, the reply in the journal, the table with its provenance and digests, the journals compacted. On a machine that
others use, processor time (`--cpu`) says more than the time on the clock.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from gamut.asking.job import Job
from gamut.asking.limits import Limits
from gamut.asking.making import Painting
from gamut.asking.outcomes import Conversation
from gamut.asking.progress import Tally
from gamut.asking.questions import Question
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Paint, Reply, Request
from gamut.asking.run import ask_model
from gamut.asking.visiting import Answer, follow
from gamut.project.budgets import Budget
from gamut.project.model_kinds import OpenAIModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint
from gamut.tables.columns import ASKED, IMAGE, ROWS_PER_SLICE, Row, make_id, place
from gamut.tables.reading import shard_names, shard_rows, slices
from gamut.tables.writing import TableWriter

IMAGE_BYTES = 20_000
TEXTS = pa.schema([pa.field("id", pa.string()), pa.field("caption", pa.string())])
TEXT_OUT = pa.schema([pa.field("id", pa.string()), pa.field("words", pa.int32()), *ASKED])
IMAGE_OUT = pa.schema([pa.field("id", pa.string()), pa.field("image", IMAGE), *ASKED])


class Words(BaseModel):
    words: int


COUNT = Question("count_words", "You count words.", "How many words has the caption?", Words)


JUDGE = RoleModel("judge", "trivial", OpenAIModel(kind="openai", id="trivial"))


class Trivial:
    """Answers at once: a word count in JSON, or 20 KB of bytes made from the seed."""

    identity: ClassVar[dict[str, object]] = {"id": "trivial", "revision": "", "numerics": "", "sampling": {}}
    concurrency = 16
    by_record = False

    async def answer(self, request: Request) -> Reply:
        return answer(request)

    async def close(self) -> None:
        pass


def answer(request: Request) -> Reply:
    return Reply(picture(request.seed) if isinstance(request, Paint) else b'{"words": 9}')


def picture(seed: int) -> bytes:
    """A PNG as far as its header tells, which is all of a picture that the runner looks at."""
    return HEADER + random.Random(seed).randbytes(IMAGE_BYTES - len(HEADER))


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


HEADER = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 512, 512, 8, 2, 0, 0, 0))
HEADER += struct.pack(">I", IMAGE_BYTES) + b"IDAT"


def text_visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    [answer] = yield [COUNT.about({"caption": record["caption"]})]
    return [{"id": record["id"], "words": answer.value.words, **answer.columns()}]


def image_visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    [answer] = yield [Painting(Paint(record["caption"], 512, 512, int(record["id"][-8:])), lambda data: data)]
    return [{"id": record["id"], "image": {"bytes": answer.value, "path": None}, **answer.columns()}]


def run(kind: str, rows: int, folder: Path) -> None:
    visit, schema = (text_visit, TEXT_OUT) if kind == "text" else (image_visit, IMAGE_OUT)
    limits = Limits(Tally(f"bench_{kind}", rows), 0, Budget(folder), Endpoint(), "judge (trivial)")
    records = partial(shard_rows, folder / "in")
    asked = rows, visit, schema, folder / "out", 0
    ask_model(Trivial(), Job(f"bench_{kind}", JUDGE, shard_names(folder / "in"), records, *asked), limits)


def floor(kind: str, rows: int, folder: Path) -> None:
    """What no runner could leave out, without any concurrency, limits or progress."""
    visit, schema = (text_visit, TEXT_OUT) if kind == "text" else (image_visit, IMAGE_OUT)
    store, model = StageReplies(folder / "store", f"bench_{kind}"), Trivial()
    with TableWriter(folder / "out", schema) as table:
        for shard, of_shard in itertools.groupby(slices(folder / "in"), key=lambda work_slice: work_slice[0]):
            for _, number, records in of_shard:
                replies = store.slice(shard, number)
                out: list[Row] = []
                for record in records:
                    visiting = follow(visit, record, model, replies.replies.get)
                    [(mark, request)] = next(visiting).items()
                    replies.add(mark, answer(request))
                    try:
                        next(visiting)
                    except StopIteration as end:
                        out += end.value
                replies.close()
                table.write(shard, out)
            store.compact(shard)


def loop(kind: str, rows: int, folder: Path) -> None:
    """The bare loop: read a row group, answer each row, write a row group."""
    fields = TEXT_OUT if kind == "text" else IMAGE_OUT
    schema = pa.schema(list(fields)[:2])
    folder.joinpath("out").mkdir()
    for path in sorted(folder.glob("in/*.parquet")):
        file = pq.ParquetFile(path)
        with pq.ParquetWriter(folder / "out" / path.name, schema) as writer:
            for group in range(file.num_row_groups):
                out = []
                for row in file.read_row_group(group).to_pylist():
                    if kind == "text":
                        out.append({"id": row["id"], "words": json.loads(b'{"words": 9}')["words"]})
                    else:
                        out.append({"id": row["id"], "image": {"bytes": picture(int(row["id"][-8:])), "path": None}})
                writer.write_table(pa.Table.from_pylist(out, schema=schema))


def make_input(rows: int, folder: Path) -> None:
    with TableWriter(folder, TEXTS) as table:
        for start in range(0, rows, ROWS_PER_SLICE):
            ids = [make_id("bench", ordinal) for ordinal in range(start, min(start + ROWS_PER_SLICE, rows))]
            table.write(
                place(ids[0])[0], [{"id": i, "caption": f"nine words about the thing that is called {i}"} for i in ids]
            )


def measure(way: str, kind: str, rows: int, cpu: bool) -> tuple[float, float]:
    """Seconds and peak MB of one way in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="gamut-bench-") as name:
        make_input(rows, Path(name) / "in")
        command = [sys.executable, __file__, "--child", way, kind, str(rows), name, *["--cpu"] * cpu]
        environment = os.environ | {"GAMUT_STORE": f"{name}/store"}
        lines = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.splitlines()
        seconds, megabytes = json.loads(lines[-1])
        print(f"{way} {kind} {rows:,}: {seconds:.2f} s, {megabytes:.0f} MB", flush=True)
        return seconds, megabytes


def child(way: str, kind: str, rows: int, folder: Path, cpu: bool) -> None:
    clock = time.process_time if cpu else time.perf_counter
    start = clock()
    {"run": run, "floor": floor, "loop": loop}[way](kind, rows, folder)
    seconds = clock() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=200_000)
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--cpu", action="store_true", help="processor time instead of the time on the clock")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        way, kind, rows, folder = options.child
        child(way, kind, int(rows), Path(folder), options.cpu)
        return
    texts, images, cpu = options.texts, options.images, options.cpu
    text_loop, _ = measure("loop", "text", texts, cpu)
    text_floor, _ = measure("floor", "text", texts, cpu)
    _, text_tenth_peak = measure("run", "text", texts // 10, cpu)
    text_run, text_peak = measure("run", "text", texts, cpu)
    image_loop, _ = measure("loop", "image", images, cpu)
    image_floor, _ = measure("floor", "image", images, cpu)
    _, image_tenth_peak = measure("run", "image", images // 10, cpu)
    image_run, image_peak = measure("run", "image", images, cpu)
    figures = {
        "texts": texts,
        "microseconds_per_text_above_loop": round((text_run - text_loop) / texts * 1e6, 1),
        "floor_microseconds_per_text": round((text_floor - text_loop) / texts * 1e6, 1),
        "images": images,
        "image_time_ratio": round(image_run / image_loop, 2),
        "floor_image_time_ratio": round(image_floor / image_loop, 2),
        "text_peak_ratio_10x": round(text_peak / text_tenth_peak, 2),
        "image_peak_ratio_10x": round(image_peak / image_tenth_peak, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
