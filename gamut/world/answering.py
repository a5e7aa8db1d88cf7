"""What the embedded world answers with, and how it says that it cannot."""

from __future__ import annotations

Values = dict[str, object]
"""What a question is answered with: plain values by name."""


class Unsupported(Exception):
    """What was asked lies outside the embedded world; the message says what."""


def unreadable(text: str) -> Unsupported:
    return Unsupported(f"the embedded world cannot read the whole of the text {text[:120]!r}")
