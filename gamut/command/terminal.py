"""Lines for a person at a terminal: they are broken between words, never within a word that fits."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from gamut.project.revisions import WORKSPACE
from gamut.project.staleness import GetCopy, staleness

NEXT_STEPS = "`gamut try 3` tries it with a few records, `dvc repro` builds it"
"""What to do next when nothing is missing."""


def wrapped_text(text: str) -> str:
    """Break a text into lines of the terminal's width; output into a file is not changed."""
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(wrapped_line(line, width) for line in text.split("\n"))


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=str))


def notices_on_stderr(wanted: bool) -> AbstractContextManager[object]:
    """Send what is printed to stderr, so that stdout has only the JSON that follows."""
    return redirect_stdout(sys.stderr) if wanted else nullcontext()


def print_staleness(
    what: str, stages: Sequence[str], at: str = WORKSPACE, get: GetCopy = Path, aside: Collection[str] = ()
) -> None:
    """Warn on stderr, outside any table, that some stages' outputs were not built with these parameters."""
    if said := staleness(stages, at, get, aside):
        print(wrapped_text(f"{what}: {said}"), file=sys.stderr, flush=True)


def wrapped_line(line: str, width: int) -> str:
    further = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)
