"""Mistakes that a person can mend: one line that says what, where and how to mend it."""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any


class UserError(Exception):
    """A mistake in parameters, input or surroundings. Its message is shown alone, without a traceback."""


def nearest(word: object, choices: Iterable[object]) -> str:
    """Return `"; did you mean 'x'?"` for the choice most like `word`, or all choices when none is close."""
    names = [str(choice) for choice in choices]
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are: {', '.join(sorted(names))}" if names else ""


class ModelDied(UserError):
    """A model that can answer nothing any more (its process ended, its GPU is broken): run again to go on."""


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Show a UserError as its message alone, with exit code 1."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except UserError as error:
            sys.exit(str(error))

    return wrapped
