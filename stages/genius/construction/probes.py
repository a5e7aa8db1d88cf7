"""How the wrong options of probes come about: written by a model, and none is taken that could be right.

One that the rule engine reads is refused where one picture could show both; one that it cannot read a checker sees.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.evaluation.construction.slots import Slots
from stages.genius.construction.cases import read_hint
from stages.genius.construction.parameters import Params
from stages.genius.construction.scenes import Pool, compatible, read_pool
from stages.genius.shared.items import LETTERS, Probe, plain, rule_of
from stages.tables.columns import Row

WRONG = len(LETTERS) - 1
"""Wrong options beside the right one."""
SCORES = re.compile(r"\s*\([^()]*\bscore\b[^()]*\)\s*\Z", re.IGNORECASE)
"""What else in brackets speaks of scores: no other option has that."""
ABSENT = re.compile(r"(?: There is no [^.]+ in it\.)+\Z")
"""What hints of constructed cases say that must not be there: no other option has that either."""
SHORTEST, LONGEST = 0.5, 2.0
"""Characters of a wrong option, times those of the right one: none is to be told by its size."""


class Distractors(BaseModel):
    """The reply: texts that are wrong."""

    distractors: list[str]


class Checked(BaseModel):
    """The reply: the reason first, so that the verdict follows from it."""

    reason: str
    wrong: Literal["yes", "no"]


def objection(reply: Distractors, fields: Mapping[str, str], pool: Pool) -> str | None:
    hint, said = fields["rule_hint"], [text.strip() for text in reply.distractors]
    if len(said) != WRONG:
        return f"`distractors` has {len(said)} texts, {WRONG} are wanted"
    if len({plain(text) for text in (hint, *said)}) <= WRONG:
        return "two of the texts are the same, or one is what is right"
    for number, text in enumerate(said, start=1):
        if "\n" in text or not plain(text):
            return f"text {number} is to be one line"
        if may_be_right(text, hint, pool):
            return f"text {number} is not wrong: a picture that is right could show it"
        if not is_as_long(text, hint):
            return f"text {number} is to have about {len(hint)} characters, and has {len(text)}"
    return None


def is_as_long(text: str, hint: str) -> bool:
    return SHORTEST <= len(text) / len(hint) <= LONGEST


def may_be_right(text: str, hint: str, pool: Pool) -> bool | None:
    """Return whether one picture could show both what a text says and what is right; None where rules cannot read."""
    right, said = read_hint(hint, pool), read_hint(text, pool)
    return None if right is None or said is None else compatible(right, said)


def unread(distractors: Sequence[str], rule_hint: str, pool: Pool) -> list[str]:
    """Return the wrong options that a checker is asked about."""
    return [text for text in distractors if may_be_right(text, stated(rule_hint), pool) is None]


WRITE_DISTRACTORS = Question(
    "write_distractors",
    "You write multiple-choice questions for a test of models that see and paint.",
    """\
<context> lays down a rule, with pictures that are not shown here, <instruction> says what is to be painted by it, and \
<rule_hint> what a right picture shows. Write three other texts of what a picture might show that is wrong: such as \
whoever overlooked a picture, mixed two of them up, or went by what is usual instead of the rule would take for right. \
<other_readings> has some of these, a line each: take from there what you can, so that nobody can tell from \
<instruction> alone which text is right, nor from how the four are alike: what the others have in common must not \
point to it. Each says the same kinds of things as <rule_hint>, in the same form and at about the same length, and \
differs from it in something that it says: no picture that <rule_hint> is true of is one that your text is true of. \
No two are alike.

Answer with a JSON object with the one key `distractors`, a list of three texts, each one line.""",
    Distractors,
)


def writing(context: str, prompt: str, rule_hint: str, others: Sequence[str], pool: Pool, seed: int) -> Asked:
    """Return the conversation about three wrong options, given what `others` who misread the rule would paint."""
    right = stated(rule_hint)
    readings = [text for text in others if is_as_long(text, right)]
    shown = random.Random(f"{seed} readings").sample(readings, len(readings))
    fields = {"context": context, "instruction": prompt, "rule_hint": right, "other_readings": "\n".join(shown)}
    return replace(WRITE_DISTRACTORS, check=partial(objection, pool=pool)).about(fields, seed=seed)


def checker_objection(reply: Checked, fields: Mapping[str, str]) -> str | None:
    return None if reply.reason.strip() else "`reason` is blank"


CHECK_DISTRACTOR = Question(
    "check_distractor",
    "You check multiple-choice questions for a test of models that see and paint.",
    """\
<rule_hint> says what a right picture shows. <distractor> is to be wrong: decide whether it is. It is wrong where it \
rules out what <rule_hint> says, so that no picture can be as both say. It is not where it says the same in other \
words, says less, or says something more that may as well be true of a right picture.

Answer with a JSON object with `reason`, a short sentence, then `wrong`, "yes" or "no".""",
    Checked,
    checker_objection,
)


def checking(distractor: str, rule_hint: str, seed: int) -> Asked:
    return CHECK_DISTRACTOR.about({"rule_hint": stated(rule_hint), "distractor": distractor}, seed=seed)


def untaken(written: Mapping[str, Any], checks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return why a case has no probe: the writer's status, or a checker's who did not say "wrong"; None if it has."""
    if written["status"] != "ok":
        return str(written["status"])
    said = (row["status"] if row["status"] != "ok" else "not_wrong" for row in checks if row["wrong"] != "yes")
    return next(said, None)


def probe_of(rule_hint: str, distractors: Sequence[str], seed: int) -> Probe:
    """Return the options in an order that the seed draws; ValueError where two are the same, or not three are wrong."""
    right = stated(rule_hint)
    if len(distractors) != WRONG:
        raise ValueError(f"{len(distractors)} wrong options are given, {WRONG} are wanted")
    options = random.Random(seed).sample([right, *(text.strip() for text in distractors)], WRONG + 1)
    return Probe(options=tuple(options), right=LETTERS[options.index(right)])


def stated(rule_hint: str) -> str:
    """Return what a hint shows in one line, without what no other option has: its scoring, and what is absent."""
    return ABSENT.sub("", " ".join(SCORES.sub("", rule_of(rule_hint).shows).split()))


def write_distractors(slots: Slots[Params]) -> None:
    """Have the wrong options of probes written, three a case, of which none may be what the rule comes to."""
    pool = read_pool(Path(slots.params.propose.pool))

    def conversation(row: Row) -> Asked:
        seed = slots.seed(f"{row['id']} distractors")
        return writing(row["context"], row["prompt"], row["rule_hint"], row["others"], pool, seed)

    def made(row: Row, value: Any) -> Row:
        return {"distractors": [text.strip() for text in value.distractors]}

    slots.ask("writer", slots.usable("draw_cases"), conversation, made)


def check_distractors(slots: Slots[Params]) -> None:
    """Ask whether options are wrong that the rule engine cannot read, about each of these and no others."""
    pool = read_pool(Path(slots.params.propose.pool))

    def conversation(row: Row) -> Asked:
        return checking(row["distractor"], row["rule_hint"], slots.seed(f"{row['record']} checked"))

    def made(row: Row, value: Any) -> Row:
        return {"wrong": value.wrong, "why": value.reason.strip()}

    rows: list[Row] = [
        {"id": row["id"], "record": f"{row['id']}/{number}", "distractor": text, "rule_hint": row["rule_hint"]}
        for row in slots.usable("write_distractors")
        for number, text in enumerate(row["distractors"], start=1)
        if text in unread(row["distractors"], row["rule_hint"], pool)
    ]
    slots.ask("checker", rows, conversation, made)
