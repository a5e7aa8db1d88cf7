"""Checklists as people read and write them: one question per line.

The line `[Image] Does the picture show two red cars? | two red cars` has its keyword after the bar. If N is the right
answer, it begins with `[Image, N is right]`. A bar inside a question or keyword is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from gamut.evaluation.defining.questions import About

LINE = re.compile(r"\[\s*(text|image|consistency)\s*(,\s*n is right\s*)?\]\s*(\S.*)", re.IGNORECASE | re.ASCII)
BAR = re.compile(r"(?<!\|)\|(?!\|)")
WORD = re.compile(r"[-−+]?\w+")


class Line(NamedTuple):
    """A question: the part of the answer that it is about, whether N is right, and its keyword."""

    about: About
    question: str
    inverted: bool = False
    keyword: str | None = None


def format_line(line: Line) -> str:
    said = [" ".join(text.split()).replace("|", "||") for text in (line.question, line.keyword or "")]
    return f"[{line.about.capitalize()}{', N is right' * line.inverted}] {' | '.join(filter(None, said))}"


def parse_line(text: str) -> Line:
    found = LINE.fullmatch(text.strip())
    said = [" ".join(part.split()).replace("||", "|") for part in BAR.split(found[3])] if found else [""]
    if found is None or not all(said):
        raise ValueError(f"{text!r} does not look like `[Image] Does the picture show two red cars? | two red cars`")
    if len(said) > 2:
        raise ValueError(f"{text!r} has more than one keyword: write a bar that belongs to the text twice, as ||")
    return Line(cast("About", found[1].lower()), said[0], found[2] is not None, said[1] if len(said) == 2 else None)


def read_checklist(text: str) -> list[Line]:
    """Read a checklist. ValueError with the number of the first wrong line, from 1, or for an empty checklist."""
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                lines.append(parse_line(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
    if not lines:
        raise ValueError("there are no questions")
    return lines


def duplicate_questions(questions: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions of questions with the same words, ignoring case, articles and punctuation."""
    first: dict[tuple[str, ...], int] = {}
    words = [[word for word in WORD.findall(one.casefold()) if word not in ("a", "an", "the")] for one in questions]
    places = [first.setdefault(tuple(one), place) for place, one in enumerate(words)]
    return [(earlier, place) for place, earlier in enumerate(places) if earlier < place]
