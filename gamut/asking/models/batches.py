"""A model in this process: requests that wait together are one batch, on one thread; pictures are decoded with care."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from PIL import Image

from gamut.asking.requests import Picture, Reply, Request, parts_of
from gamut.tables.images import scale_down, upright_rgb

Wanted = TypeVar("Wanted")
Given = TypeVar("Given")
Generate = Callable[[Sequence[Request]], Sequence[Reply]]
"""Answers a batch: one reply a request, in order. Raises UserError for what concerns all requests, ModelDied when
nothing more can be answered."""


class Batches(Generic[Wanted, Given]):
    """Calls that wait together are made as one, of at most `most`, on a thread; one at a time, the next fills up."""

    def __init__(self, most: int, make: Callable[[Sequence[Wanted]], Sequence[Given]]) -> None:
        self.most, self.make = most, make
        self.waiting: list[tuple[Wanted, asyncio.Future[Given]]] = []
        self.running: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="model")

    async def call(self, wanted: Wanted) -> Given:
        given: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        self.waiting.append((wanted, given))
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._run())
        return await given

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # whoever asks in this turn of the loop comes along
        while self.waiting:
            waiting = [one for one in self.waiting if not one[1].done()]  # a run that stops gives up waiting
            batch, self.waiting = waiting[: self.most], waiting[self.most :]
            try:
                made = await loop.run_in_executor(self.thread, self.make, [wanted for wanted, _ in batch])
                pairs = list(zip(batch, made, strict=True))
            except Exception as error:  # given to whoever asked, not swallowed
                for _, given in batch:
                    if not given.done():
                        given.set_exception(error)
            else:
                for (_, given), one in pairs:
                    if not given.done():
                        given.set_result(one)

    def close(self) -> None:
        self.thread.shutdown(wait=True, cancel_futures=True)


class BatchedModel:
    """Answers up to `batch` requests at once by `generate`."""

    by_record = False

    def __init__(self, identity: Mapping[str, Any], batch: int, generate: Generate) -> None:
        self.identity, self.batch, self.generate = identity, batch, generate
        self.concurrency = 2 * batch
        self.batches = Batches[Request, Reply](batch, lambda requests: self.generate(requests))

    async def answer(self, request: Request) -> Reply:
        return await self.batches.call(request)

    async def close(self) -> None:
        self.batches.close()


def threaded_model(identity: Mapping[str, Any], threads: int, answer: Callable[[Request], Reply]) -> BatchedModel:
    pool = ThreadPoolExecutor(threads)
    return BatchedModel(identity, threads, lambda requests: list(pool.map(answer, requests)))


def decode_picture(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` of them a side; ValueError saying why they cannot be had."""
    return upright_rgb(scale_down(picture.data, longest) if longest else picture.data)


def answer_pictures(
    requests: Sequence[Request],
    answer: Callable[[Sequence[Request], Sequence[Image.Image]], Sequence[Reply]],
    longest: int | None = None,
) -> list[Reply]:
    """Answer requests that begin with a picture; one whose picture cannot be had fails alone, as `invalid`."""
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
