"""What a trial is made of: params.yaml with few rows, editions with few items. Pure functions."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

COUNTED = ("sandbox", "imagine")
"""Kinds of sources that say how many rows there are; the others say how many are read at most."""
MAY_FAIL = 0.5
"""The share of a stage's records that may fail in a trial: of five one is too many for any rule of a whole build."""


def cut(values: dict[str, Any], most: int) -> dict[str, Any]:
    """Return params.yaml's values with at most so many rows of each source, and stages that go on where records fail.

    What people decided and labelled is of the whole build, and so are paraphrases of items: none of it is looked at.
    All else stays: what is asked is asked as in the whole build, which then need not ask it again.
    """
    small = copy.deepcopy(values)
    for source in small["sources"]:
        key = "count" if source["kind"] in COUNTED else "limit"
        source[key] = min(source.get(key) or most, most)
    small["calibrate"]["labels"] = None
    if small["hold_out"]["paraphrases"] != "world":
        small["hold_out"]["paraphrases"] = None
    return patient(small)


def patient(values: Any) -> Any:
    """Return values in which every `max_failures` allows at least the share MAY_FAIL to fail."""
    if isinstance(values, list):
        return [patient(value) for value in values]
    if not isinstance(values, dict):
        return values
    return {
        key: max(value, MAY_FAIL) if key == "max_failures" and value is not None and value < 1 else patient(value)
        for key, value in values.items()
    }


def spread(lines: Sequence[bytes], most: int) -> list[bytes]:
    """Return at most so many lines, evenly spread over all: an edition's tracks and tasks stand one after the other."""
    few = min(most, len(lines))
    return [lines[position * len(lines) // few] for position in range(few)]
