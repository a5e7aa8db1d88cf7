"""Runs the embedded world: in a thread and, for many requests, in as many processes as cores."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import sys
import time
import zlib
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from gamut.asking.models.world.sandbox import answer, identity, judging_of, keep_sights, start_worker
from gamut.asking.requests import Reply, Request, pictures_of
from gamut.project.errors import ModelDied
from gamut.project.model_kinds import SandboxModel as Parameters
from gamut.project.places import store_root
from gamut.project.process import usable_cores
from gamut.project.settings import Endpoint

MOST_WORKERS = 8  # each takes about 300 MB
SECONDS_ALONE = 2.0
"""Work that takes less time needs no worker processes, each of which takes over half a second to start."""
HERE = ThreadPoolExecutor(1, thread_name_prefix="world")
"""The one thread in which worlds answer and workers are started: OpenCV changes the module path during its import, and
spawned processes would get the changed path."""


class SandboxModel:
    """Answers by rules on scenes, in one role. Its revision is the hash of the modules that answer in it."""

    by_record = False

    def __init__(self, parameters: Parameters, endpoint: Endpoint, role: str) -> None:
        self.count = endpoint.concurrency or min(usable_cores(), MOST_WORKERS)
        self.role, self.identity = role, identity(parameters, role)
        self.faults, self.judging = dict(parameters.faults), judging_of(parameters)
        self.coupling = parameters.coupling
        self.turns = itertools.count()
        self.store = store_root().absolute()
        self.concurrency = 2 * self.count  # one being answered and one waiting for each worker
        self.began: float | None = None
        self.looks_here: Future[None] | None = None
        self.launch: Future[tuple[list[ProcessPoolExecutor], list[Future[int]]]] | None = None

    async def answer(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        try:
            asked = (request, self.faults, self.role, self.judging, self.coupling)
            return await loop.run_in_executor(self.worker_for(request), answer, *asked)
        except BrokenProcessPool:
            raise ModelDied("a worker of the embedded world died (out of memory?): run it again to go on") from None

    def worker_for(self, request: Request) -> Executor:
        """Return the executor for a request: a thread until there are processes, then one process for each picture."""
        pictures = pictures_of(request)
        self.began = self.began or time.monotonic()
        if self.count > 1 and self.launch is None and time.monotonic() - self.began > SECONDS_ALONE:
            self.launch = HERE.submit(start_workers, self.count, self.store)
        processes, starting = self.launch.result() if self.launch is not None and self.launch.done() else ([], [])
        if not processes or not all(first.done() for first in starting):
            if pictures and self.looks_here is None:
                self.looks_here = HERE.submit(keep_sights, self.store)
            return HERE
        mark = zlib.crc32(pictures[0]) if pictures else next(self.turns)
        return processes[mark % self.count]

    async def close(self) -> None:
        started = self.launch.result()[0] if self.launch is not None else []
        for worker in started:
            worker.shutdown(cancel_futures=True)
        if self.looks_here is not None:
            self.looks_here.result()


def start_workers(count: int, store: Path) -> tuple[list[ProcessPoolExecutor], list[Future[int]]]:
    """Return processes that answer, and for each a future that is done when the process has started.

    A spawned process first imports its parent's main module. For a stage that takes long and is not needed, so the
    module is hidden meanwhile.
    """
    processes = [
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=start_worker, initargs=(store,))
        for _ in range(count)
    ]
    main = vars(sys.modules["__main__"])
    main_names = {name: main.get(name) for name in ("__spec__", "__file__")}
    try:
        main |= dict.fromkeys(main_names)
        return processes, [process.submit(os.getpid) for process in processes]
    finally:
        main |= main_names
