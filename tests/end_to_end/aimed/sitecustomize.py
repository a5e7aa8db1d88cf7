"""Loaded by every Python that starts with this folder on its path: kills its process group in the middle of a write.

GAMUT_TEST_KILL is `PART NTH SHARE`: at the NTH time that this process opens a file for writing whose path has PART in
it, everything dies when that SHARE of what stood there before has been written; with a SHARE below 0, before it opens.
"""

import builtins
import os
import signal
from typing import Any

part, nth, share = os.environ["GAMUT_TEST_KILL"].split(" ")
plainly, opened = builtins.open, 0


def die() -> None:
    os.killpg(0, signal.SIGKILL)


class Torn:
    """A text file that is written up to a length, and no further."""

    def __init__(self, file: Any, length: int) -> None:
        self.file, self.left = file, length

    def write(self, text: str) -> int:
        if len(text) < self.left:
            self.left -= len(text)
            return self.file.write(text)
        self.file.write(text[: self.left])
        self.file.flush()
        die()
        return 0

    def close(self) -> None:
        die()  # it turned out shorter than before

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_or_die(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
    global opened
    if "w" in mode and part in str(file):
        opened += 1
        if opened == int(nth):
            if float(share) < 0:
                die()
            length = os.path.getsize(file) if os.path.exists(file) else 0
            return Torn(plainly(file, mode, *rest, **named), int(length * float(share)))
    return plainly(file, mode, *rest, **named)


builtins.open = open_or_die
