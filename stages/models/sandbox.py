"""The embedded world as a model: its answers are computed in worker processes, one a core."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import orjson

from stages.errors import UserError
from stages.params import SandboxModel as Parameters
from stages.questions import Chat, Reply, Request, fields_of, pictures_of
from stages.settings import Endpoint


class SandboxModel:
    """Answers by rules on scenes. Its revision is the hash of the world's own files."""

    def __init__(self, parameters: Parameters, endpoint: Endpoint) -> None:
        from stages.sandbox.answers import revision

        workers = endpoint.concurrency or os.cpu_count() or 1
        self.identity: Mapping[str, Any] = {
            "id": "gamut-sandbox",
            "revision": revision(),
            "numerics": "",
            "sampling": {"faults": dict(parameters.faults)},
        }
        self.faults = dict(parameters.faults)
        self.concurrency = 2 * workers  # one being answered and one waiting for each worker
        context = multiprocessing.get_context("spawn")
        self.pool = ProcessPoolExecutor(workers, mp_context=context, initializer=follow_parent)

    async def answer(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.pool, answer, request, self.faults)
        except BrokenProcessPool:
            raise UserError("a worker of the embedded world died (out of memory?): run it again to go on") from None

    async def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)


def follow_parent() -> None:
    """End this worker when its parent process is gone, however it went."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def answer(request: Request, faults: Mapping[str, float]) -> Reply:
    """Answer one request as the world would: a pure function of request and fault rates."""
    from stages.sandbox import answers

    try:
        if isinstance(request, Chat):
            fields = fields_of(request)
            reply = answers.answer(request.name, fields, pictures_of(request))
            return Reply(orjson.dumps(reply))
        seed = request.seed + request.sample
        return Reply(answers.paint_prompt(request.prompt, request.width, request.height, seed, faults))
    except answers.Unsupported as cause:
        return Reply(str(cause).encode(), "unsupported")
