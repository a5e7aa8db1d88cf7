"""Progress of long work: a live line in a terminal, otherwise one line a minute."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gamut.project.plain_text import amount, shorten_text

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

SECONDS_BETWEEN_LINES = 60.0
SECONDS_OF_A_PACE = 10.0
WIDTH = 80  # columns that a terminal has at least: a live line that is longer would be two, and grow


COUNTED = ("done", "asked", "failed", "unusable", "cost", "tokens_read", "tokens_written")


@dataclass
class Tally:
    """Counts of what a run has done so far; the runner counts, the display reads."""

    name: str
    total: int
    done: int = 0
    asked: int = 0
    failed: int = 0
    unusable: int = 0
    cost: float = 0.0
    tokens_read: int = 0
    tokens_written: int = 0
    started: float = field(default_factory=time.monotonic)
    done_before: int = 0

    def count_asked(self) -> None:
        """Count a request. The rate counts from the first request, because records with stored replies take no time."""
        if not self.asked:
            self.started, self.done_before = time.monotonic(), self.done
        self.asked += 1

    def add(self, counts: Mapping[str, float]) -> None:
        """Add what another tally has of what COUNTED names."""
        if counts["asked"]:
            self.count_asked()
            self.asked -= 1
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + counts[name])

    def line(self, width: int | None = None) -> str:
        """Return the share done, rate, time left, failures and cost; what does not fit into `width` is left out."""
        elapsed = max(time.monotonic() - self.started, 1e-9)
        rate = (self.done - self.done_before) / elapsed
        done = f": {self.done:,} of {amount(self.total, 'record')}"
        parts = {"asked": f"{self.asked:,} asked", "rate": f"{rate:,.1f}/s"}
        if rate > 0 and self.done < self.total:
            parts["left"] = f"{duration((self.total - self.done) / rate)} left"
        if self.failed:
            parts["failed"] = f"{self.failed:,} failed"
        if self.unusable:
            parts["unusable"] = f"{self.unusable:,} without a usable reply"
        if self.cost:
            parts["cost"] = f"cost {self.cost:,.2f}"
        for least in ("asked", "rate", "unusable", "cost", "failed", "left"):
            text = ", ".join([self.name + done, *parts.values()])
            if width is None or len(text) <= width:
                return text
            parts.pop(least, None)
        return shorten_text(self.name, max(width or 0, len(done) + 8) - len(done)) + done


def duration(seconds: float) -> str:
    """Return seconds as `45 s`, `3 min 20 s` or `5 h 12 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Pace:
    """Prints at most every ten seconds the progress of work without a model: `release: 1,200 of 5,000 rows, 85.0/s,
    45 s left`.
    """

    def __init__(
        self,
        what: str,
        total: int,
        things: str = "",
        say: Callable[[str], None] | None = None,
        shown: Callable[[float], str] = lambda number: f"{round(number, 1):,}",
        before: int = 0,
    ) -> None:
        self.what, self.total, self.things, self.shown = what, total, things, shown
        self.say = say or partial(print, file=sys.stderr, flush=True)
        self.done = self.before = before  # by an earlier run
        self.started = self.said = time.monotonic()

    def moved(self, count: int = 1, note: str = "") -> None:
        self.done += count
        now = time.monotonic()
        if now - self.said < SECONDS_OF_A_PACE:
            return
        self.said = now
        rate = max(self.done - self.before, 1) / (now - self.started)
        left = duration(max(self.total - self.done, 0) / rate)
        of = f"{self.shown(self.done)} of {self.shown(self.total)}{self.things and f' {self.things}'}"
        self.say(f"{self.what}: {of}, {self.shown(rate)}/s, {left} left{note}")


class Progress:
    """Shows a tally while the block runs. The display has its own thread and never slows the work."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.stopped = threading.Event()
        self.live = self._live() if sys.stderr.isatty() else None
        self.thread = threading.Thread(target=self._lines, daemon=True)

    def __enter__(self) -> Progress:
        if self.live:
            self.live.start()
        else:
            self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopped.set()
        if self.live:
            self.live.stop()

    def _live(self) -> Live:
        from rich.console import Console  # only needed where a person watches
        from rich.live import Live

        return Live(get_renderable=self._render, console=Console(stderr=True), transient=True)

    def _render(self) -> Text:
        from rich.text import Text

        return Text(self.tally.line(WIDTH - 1))

    def _lines(self) -> None:
        while not self.stopped.wait(SECONDS_BETWEEN_LINES):
            print(self.tally.line(WIDTH), file=sys.stderr, flush=True)
