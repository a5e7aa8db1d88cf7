"""Lines that a person reads in a terminal: broken between words, never within one that fits."""

from __future__ import annotations

import shutil
import sys
import textwrap

BEGINS = "`gamut try 3` tries it with a few records, `dvc repro` builds it"
"""What follows when everything is in place."""


def fitted(text: str) -> str:
    """Return a text as it is, or for a terminal with lines of no more than its width where words allow it, what is
    broken off further indented.
    """
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(in_lines(line, width) for line in text.split("\n"))


def in_lines(line: str, width: int) -> str:
    """Return a line as lines of at most so many characters where its words allow it."""
    further = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)
