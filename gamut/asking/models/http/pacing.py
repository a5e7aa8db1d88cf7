"""Decides how many requests each server of a pool gets at once, and how long a server gets none.

A limit doubles after every clean window (as many good answers as the limit) up to the last good level, then grows by
steps. It shrinks once per trouble. A server that answers nothing gets one request at a time, with pauses.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from random import Random

FIRST_LIMIT = 20
SHRINK = 0.8
STEPS = 32  # additive growth goes from nothing to the most in this many windows
DEAD_AFTER = 3  # so many failures in a row, and as many as the limit, mean that the server answers nothing
FIRST_PAUSE, LAST_PAUSE = 0.25, 4.0  # seconds between requests to a server that answers nothing: about, doubling
LAST_PAUSE_WHEN_BUSY = 60.0  # and to one that reports too many requests; some count requests that they reject
LONGEST_PAUSE = 600.0  # seconds; a server that asks for a longer one gets this one
FEW_REQUESTS = 3  # requests; one or two rejections may be caused by the requests
REJECTIONS = 5  # in a row, which take a second or two with their pauses: longer than a short fault, as at a restart


@dataclass(eq=False)
class Server:
    """One address: its limit on requests in flight, and how it has answered in this run.

    `era` counts how often the limit has shrunk: requests from an earlier era say nothing about this limit.
    """

    url: str
    most: int
    limit: int = field(init=False)
    in_flight: int = 0
    era: int = 0
    window: int = 0  # good answers since the limit last changed
    clean: int = field(init=False)  # limit of the last clean window
    proven: int = field(init=False)  # the same, as it was when the limit last shrank: doubling ends here
    failures: int = 0  # since the last good answer
    pause: float = 0.0
    opening: asyncio.TimerHandle | None = None  # set while nothing more is sent
    answered: bool = False
    silent: bool = False  # never answered, and waiting for it again would take too long
    down_since: float | None = None  # when requests began to fail, if nothing was answered since
    failed: set[int] = field(default_factory=set)  # which requests failed, a few at most
    busy_since: float | None = None  # when it began to report too many requests, if nothing was answered since
    busy_times: int = 0  # how often it has reported so since
    rejections: int = 0  # since the last answer; of requests that began together only the first counts
    named: bool = False  # reported as one that rejects what others answer

    def __post_init__(self) -> None:
        self.limit = min(FIRST_LIMIT, self.most)
        self.clean = self.proven = self.most

    @property
    def room(self) -> int:
        return 0 if self.opening else self.limit - self.in_flight

    def note_good(self, era: int) -> None:
        """Count a good answer to a request of this era; a clean window raises the limit."""
        self.failures, self.pause = 0, 0.0
        if era != self.era:
            return
        self.window += 1
        if self.window >= self.limit:
            self.clean, self.window = self.limit, 0
            stepped = min(self.limit + max(1, self.most // STEPS), self.most)
            self.limit = min(2 * self.limit, self.proven) if self.limit < self.proven else stepped

    def note_bad(self, era: int) -> None:
        self.failures += 1
        if era != self.era:
            return
        self.era, self.window, self.proven = self.era + 1, 0, self.clean
        if self.failures >= max(self.limit, DEAD_AFTER):
            longest = LAST_PAUSE if self.busy_since is None else LAST_PAUSE_WHEN_BUSY
            self.limit, self.pause = 1, min(max(2 * self.pause, FIRST_PAUSE), longest)
        else:
            self.limit = max(1, int(self.limit * SHRINK))

    def note_up(self) -> None:
        self.down_since = self.busy_since = None
        self.busy_times = 0
        self.failed.clear()
        self.rejections = 0

    def note_busy(self, now: float) -> None:
        since, times = now if self.busy_since is None else self.busy_since, self.busy_times
        self.note_up()
        self.busy_since, self.busy_times = since, times + 1

    def note_down(self, asker: int, now: float) -> None:
        """Note that a request (by its number) got no answer, or an error of the server itself."""
        self.down_since = now if self.down_since is None else self.down_since
        if len(self.failed) < FEW_REQUESTS:
            self.failed.add(asker)

    def note_rejection(self, era: int) -> None:
        self.rejections += era == self.era

    @property
    def rejects(self) -> bool:
        """Return whether this server rejects everything: several rejections in a row, of more than two requests."""
        return self.rejections >= REJECTIONS and len(self.failed) >= FEW_REQUESTS

    def is_gone(self, now: float, seconds: float) -> bool:
        """Return whether at least two requests have failed for this long, and nothing was answered meanwhile."""
        return self.down_since is not None and len(self.failed) > 1 and now - self.down_since >= seconds

    def is_busy(self, now: float, seconds: float) -> bool:
        """Return whether it has reported too many requests for this long, several times, and answered nothing."""
        return self.busy_since is not None and self.busy_times >= FEW_REQUESTS and now - self.busy_since >= seconds


class Pool:
    """Servers that serve the same model, each with at most `most` requests in flight. Belongs to one event loop."""

    def __init__(self, urls: list[str], most: int, chance: Random) -> None:
        self.servers = [Server(url, most) for url in urls]
        self.chance = chance
        self.waiting: deque[tuple[asyncio.Future[tuple[Server, int]], int | None, Collection[Server]]] = deque()

    @property
    def answered(self) -> bool:
        return any(server.answered for server in self.servers)

    @property
    def waits(self) -> bool:
        """Return whether no server answers any more, as more than one request has found."""
        return all(len(server.failed) > 1 for server in self.servers)

    async def enter(self, preferred: int | None = None, avoided: Collection[Server] = ()) -> tuple[Server, int]:
        """Wait for room; return a server and its era, to be given back to `leave`.

        Requests with the same number `preferred` go to the same server where it has room: it may hold their prefix.
        Those `avoided` get the request only if no other has room.
        """
        if server := self._choose(preferred, avoided):  # none waits while there is room
            return self._take(server)
        room: asyncio.Future[tuple[Server, int]] = asyncio.get_running_loop().create_future()
        self.waiting.append((room, preferred, avoided))
        try:
            return await room
        except asyncio.CancelledError:
            if room.done() and not room.cancelled():
                self.leave(*room.result(), None)
            raise

    def leave(self, server: Server, era: int, good: bool | None, after: float = 0.0) -> None:
        """Give room back. `good`: whether the answer was good; None if unknown. `after`: seconds to wait."""
        server.in_flight -= 1
        if good:
            server.note_good(era)
        elif good is not None:
            server.note_bad(era)
            after = max(after, server.pause * self.chance.uniform(0.5, 1))
        if after:
            self._shut(server, min(after, LONGEST_PAUSE))
        if self.waiting:
            self._hand_out()

    def give_up(self, error: Exception) -> None:
        for room, _, _ in self.waiting:
            if not room.done():
                room.set_exception(error)
        self.waiting.clear()

    def _choose(self, preferred: int | None, avoided: Collection[Server]) -> Server | None:
        """Return the preferred server if it has room, else the one with the most room, if any has room."""
        if preferred is not None:
            server = self.servers[preferred % len(self.servers)]
            if server.room > 0 and server not in avoided:
                return server
        server = max(self.servers, key=lambda server: (server.room > 0 and server not in avoided, server.room))
        return server if server.room > 0 else None

    def _take(self, server: Server) -> tuple[Server, int]:
        server.in_flight += 1
        return server, server.era

    def _shut(self, server: Server, seconds: float) -> None:
        """Send nothing for some time, or for an earlier requested time if that is longer."""
        loop = asyncio.get_running_loop()
        if server.opening:
            if server.opening.when() >= loop.time() + seconds:
                return
            server.opening.cancel()
        server.opening = loop.call_later(seconds, self._open, server)

    def _open(self, server: Server) -> None:
        server.opening = None
        self._hand_out()

    def _hand_out(self) -> None:
        while self.waiting:
            room, preferred, avoided = self.waiting[0]
            if not room.done():  # else it has given up
                if (server := self._choose(preferred, avoided)) is None:
                    return
                room.set_result(self._take(server))
            self.waiting.popleft()


SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
PIECE = r"\d+(?:\.\d+)?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)(?![a-z])"
FLAGS = re.IGNORECASE | re.ASCII  # letters of other scripts that count as equal to ours are no units
LENGTH = re.compile(PIECE, FLAGS)
IN_WORDS = re.compile(rf"\b(?:again|retry)\s+(?:in|after)\s+((?:{PIECE}\s?)+)", FLAGS)
"""OpenAI: "Please try again in 6m0s"; Google: "Please retry in 37.5s"; Azure: "Please retry after 20 seconds"."""
AS_FIELD = re.compile(rf'"retryDelay"\s*:\s*"({PIECE})"', re.ASCII)
"""Google's `RetryInfo`, somewhere among the details of an error."""


def wait_seconds(headers: Mapping[str, str], body: bytes) -> float:
    """Return the seconds that a response asks to wait; 0 if it does not.

    `Retry-After` comes first, then the body, then OpenAI's `x-ratelimit-reset-…`, which are longer than necessary.
    """
    if wait := retry_after_seconds(headers.get("Retry-After"), headers.get("Date")):
        return wait
    text = body[:100_000].decode(errors="replace")
    if found := AS_FIELD.search(text) or IN_WORDS.search(text):
        return duration_seconds(found[1])
    used_up = (kind for kind in ("requests", "tokens") if headers.get(f"x-ratelimit-remaining-{kind}") == "0")
    return max((duration_seconds(headers.get(f"x-ratelimit-reset-{kind}", "")) for kind in used_up), default=0.0)


def duration_seconds(text: str) -> float:
    """Return the seconds of "37s", "6m0s", "120ms", "20 seconds", or of a bare number; 0 for any other text."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return sum(piece_seconds(piece) for piece in LENGTH.findall(text))


def piece_seconds(piece: str) -> float:
    number, unit = re.split(r"\s?(?=[a-z])", piece.lower(), maxsplit=1)
    return float(number) * SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]]


def retry_after_seconds(value: str | None, now: str | None = None) -> float:
    """Return seconds that a Retry-After header asks for, a number or an HTTP date; 0 when absent or unreadable.

    A date counts from the server's own clock if its Date header (`now`) is there.
    """
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        then, clock = http_date(value), http_date(now)
        return 0.0 if then is None else max(0.0, then - (time.time() if clock is None else clock))


def http_date(value: str | None) -> float | None:
    try:
        parts = parsedate_tz(value)
        return mktime_tz(parts) if parts else None
    except (ValueError, OverflowError):
        return None
