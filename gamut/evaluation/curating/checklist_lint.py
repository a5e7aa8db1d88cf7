"""Released checklists: their tags are read, replies of models are unpacked, and defects of the questions are found."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from typing import cast

import orjson

from gamut.evaluation.construction.checklist_lines import Line, duplicate_questions
from gamut.evaluation.curating.findings import Findings
from gamut.evaluation.defining.questions import About
from gamut.evaluation.running.checklists import TAGS

_TAG = re.compile(r"^\s*[\[【]\s*([^\[\]【】\n]{1,40}?)\s*[\]】]\s*")
_REPLY = re.compile(r"^[^\[\]\"']{0,200}\[\s*[\"']|^\s*(?:parsed? error|error|```)", re.IGNORECASE)
_LINE = re.compile(r"^\s*[^\s\"]{0,2}\s*(\"(?:[^\"\\\n]|\\.)*\")[\s,\]]*$")
_NO_LINE = re.compile(r"[\s,\[\]`]*(?:json)?\s*")
OPEN = re.compile(r"(?:how|what|why|who|whom|whose|which)\b", re.IGNORECASE)
"""How a question begins that cannot be answered with Y or N."""
ALIKE = 0.7
"""Least similarity of a misspelt tag and the meant one."""


def lint(
    field: str, questions: Sequence[str], possible: Sequence[str], inverted: Collection[str], findings: Findings
) -> list[Line]:
    """Return the questions of a checklist in order, with none lost, and add their defects to `findings`. `possible`:
    the tags of the task; the last one is assumed if a tag is missing. `inverted`: questions whose right answer is N.
    """
    found = []
    for place, text in (
        one for n, whole in enumerate(questions) for one in unpack_reply(f"{field}.{n}", whole, findings)
    ):
        tag, question = split_tag(place, text, possible, findings)
        if OPEN.match(question):
            findings.say(place, "open", question)
        if turned := question in inverted:
            findings.say(place, "inverted", question, "inverted: true")
        found.append((place, Line(cast("About", tag.lower()), question, turned)))
    for earlier, later in duplicate_questions([f"[{one.about}] {one.question}" for _, one in found]):
        findings.say(found[later][0], "duplicate", f"{found[later][1].question} (as {found[earlier][0]})")
    return [one for _, one in found]


def split_tag(place: str, text: str, possible: Sequence[str], findings: Findings) -> tuple[str, str]:
    match = _TAG.match(text)
    close = match and ([match[1]] if match[1] in TAGS else difflib.get_close_matches(match[1].title(), TAGS, 1, ALIKE))
    if match is None or not close:
        only = possible[0] if len(possible) == 1 else None
        findings.say(place, "tag", text, only and f"[{only}]")
        return possible[-1], text.strip()
    tag, question = close[0], text[match.end() :].strip()
    if match[0].strip() != f"[{tag}]":
        findings.say(place, "tag", text, f"[{tag}]")
    if tag not in possible:
        findings.say(place, "tag", text)
    return tag, question


def unpack_reply(place: str, text: str, findings: Findings) -> Iterator[tuple[str, str]]:
    """Yield each question of a text or model's reply, with its place. An unreadable text stays one question."""
    if _REPLY.match(text) is None or _TAG.match(text):
        yield place, text
        return
    questions = questions_in_reply(text)
    findings.say(place, "reply", text, f"{len(questions)} questions" if questions else None)
    yield from ((f"{place}.{n}", question) for n, question in enumerate(questions)) if questions else [(place, text)]


def questions_in_reply(text: str) -> list[str]:
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
