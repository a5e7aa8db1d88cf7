"""How much is up or down, how fast, and how long the rest takes, in a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from stages.asking.progress import duration
from stages.project.plain_text import amount

SECONDS_BETWEEN_LINES = 10.0
Say = Callable[[str], None]


class Meter:
    """Counts files and bytes that have moved, and says so at most every ten seconds."""

    def __init__(self, files: int, size: int, say: Say) -> None:
        self.files, self.size, self.say = files, size, say
        self.files_done = self.size_done = 0
        self.started = self.said = time.monotonic()

    def moved(self, files: int, size: int) -> None:
        self.files_done += files
        self.size_done += size
        now = time.monotonic()
        if now - self.said < SECONDS_BETWEEN_LINES:
            return
        self.said = now
        rate = max(self.size_done, 1) / (now - self.started)
        self.say(
            f"{self.files_done:,} of {amount(self.files, 'file')}, "
            f"{in_bytes(self.size_done)} of {in_bytes(self.size)}, {in_bytes(rate)}/s, "
            f"{duration((self.size - self.size_done) / rate)} left"
        )


def in_bytes(size: float) -> str:
    """Return a size as `512 B`, `1.2 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.{0 if unit == 'B' else 1}f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
