"""What the roles of the embedded world are given and answer with, and how they say that they cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Values = dict[str, object]
"""What a question is answered with: plain values by name."""
Parts = Sequence[str | bytes]
"""Texts and encoded pictures in order."""
Enclosed = Mapping[str, Parts]
"""Blocks of material by their names."""


class Unsupported(Exception):
    """What was asked lies outside the embedded world; the message says what."""


def cannot_read(text: str) -> Unsupported:
    return Unsupported(f"the embedded world cannot read the whole of the text {text[:120]!r}")


def texts_of(parts: Parts) -> list[str]:
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


def pictures_of(parts: Parts) -> list[bytes]:
    return [part for part in parts if isinstance(part, bytes)]


def normalise_text(text: str) -> str:
    """Lower case outside quotation marks, which become straight; single spaces, no marks at its end."""
    text = re.sub(r"\s+", " ", text.replace("“", '"').replace("”", '"').replace("’", "'"))
    parts = re.split(r'("[^"]*")', text)
    return "".join(part if part.startswith('"') else part.lower() for part in parts).strip(" .!?,;:。！？，；：")
