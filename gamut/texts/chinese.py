"""Translations from English into Chinese: what makes one valid, and the lettering in it that stays English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

QUOTED = re.compile(r"(?<!\w)\"([^\"]+)\"(?!\w)|“([^”]+)”")
"""Words in double quotes. A quote right after a letter or digit is an inch mark or the end of something else."""
CHINESE = re.compile(r"[\u4e00-\u9fff]")
LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


class Translation(BaseModel):
    """The reply to every question that asks for a translation."""

    translation: str


def quoted_words(text: str) -> list[str]:
    """Return the words that an English text quotes, each once, without the punctuation at their ends."""
    found = [(straight or curly).rstrip(",.") for straight, curly in QUOTED.findall(text)]
    return list(dict.fromkeys(words for words in found if words))


def with_rendered_text(fields: Mapping[str, str], text: str, lettering: Sequence[str]) -> dict[str, str]:
    """Return a question's fields with `lettering`: those of its words that occur in the text as separate words."""
    present = [words for words in lettering if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text)]
    return {**fields} | ({"lettering": "\n".join(present)} if present else {})


def objection(reply: Translation, fields: Mapping[str, str]) -> str | None:
    """Return why a translation cannot be used; None if it is Chinese and repeats the lettering verbatim."""
    lettering = fields.get("lettering", "").splitlines()
    if lost := [words for words in lettering if words not in reply.translation]:
        return f"this lettering must stay exactly as it is: {', '.join(map(repr, lost))}"
    return None if is_chinese(reply.translation, lettering) else "the translation is not Chinese"


def is_chinese(text: str, lettering: Sequence[str] = ()) -> bool:
    """Return whether a text has more Chinese characters than Latin words, apart from the lettering."""
    for words in lettering:
        text = text.replace(words, "")
    return len(CHINESE.findall(text)) > len(LATIN_WORD.findall(text))
