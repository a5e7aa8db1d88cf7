"""The embedded world as a model that gives pictures a score without words, 0..10."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .judging import follow, judge_looks


def rate(name: str, prompt: str, images: Sequence[bytes]) -> float:
    """Return the alignment with a prompt, the aesthetics, or as preference the mean of both."""
    scores: list[Any] = [follow(prompt, images)["follows"]] if name != "aesthetics" else []
    scores += [judge_looks(images)["score"]] if name != "alignment" else []
    return sum(scores) / len(scores)
