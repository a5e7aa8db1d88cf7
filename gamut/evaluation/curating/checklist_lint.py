"""Checklists as they were released: tags read, shipped replies unpacked, and what is wrong with their questions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from typing import cast

import orjson

from gamut.evaluation.construction.checklist_lines import Line, duplicates
from gamut.evaluation.curating.findings import Findings
from gamut.evaluation.defining.questions import About

_TAG = re.compile(r"^\s*[\[【]\s*([^\[\]【】\n]{1,40}?)\s*[\]】]\s*")
_REPLY = re.compile(r"^[^\[\]\"']{0,200}\[\s*[\"']|^\s*(?:parsed? error|error|```)", re.IGNORECASE)
_LINE = re.compile(r"^\s*[^\s\"]{0,2}\s*(\"(?:[^\"\\\n]|\\.)*\")[\s,\]]*$")
_NO_LINE = re.compile(r"[\s,\[\]`]*(?:json)?\s*")
OPEN = re.compile(r"(?:how|what|why|who|whom|whose|which)\b", re.IGNORECASE)
"""How a question begins that Y and N do not answer."""
ALIKE = 0.7
"""Least similarity of a misspelt tag and the one that is meant."""


def lint(
    field: str,
    questions: Sequence[str],
    tags: Sequence[str],
    possible: Sequence[str],
    inverted: Collection[str],
    said: Findings,
) -> list[Line]:
    """Return the questions of a checklist in order, none lost, and add what is wrong with them. `possible`: tags that
    the task can have, the last assumed where one is missing; `inverted`: questions to which N is right.
    """
    found = []
    for place, text in (one for n, whole in enumerate(questions) for one in unpacked(f"{field}.{n}", whole, said)):
        tag, question = tagged(place, text, tags, possible, said)
        if OPEN.match(question):
            said.say(place, "open", question)
        if turned := question in inverted:
            said.say(place, "inverted", question, "inverted: true")
        found.append((place, Line(cast("About", tag.lower()), question, turned)))
    for earlier, later in duplicates([f"[{one.about}] {one.question}" for _, one in found]):
        said.say(found[later][0], "duplicate", f"{found[later][1].question} (as {found[earlier][0]})")
    return [one for _, one in found]


def tagged(place: str, text: str, tags: Sequence[str], possible: Sequence[str], said: Findings) -> tuple[str, str]:
    match = _TAG.match(text)
    close = match and ([match[1]] if match[1] in tags else difflib.get_close_matches(match[1].title(), tags, 1, ALIKE))
    if match is None or not close:
        only = possible[0] if len(possible) == 1 else None
        said.say(place, "tag", text, only and f"[{only}]")
        return possible[-1], text.strip()
    tag, question = close[0], text[match.end() :].strip()
    if match[0].strip() != f"[{tag}]":
        said.say(place, "tag", text, f"[{tag}]")
    if tag not in possible:
        said.say(place, "tag", text)
    return tag, question


def unpacked(place: str, text: str, said: Findings) -> Iterator[tuple[str, str]]:
    """Yield a question with its place; of a model's reply, each question in it. What cannot be read stays one
    question.
    """
    if _REPLY.match(text) is None or _TAG.match(text):
        yield place, text
        return
    questions = listed(text)
    said.say(place, "reply", text, f"{len(questions)} questions" if questions else None)
    yield from ((f"{place}.{n}", question) for n, question in enumerate(questions)) if questions else [(place, text)]


def listed(text: str) -> list[str]:
    try:
        found = orjson.loads(text[text.find("[") : text.rfind("]") + 1])
    except orjson.JSONDecodeError:
        lines = [line for line in text[text.find("[") + 1 :].splitlines() if _NO_LINE.fullmatch(line) is None]
        read = [_LINE.match(line) for line in lines]
        try:
            found = [orjson.loads(match[1]) if match else None for match in read]
        except orjson.JSONDecodeError:
            return []
    whole = isinstance(found, list) and all(isinstance(one, str) and one.strip() for one in found)
    return found if whole else []
