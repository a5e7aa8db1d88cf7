"""What makes a text usable as a caption or a prompt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from pydantic import BaseModel


class Caption(BaseModel):
    """The reply to every question that asks for one text."""

    caption: str


def objection(reply: Caption, fields: Mapping[str, str]) -> str | None:
    if len(reply.caption.split()) < 3:
        return "the caption is empty or has fewer than three words"
    if "\n" in reply.caption.strip():
        return "the caption must be one paragraph"
    return None


def objection_to_lettering(reply: Caption, fields: Mapping[str, str]) -> str | None:
    if not re.search(r"[\"“][^\"”]+[\"”]", reply.caption):
        return "the caption must quote the writing in double quotes"
    return objection(reply, fields)


def clean_text(caption: str) -> str:
    """Return a text in NFC, with single spaces, without control, private or surrogate characters."""
    composed = unicodedata.normalize("NFC", caption)
    readable = "".join(c if unicodedata.category(c) not in ("Cc", "Co", "Cs") else " " for c in composed)
    return re.sub(r"\s+", " ", readable).strip()


def is_readable(prompt: str) -> bool:
    """Return whether a text has more than punctuation, marks, format characters and spaces."""
    return any(unicodedata.category(character)[0] not in "CMPZ" for character in prompt)


def is_latin(text: str) -> bool:
    """Return whether at least half of a text's letters are Latin; True for a text without letters."""
    if text.isascii():
        return True
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(character, "").startswith("LATIN") for character in letters)
    return 2 * latin >= len(letters)
