"""Limits of stages that ask: how many records may fail, as a count or a share, and how much a build may cost."""

from __future__ import annotations

import fcntl
import math
import os
import typing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import PlainValidator

from gamut.project.errors import UserError


def _count_or_share(value: object) -> int | float:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    is_share = isinstance(value, float) and 0 <= value < 1
    if not (is_count or is_share):
        raise ValueError("a count (0, 1, 2, ...) or a share below 1 is expected")
    return typing.cast("int | float", value)


MaxFailures = Annotated[int | float, PlainValidator(_count_or_share)]
"""How many records may fail before the stage fails: a count, or a share below 1."""


def most_failures(allowed: int | float, records: int) -> int:
    """Return how many of `records` may fail: the count itself, or the share of them, rounded down."""
    return math.floor(Fraction(str(allowed)) * records) if isinstance(allowed, float) else int(allowed)


@dataclass(frozen=True)
class Budget:
    """The limit and the sum of the cost of all requests with a reply store. The sum is one number next to the replies;
    all stages, runs, processes and trees share it. It is written at once, so the cost of a killed run counts too.
    """

    store: Path
    max_cost: float | None = None

    def add(self, cost: float, limit: float | None = None) -> None:
        """Add a cost. Raise UserError instead if the sum could pass `limit`."""
        self.store.mkdir(parents=True, exist_ok=True)
        file = os.open(self.store / "spent", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            spent = float(os.read(file, 99) or 0)
            if limit is not None and (spent >= limit or spent + cost > limit):
                raise UserError(
                    f"stopped before the cost limit: {spent:.4f} spent through the store {self.store} by all stages "
                    f"and runs, requests in flight included, and max_cost in run.toml is {limit:g}. What was answered "
                    "is kept: raise max_cost to what all of them may cost together, and run again"
                )
            os.pwrite(file, f"{spent + cost:<31.9f}\n".encode(), 0)
        except ValueError:
            path = self.store / "spent"
            raise UserError(f"{path} must hold one number, the cost so far: write it, or remove the file") from None
        finally:
            os.close(file)
