"""The embedded world as a judge along a checklist: does what each question literally asks hold of an answer?

Of a contestant's words nothing counts but the statements and scenes that they tell, in English or Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from .answering import Unsupported, Values
from .facts import Fact, Reading, reading_of, values
from .material import Enclosed
from .verdicts import blank
from .wordings import About, Asked, meant

_LINE = re.compile(r"\s*\[(\w+)\]\s*(.+)")


def dce(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return of every question of the field `checklist` ("[Image] Is it night in the picture?" a line) whether, taken
    literally, it is answered with yes: verdicts Y or N, each with a reason.

    [Image] is about some picture of `answer`, [Text] about its texts, which must not say two different things, and
    [Consistency] about both. What is missing shows and says nothing, and agrees with nothing.

    Raises Unsupported for a line that is not understood and for a picture that is not of this world.
    """
    checklist = [_understood(line) for line in fields.get("checklist", "").splitlines() if line.strip()]
    answer = enclosed.get("answer", ())
    reading = reading_of([part for part in answer if isinstance(part, str) or not blank("a checklist", [part])])
    verdicts: list[Values] = []
    for about, asked in checklist:
        wrong = [one.fact for one in asked if _holds(one.fact, about, reading) == one.inverted]
        if not wrong and about == "image":
            wrong = _apart(asked, reading)
        reason = f"This is not so: {', '.join(dict.fromkeys(fact.sort for fact in wrong))}." if wrong else "It is so."
        verdicts.append({"reason": reason, "verdict": "N" if wrong else "Y"})
    return {"verdicts": verdicts}


def _understood(line: str) -> tuple[About, Sequence[Asked]]:
    match = _LINE.fullmatch(line)
    about = next((name for name in get_args(About) if match and name == match[1].lower()), None)
    asked = meant(match[2], about) if match and about else None
    if about is None or asked is None:
        raise Unsupported(f"the embedded world does not understand the question {line[:120]!r}")
    return about, asked


def _holds(fact: Fact, about: About, reading: Reading) -> bool:
    """Return whether a fact holds of what a question is about."""
    shown = values(fact, reading.shown)
    if about == "image":
        return fact.value in shown
    said = values(fact, reading.told, reading.statements)
    if about == "text":
        return bool(said) and all(value == fact.value for value in said)
    return bool(said) and all(value == said[0] for value in said) and said[0] in shown


def _apart(asked: Sequence[Asked], reading: Reading) -> list[Fact]:
    """Return the facts that no picture has together with the others, in the picture that has most of them."""
    facts = [one.fact for one in asked if not one.inverted]
    wrong = ([fact for fact in facts if fact.value not in values(fact, [scene])] for scene in reading.shown)
    return min(wrong, key=len, default=[])
