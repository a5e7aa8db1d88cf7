"""What a stage that asks may fail: a count of records, or a share of them."""

from __future__ import annotations

import math
import typing
from fractions import Fraction
from typing import Annotated

from pydantic import PlainValidator


def _count_or_share(value: object) -> int | float:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    is_share = isinstance(value, float) and 0 <= value < 1
    if not (is_count or is_share):
        raise ValueError("a count (0, 1, 2, ...) or a share below 1 is wanted")
    return typing.cast("int | float", value)


MaxFailures = Annotated[int | float, PlainValidator(_count_or_share)]
"""How many records may fail before the stage does: a count, or a share below 1."""


def most_failures(allowed: int | float, records: int) -> int:
    """Return how many of so many records may fail: the count itself, or the share of them, rounded down."""
    return math.floor(Fraction(str(allowed)) * records) if isinstance(allowed, float) else int(allowed)
