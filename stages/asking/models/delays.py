"""How long a server asks to be left alone: in its headers, or in the body of what it says instead of an answer."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
PIECE = r"\d+(?:\.\d+)?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)(?![a-z])"
FLAGS = re.IGNORECASE | re.ASCII  # letters of other scripts that count as equal to ours are no units
LENGTH = re.compile(PIECE, FLAGS)
IN_WORDS = re.compile(rf"\b(?:again|retry)\s+(?:in|after)\s+((?:{PIECE}\s?)+)", FLAGS)
"""OpenAI: "Please try again in 6m0s"; Google: "Please retry in 37.5s"; Azure: "Please retry after 20 seconds"."""
AS_FIELD = re.compile(rf'"retryDelay"\s*:\s*"({PIECE})"', re.ASCII)
"""Google's `RetryInfo`, somewhere among the details of an error."""


def asked_to_wait(headers: Mapping[str, str], body: bytes) -> float:
    """Return seconds that a response asks to wait; 0 where it says nothing.

    `Retry-After` comes first, then what the body says. OpenAI's `x-ratelimit-reset-…` tell when a limit that is used up
    is whole again, which is longer than need be: they are read where there is nothing else.
    """
    if wait := retry_after(headers.get("Retry-After"), headers.get("Date")):
        return wait
    text = body[:100_000].decode(errors="replace")
    if found := AS_FIELD.search(text) or IN_WORDS.search(text):
        return length(found[1])
    used_up = (kind for kind in ("requests", "tokens") if headers.get(f"x-ratelimit-remaining-{kind}") == "0")
    return max((length(headers.get(f"x-ratelimit-reset-{kind}", "")) for kind in used_up), default=0.0)


def length(text: str) -> float:
    """Return the seconds of "37s", "6m0s", "120ms", "20 seconds", or of a bare number; 0 for what is none."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return sum(seconds(piece) for piece in LENGTH.findall(text))


def seconds(piece: str) -> float:
    """Return the seconds of one number with its unit."""
    number, unit = re.split(r"\s?(?=[a-z])", piece.lower(), maxsplit=1)
    return float(number) * SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]]


def retry_after(value: str | None, now: str | None = None) -> float:
    """Return seconds that a Retry-After header (a number or an HTTP date) asks for; 0 when absent or unreadable.

    A date counts from the server's own clock, where its Date header (`now`) tells it.
    """
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        then, clock = date(value), date(now)
        return 0.0 if then is None else max(0.0, then - (time.time() if clock is None else clock))


def date(value: str | None) -> float | None:
    """Return the time of an HTTP date, in seconds since 1970; None when there is none, or none that a calendar has."""
    try:
        parts = parsedate_tz(value)
        return mktime_tz(parts) if parts else None
    except (ValueError, OverflowError):
        return None
