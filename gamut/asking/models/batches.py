"""A model in this process: requests that wait at the same time are one batch, on one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PIL import Image

from gamut.asking.requests import Picture, Reply, Request, parts_of
from gamut.tables.images import scale_down, upright_rgb

Generate = Callable[[Sequence[Request]], Sequence[Reply]]
"""Answers a batch: one reply for each request, in order. Raises UserError for a problem of all requests, and ModelDied
when the model can answer nothing more."""


class BatchedModel:
    """Answers up to `batch` requests at once with `generate`, one batch at a time; the next one fills meanwhile."""

    by_record = False

    def __init__(self, identity: Mapping[str, Any], batch: int, generate: Generate) -> None:
        self.identity, self.batch, self.generate = identity, batch, generate
        self.concurrency = 2 * batch
        self.waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self.running: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="model")

    async def answer(self, request: Request) -> Reply:
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.waiting.append((request, answered))
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._run())
        return await answered

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # requests of this turn of the loop join the batch
        while self.waiting:
            wanted = [asked for asked in self.waiting if not asked[1].done()]  # a run that stops gives up waiting
            batch, self.waiting = wanted[: self.batch], wanted[self.batch :]
            try:
                replies = await loop.run_in_executor(self.thread, self.generate, [request for request, _ in batch])
                replied = list(zip(batch, replies, strict=True))
            except Exception as error:  # raised where the request was made, not here
                for _, answered in batch:
                    if not answered.done():
                        answered.set_exception(error)
            else:
                for (_, answered), reply in replied:
                    if not answered.done():
                        answered.set_result(reply)

    async def close(self) -> None:
        self.thread.shutdown(wait=True, cancel_futures=True)


def threaded_model(identity: Mapping[str, Any], threads: int, answer: Callable[[Request], Reply]) -> BatchedModel:
    pool = ThreadPoolExecutor(threads)
    return BatchedModel(identity, threads, lambda requests: list(pool.map(answer, requests)))


def decode_picture(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` on a side. Raise ValueError when it cannot be decoded."""
    return upright_rgb(scale_down(picture.data, longest) if longest else picture.data)


def answer_pictures(
    requests: Sequence[Request],
    answer: Callable[[Sequence[Request], Sequence[Image.Image]], Sequence[Reply]],
    longest: int | None = None,
) -> list[Reply]:
    """Answer requests that begin with a picture. If it cannot be decoded, that request alone fails, as `invalid`."""
    replies: dict[int, Reply] = {}
    pictures: dict[int, Image.Image] = {}
    for number, request in enumerate(requests):
        picture = parts_of(request)[0]
        assert isinstance(picture, Picture)  # the roles ask nothing else
        try:
            pictures[number] = decode_picture(picture, longest)
        except ValueError as error:
            replies[number] = Reply(f"the picture {error}".encode(), "invalid")
    if pictures:
        found = answer([requests[number] for number in pictures], list(pictures.values()))
        replies |= zip(pictures, found, strict=True)
    return [replies[number] for number in range(len(requests))]
