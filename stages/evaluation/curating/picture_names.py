"""Names of pictures in texts, `<image1>`, against the pictures that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.evaluation.curating.findings import Findings
from stages.evaluation.running.placing import NAMED


def lost(key: str, text: str, pictures: int, said: Findings) -> Iterator[str]:
    """Yield names in a text that are of none of so many pictures, and tell of these and of pictures without a name."""
    for name in NAMED.finditer(text):
        if not number_of(name, pictures):
            said.say(key, "placeholder", name[0])
            yield name[0]
    unnamed(key, text, pictures, said)


def in_plain_words(key: str, text: str, pictures: int, said: Findings) -> str:
    """Return a text in which words stand for names that are of none of so many pictures: nothing could be put there."""

    def plain(name: re.Match[str]) -> str:
        if number_of(name, pictures):
            return name[0]
        words = f"image {name[2]}" if name[2] else name[1].strip()
        said.say(key, "placeholder", name[0], words)
        return words

    if NAMED.search(text):
        unnamed(key, text, pictures, said)
    return NAMED.sub(plain, text)


def unnamed(key: str, text: str, pictures: int, said: Findings) -> None:
    for number in sorted(set(range(1, pictures + 1)) - {number_of(name, pictures) for name in NAMED.finditer(text)}):
        said.say(key, "placeholder", f"no <image{number}>")


def number_of(name: re.Match[str], pictures: int) -> int:
    """Return which of so many pictures a name is of, from 1; 0 where it is of none."""
    number = int(name[2] or 0)
    return number if number <= pictures else 0
