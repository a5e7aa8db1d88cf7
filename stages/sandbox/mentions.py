"""Things and their numbers that are mentioned anywhere in a text, whatever its sentences are."""

from __future__ import annotations

import re
from functools import cache

from .naming import NUMBERS, any_of, plain, things_by_name
from .statements import without_noise

_NO_NUMBERS = ("none", "a pair of")
"""A pair of scissors is one thing."""


def things_in(text: str) -> list[tuple[str, str | None]]:
    """Return every thing that a text names, in order: its kind, and its colour where that is said."""
    return [things_by_name()[match[1]] for match in re.finditer(_whole(f"({_thing()})"), plain(without_noise(text)))]


def numbers_in(text: str) -> dict[str, set[int]]:
    """Return which numbers a text says of which kinds of things; one thing with "a" is one."""
    numbers = any_of(word for word in NUMBERS if word.isascii() and word not in _NO_NUMBERS)
    found: dict[str, set[int]] = {}
    for match in re.finditer(_whole(f"({numbers}) ({_thing()})"), plain(without_noise(text))):
        found.setdefault(things_by_name()[match[2]][0], set()).add(NUMBERS[match[1]])
    return found


@cache
def _thing() -> str:
    return any_of(name for name in things_by_name() if name.isascii())


def _whole(pattern: str) -> str:
    """Return a pattern that matches whole words alone."""
    return rf"(?<![\w-]){pattern}(?![\w-])"
