"""Numbers and lists in words, and foreign text made safe to show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal


def amount(number: int, thing: str, things: str = "") -> str:
    """Return `1 thing` or `2 things`; `things` is an irregular plural."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


KEPT_DECIMALS = 3
"""Decimals that metric files of benchmarks keep."""


def decimals(value: float, places: int = 1) -> str:
    """Round as metric files first do, half up: 83.75 and 83.74999999999999 are both 83.8. Zero has no sign."""
    whole = Decimal(str(round(value, max(KEPT_DECIMALS, places)))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{whole:,}" if whole else f"{abs(whole):,}"


def signed_decimals(value: float, places: int = 1) -> str:
    """Return a difference with its sign; zero has none."""
    text = decimals(value, places)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def name_first(names: Sequence[str], most: int) -> str:
    """Return the first `most` of some names, and how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key for names with numbers: `out_2` comes before `out_10`."""
    return [(int(one), "") if one.isdecimal() else (0, one) for one in re.split(r"([0-9]{1,15})", name)]


HARMFUL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|"  # a terminal's colours and movements, whole
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"  # control characters, some of which terminals obey, and ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of writing
    "\ufeff\U000e0000-\U000e007f\ud800-\udfff]"  # invisible marks and tags, and halves of characters
)


def harmless_text(text: str) -> str:
    """Return a foreign text with blanks instead of control characters, so that one line stays one line."""
    return HARMFUL.sub(" ", text)


def can_be_seen(text: str) -> bool:
    """Return whether a text is visible: blanks, control characters and marks without width are not."""
    return any(one.isprintable() and not one.isspace() for one in text)


def shorten_text(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shorten_to_line(text: str, most: int) -> str:
    return shorten_text(" ".join(harmless_text(text[: 100 * most]).split()), most)
