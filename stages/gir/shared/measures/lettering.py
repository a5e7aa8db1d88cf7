"""What a reader made out of a picture: the lines that it is sure of."""

from __future__ import annotations

from collections.abc import Sequence

from stages.asking.seeing import Line

CONFIDENCE = 0.5
"""A line counts above this."""


def sure(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that count."""
    return [line for line in lines if line.confidence > CONFIDENCE]


def said(lines: Sequence[Line]) -> str:
    """Return the text of all lines that count, in reading order."""
    return " ".join(line.text for line in sure(lines))
