"""The embedded world as a model that gives pictures scores without a question, 0..10."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from .judging import follow, judge_looks


def rate(name: str, prompt: str, images: Sequence[bytes]) -> float:
    """Return the alignment with a prompt, the aesthetics, or as preference the mean of both."""
    follows: list[Any] = [] if name == "aesthetics" else [follow(prompt, images)["follows"]]
    return mean([*follows, *([] if name == "alignment" else [judge_looks(images)["score"]])])
