"""How far long work has come, how fast it is, and how long the rest takes, in a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from stages.asking.progress import duration

SECONDS_BETWEEN_LINES = 10.0


class Pace:
    """Counts what is done of something, and says so at most every ten seconds: `release: 1,200 of 5,000 rows, 85.0/s,
    45 s left`.
    """

    def __init__(self, what: str, total: int, things: str, say: Callable[[str], None] | None = None) -> None:
        self.what, self.total, self.things = what, total, things
        self.say = say or partial(print, file=sys.stderr, flush=True)
        self.done = 0
        self.started = self.said = time.monotonic()

    def moved(self, count: int = 1) -> None:
        self.done += count
        now = time.monotonic()
        if now - self.said < SECONDS_BETWEEN_LINES:
            return
        self.said = now
        rate = max(self.done, 1) / (now - self.started)
        left = duration(max(self.total - self.done, 0) / rate)
        self.say(f"{self.what}: {self.done:,} of {self.total:,} {self.things}, {rate:,.1f}/s, {left} left")
