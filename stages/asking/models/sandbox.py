"""The embedded world as a model: its answers are computed in worker processes, one a core, or in one thread."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import signal
import threading
import zlib
from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import orjson

from stages.asking.requests import Chat, Paint, Reply, Request, fields_of, pictures_of
from stages.project.errors import ModelDied
from stages.project.model_kinds import SandboxModel as Parameters
from stages.project.settings import Endpoint

MOST_WORKERS = 8
"""Each takes about 300 MB."""


class SandboxModel:
    """Answers by rules on scenes. Its revision is the hash of the world's own files."""

    by_record = False

    def __init__(self, parameters: Parameters, endpoint: Endpoint) -> None:
        workers = endpoint.concurrency or min(usable_cores(), MOST_WORKERS)
        self.identity = identity(parameters)
        self.faults = dict(parameters.faults)
        self.turns = itertools.count()
        self.concurrency = 2 * workers  # one being answered and one waiting for each worker
        self.workers = [worker_process() for _ in range(workers)] if workers > 1 else [ThreadPoolExecutor(1)]

    async def answer(self, request: Request) -> Reply:
        """Answer in a worker process."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.worker_for(request), answer, request, self.faults)
        except BrokenProcessPool:
            raise ModelDied("a worker of the embedded world died (out of memory?): run it again to go on") from None

    def worker_for(self, request: Request) -> Executor:
        """The worker for a request: always the same for the same image, which it then looks at only once."""
        pictures = pictures_of(request) if isinstance(request, Chat) else []
        mark = zlib.crc32(pictures[0]) if pictures else next(self.turns)
        return self.workers[mark % len(self.workers)]

    async def close(self) -> None:
        """End the workers."""
        for worker in self.workers:
            worker.shutdown(cancel_futures=True)


def identity(parameters: Parameters) -> Mapping[str, Any]:
    """See `kinds.identity`."""
    from stages.sandbox.answers import revision

    return {
        "id": "gamut-sandbox",
        "revision": revision(),
        "numerics": "",
        "sampling": {"faults": dict(parameters.faults)},
    }


def usable_cores() -> int:
    """Processor cores that this process may use (in a container fewer than the machine has)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_process() -> Executor:
    """A process that answers; it takes about a second to start, which one alone would not make good."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=follow_parent)


def follow_parent() -> None:
    """End this worker when its parent process is gone, however it went; Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def answer(request: Request, faults: Mapping[str, float]) -> Reply:
    """Answer one request as the world would: a pure function of request and fault rates."""
    from stages.sandbox import answers

    assert isinstance(request, Chat | Paint)  # params.yaml gives it no other role
    seed = request.seed + request.sample
    try:
        if isinstance(request, Chat):
            return Reply(orjson.dumps(answers.answer(request.name, fields_of(request), pictures_of(request), seed)))
        return Reply(answers.paint_prompt(request.prompt, request.width, request.height, seed, faults))
    except answers.Unsupported as cause:
        return Reply(str(cause).encode(), "unsupported")
