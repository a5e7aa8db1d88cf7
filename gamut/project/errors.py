"""Errors that a person can fix: one line that says what is wrong, where, and how to fix it."""

from __future__ import annotations

import difflib
import errno
import functools
import io
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gamut.project.plain_text import harmless_text

REFUSALS = {
    errno.EACCES: "no permission: fix its owner or mode",
    errno.EPERM: "no permission: fix its owner or mode",
    errno.EROFS: "its file system is read-only: make it writable",
    errno.ENOENT: "no such file or folder: put it there",
    errno.EISDIR: "there is a folder where a file is expected: move it away",
    errno.ENOTDIR: "there is a file where a folder is expected: move it away",
    errno.EEXIST: "there is a file where a folder is expected: move it away",
    errno.ENOTEMPTY: "its content cannot be removed: fix the owner or mode",
    errno.ENXIO: "there is a socket or device where a file is expected: move it away",
    errno.ELOOP: "links lead in a circle: remove them",
    errno.ENAMETOOLONG: "the name is too long for this file system: choose a shorter one",
}
"""Refusals of the system about a file, and how a person fixes them."""
RUN_AGAIN = " and run `dvc repro` again, what was answered is kept"
"""The end of such a message in a stage."""


class UserError(Exception):
    """An error in parameters, input or environment. Only its message is shown, without a traceback."""


def nearest_choice(word: object, choices: Iterable[object]) -> str:
    """Return `"; did you mean 'x'?"` for the choice most like `word`, in any case; or all choices if none is close."""
    names = [str(choice) for choice in choices]
    close = difflib.get_close_matches(str(word).casefold(), [name.casefold() for name in names], n=1, cutoff=0.6)
    if close:
        return f"; did you mean {next(name for name in names if name.casefold() == close[0])!r}?"
    return f"; known are: {', '.join(sorted(names))}" if names else ""


class ModelDied(UserError):
    """A model can answer nothing more (its process ended, its GPU is broken): run again to continue."""


def system_refusal(error: OSError) -> str | None:
    """Return what the system refuses, and how to fix it; None if the error may be a bug of ours."""
    name = error.filename2 or error.filename
    path = None if name is None or isinstance(name, int) else Path(os.fsdecode(name))
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full{f' while writing {in_one_line(path)}' if path else ''}: make room"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open: raise the limit (`ulimit -n`)"
    if path is None or error.errno not in REFUSALS:
        return None
    if error.errno == errno.ENOTDIR:  # the system names the file that would lie in what is no folder
        path = next((above for above in path.parents if os.path.isfile(above)), path)
    return f"{in_one_line(path)}: {REFUSALS[error.errno]}"


def in_one_line(name: object) -> str:
    """Return a name unchanged, or escaped if it has line breaks, control characters or bytes that are not UTF-8."""
    text = str(name)
    return text if text.isprintable() else repr(text)


@contextmanager
def errors_in_one_line(prefix: str = "", again: str = "", stopped: str = "stopped") -> Iterator[None]:
    """End the process with one line on errors that a person can fix and on Ctrl-C, and silently on a closed output.
    `prefix` begins every line; `again` follows a refusal of the system. Bugs keep their traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that cannot show a sign must not stop it
    try:
        yield
        print(end="", flush=True)
    except UserError as error:
        sys.exit("\n".join(f"{prefix}{harmless_text(line)}" for line in str(error).splitlines()))
    except KeyboardInterrupt:
        print(f"{prefix}{stopped}", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    except OSError as error:
        if isinstance(error, BrokenPipeError) and nobody_reads():
            sys.exit(128 + signal.SIGPIPE)
        if (line := system_refusal(error)) is None:
            raise
        sys.exit(f"{prefix}{line}{again}")
    finally:
        try:
            print(end="", flush=True)
        except OSError:  # the rest cannot be printed, and Python would complain at its end: it is dropped
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def nobody_reads() -> bool:
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
    except ValueError:  # it is no file
        return False
    return bool(poll.poll(0))


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        with errors_in_one_line():
            command(*arguments, **options)

    return wrapped
