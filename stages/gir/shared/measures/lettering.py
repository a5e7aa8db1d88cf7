"""What a reader made out of a picture: the lines that it is sure of."""

from __future__ import annotations

from collections.abc import Sequence

from stages.asking.seeing import Line

CONFIDENCE = 0.5
"""A line counts above this."""


def sure(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.confidence > CONFIDENCE]


def said(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in sure(lines))
