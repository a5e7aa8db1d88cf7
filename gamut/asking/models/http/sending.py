"""Keeps the memory of hundreds of requests in flight small: few bodies exist at once, and none after it is sent.

While requests wait for answers, only their pictures are in memory, without the third that JSON adds.
"""

from __future__ import annotations

import asyncio
import gc
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import Payload
from aiohttp.abc import AbstractStreamWriter

from gamut.asking.requests import Request, pictures_of

MOST_BYTES = 128_000_000  # of all bodies that are built and not yet sent; a larger one is sent alone
PIECE = 1 << 16
FILES_BESIDES = 512  # open files besides connections: journals, tables, libraries
OBJECTS_BETWEEN_LOOKS = 10_000


class Room:
    """Room for bodies, first come first served."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most, self.held = most, 0
        self.turn = asyncio.Lock()
        self.freed = asyncio.Event()

    @asynccontextmanager
    async def for_body(self, size: int) -> AsyncIterator[Callable[[], None]]:
        """Wait for room for so many bytes. Yield a call that gives it back; the end of the block does so too."""
        if size:  # a body without a picture does not wait
            async with self.turn:
                while self.held and self.held + size > self.most:
                    self.freed.clear()
                    await self.freed.wait()
                self.held += size
        left = [size]

        def give_back() -> None:
            if left:
                self.held -= left.pop()
                self.freed.set()

        try:
            yield give_back
        finally:
            give_back()


class Body(Payload):
    """A body that is sent once, piece by piece, and then freed; `sent` is called after that."""

    def __init__(self, data: bytes, sent: Callable[[], None]) -> None:
        super().__init__(data)
        self._size = len(data)
        self.sent = sent

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        pieces, self._value = memoryview(self._value), b""
        for start in range(0, len(pieces), PIECE):
            await writer.write(pieces[start : start + PIECE])
        self.sent()

    async def write(self, writer: AbstractStreamWriter) -> None:
        await self.write_with_length(writer, None)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return bytes(self._value).decode(encoding, errors)


def encoded_size(request: Request) -> int:
    return sum(len(picture) * 4 // 3 for picture in pictures_of(request))


def allow_open_files(count: int) -> None:
    """Raise this process's limit on open files if so many connections need it and the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + FILES_BESIDES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def look_for_garbage_less_often() -> None:
    """Run the garbage collector less often: at 1,024 requests in flight it takes a fifth of all time."""
    gc.set_threshold(max(gc.get_threshold()[0], OBJECTS_BETWEEN_LOOKS), *gc.get_threshold()[1:])
