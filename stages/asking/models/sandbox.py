"""The embedded world as a model: answers are computed in a thread and, if there are many, in processes, one a core.

This is its one door: the build asks here too for rows of a source of it, and for what is true of its pictures.
"""

from __future__ import annotations

import asyncio
import atexit
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import orjson

from stages.asking.models.batches import usable_cores
from stages.asking.requests import Chat, Paint, Reply, Request, fields_of, pictures_of
from stages.project.errors import ModelDied

if TYPE_CHECKING:  # a worker imports this module, and has no use for parameters
    from stages.project.model_kinds import SandboxModel as Parameters
    from stages.project.settings import Endpoint
    from stages.sandbox.legacy import LegacyRow

MOST_WORKERS = 8
"""Each takes about 300 MB."""
SECONDS_ALONE = 1.0
"""What is answered within this time needs no worker processes, which take over half as long to start."""


class SandboxModel:
    """Answers by rules on scenes, in one role. Its revision is the hash of the modules that answer in it."""

    by_record = False

    def __init__(self, parameters: Parameters, endpoint: Endpoint, role: str) -> None:
        self.count = endpoint.concurrency or min(usable_cores(), MOST_WORKERS)
        self.role, self.identity = role, identity(parameters, role)
        self.faults = dict(parameters.faults)
        self.turns = itertools.count()
        self.concurrency = 2 * self.count  # one being answered and one waiting for each worker
        self.opened = time.monotonic()
        self.here = ThreadPoolExecutor(1)
        self.processes: list[ProcessPoolExecutor] = []
        self.starting: list[Future[int]] = []

    async def answer(self, request: Request) -> Reply:
        """Answer in a worker."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.worker_for(request), answer, request, self.faults, self.role)
        except BrokenProcessPool:
            raise ModelDied("a worker of the embedded world died (out of memory?): run it again to go on") from None

    def worker_for(self, request: Request) -> Executor:
        """Return a worker process, always the same for the same image, which it then looks at only once.

        What has no image is answered by this process's thread until there are processes.
        """
        pictures = pictures_of(request) if isinstance(request, Chat) else []
        if self.count == 1:
            return self.here
        if not self.processes and (pictures or time.monotonic() - self.opened > SECONDS_ALONE):
            self.processes, self.starting = start_workers(self.count)
        if not self.processes or not (pictures or all(first.done() for first in self.starting)):
            return self.here
        mark = zlib.crc32(pictures[0]) if pictures else next(self.turns)
        return self.processes[mark % self.count]

    async def close(self) -> None:
        """End the workers."""
        for worker in [self.here, *self.processes]:
            worker.shutdown(cancel_futures=True)


def identity(parameters: Parameters, role: str) -> Mapping[str, Any]:
    """Return what `model_kinds.identity` does of other kinds, with the revision that the world has in this role."""
    return {
        "id": "gamut-sandbox",
        "revision": revision(role),
        "numerics": "",
        "sampling": {"faults": dict(parameters.faults)},
    }


def revision(part: str) -> str:
    """Return what version of a part of the world this is: of a role, of its sources, or of what is known true."""
    from stages.sandbox import revisions

    return revisions.revision(part)


def start_workers(count: int) -> tuple[list[ProcessPoolExecutor], list[Future[int]]]:
    """Return processes that answer, and for each what is done when it has started.

    A spawned process imports the main module of its parent first. None of it is wanted here, and for a stage it takes
    as long as all else that a worker needs: so there is none to be found while they start. Each has one core.
    """
    processes = [
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=follow_parent) for _ in range(count)
    ]
    nothing = patch.multiple(sys.modules["__main__"], create=True, __spec__=None, __file__=None)
    with nothing, patch.dict(os.environ, OPENBLAS_NUM_THREADS="1"):
        return processes, [process.submit(os.getpid) for process in processes]


def follow_parent() -> None:
    """End this worker when its parent process is gone, however it went; Ctrl-C is the parent's to handle.

    It has nothing to put in order at its end: taking down all that it has loaded would last a third of a second.
    """
    atexit.register(os._exit, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def answer(request: Request, faults: Mapping[str, float], role: str) -> Reply:
    """Answer one request as the world would in a role: a pure function of request, fault rates and role."""
    from stages.sandbox.answering import Unsupported

    assert isinstance(request, Chat | Paint)  # params.yaml gives it no other role
    seed = request.seed + request.sample
    try:
        if isinstance(request, Chat):
            answered = answerer(role)(request.name, fields_of(request), pictures_of(request), seed)
            return Reply(orjson.dumps(answered))
        from stages.sandbox.painter import paint_prompt

        return Reply(paint_prompt(request.prompt, request.width, request.height, seed, faults))
    except Unsupported as cause:
        return Reply(str(cause).encode(), "unsupported")


def answerer(role: str) -> Callable[[str, Mapping[str, str], Sequence[bytes], int], Mapping[str, object]]:
    """Return what answers questions in a role."""
    match role:
        case "judge":
            from stages.sandbox.judge import answer
        case "captioner":
            from stages.sandbox.captioner import answer
        case "translator":
            from stages.sandbox.translator import answer
        case _:
            from stages.sandbox.writer import answer
    return answer


def legacy_rows(count: int, seed: int, **of_source: Any) -> Iterator[LegacyRow]:
    """Return the rows of a source of the world; what else it is asked for, see `sandbox.legacy.legacy_rows`."""
    from stages.sandbox.legacy import legacy_rows

    return legacy_rows(count, seed, **of_source)


def picture_truth(prompt: str, seed: int, faults: Mapping[str, float], width: int, height: int) -> Mapping[str, bool]:
    """Return what truly holds of a picture that the world painted, see `sandbox.truth`."""
    from stages.sandbox.truth import picture_truth

    return picture_truth(prompt, seed, faults, width, height)


def alignment_truth(caption: str, prompt: str, seed: int, faults: Mapping[str, float]) -> bool | None:
    """Return whether a caption is true of a picture that the world painted, see `sandbox.truth`."""
    from stages.sandbox.truth import alignment_truth

    return alignment_truth(caption, prompt, seed, faults)
