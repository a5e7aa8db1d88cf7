"""The embedded world as a judge: which question is answered by which rule."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from . import by_key, judging, knowledge
from .answering import Enclosed, Unsupported, Values

ABOUT_TEXTS = ("knowledge_text",)
"""Questions about texts alone: a judge who errs mistakes what is seen, not what is read."""
BINARY = ("_und", "_gen")
"""How questions end whose score is 0 or 1."""
AGAIN = "_again"
"""How a second turn ends that asks whether the judge is sure of what it said: it is."""
_NUMBER = re.compile(r"^\d+\. ", re.MULTILINE)
"""In front of each line of a checklist."""


def answer(
    question: str,
    fields: Mapping[str, str],
    images: Sequence[bytes],
    seed: int,
    enclosed: Enclosed | None = None,
    errors: Errors = MappingProxyType({}),
) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked.

    `enclosed` is labelled material, texts and pictures in order by name, for the questions that are about such.
    `errors` says how the judge errs (see `Errors`).
    """
    question = question.removesuffix(AGAIN)
    fields = {name: _NUMBER.sub("", text) if name == "checklist" else text for name, text in fields.items()}
    values = answer_exactly(question, fields, images, enclosed or {})
    if errors and question not in ABOUT_TEXTS:
        highest = 1 if question.endswith(BINARY) else by_key.HIGHEST if question in (*by_key.HINTS, "own_grade") else 10
        values = add_errors(values, errors, error_rng(seed, question, fields, images, enclosed or {}), highest)
    if isinstance(said := values.get("verdicts"), list):
        values = {"verdicts": [{"question": number} | one for number, one in enumerate(said, 1)]}
    return values


def answer_exactly(question: str, fields: Mapping[str, str], images: Sequence[bytes], enclosed: Enclosed) -> Values:
    """Answer as a judge without errors."""
    match question:
        case "examine":
            return judging.examine(images)
        case "score":
            return judging.score(images)
        case "proofread":
            return judging.proofread(fields.get("wanted", ""), images)
        case "safety":
            return judging.safety(images)
        case "follow":
            return judging.follow(fields.get("prompt", ""), images)
        case "align":
            return judging.align(fields.get("caption", ""), images)
        case "prism_aesthetic":
            return judging.judge_looks(images)
        case "dce" | "own_checklist":
            return by_key.judge_checklist(fields, enclosed)
        case "said":
            return by_key.judge_words(fields, enclosed)
        case "edited":
            return by_key.judge_edit(fields, enclosed)
        case "own_alignment":
            return by_key.judge_alignment(enclosed)
        case "own_aesthetics":
            return by_key.judge_aesthetics(enclosed)
        case "own_rubric":
            return by_key.judge_by_rubric(fields, enclosed)
        case "own_grade":
            hint = {"hint": [fields.get("rubric", "")], "picture": enclosed.get("answer", ())}
            return by_key.judge_by_hint("rule_compliance", hint)
        case "checklist_of_parts":
            return by_key.judge_statements(fields, enclosed)
        case "compare":
            return by_key.compare_pictures(enclosed)
        case "knowledge_picture":
            return knowledge.judge_picture(fields, images)
        case "knowledge_text":
            return knowledge.judge_text(fields)
    if question.startswith("prism_alignment_"):  # one rule for all tracks
        return judging.judge_fit(fields, images)
    if question in by_key.HINTS:
        return by_key.judge_by_hint(question, enclosed)
    if question.endswith(BINARY):
        return by_key.judge_answer(question, fields, enclosed)
    raise Unsupported(f"the embedded world's judge does not know the question {question!r}")


Errors = Mapping[str, float]
"""`noise` and `bias`: the standard deviation and the shift of scores, in tenths of their scale; `slips`: the share of
all scores and verdicts that are slips. What is missing is 0.
"""


def add_errors(values: Values, errors: Errors, rng: random.Random, highest: int = 10) -> Values:
    """Whole numbers are scores from 0 to `highest`, shifted, noisy, rounded and cut off at the ends; at a slip any of
    them, about alike. At a slip verdicts, true and false are turned, and where the highest is 1, whole numbers too.
    """
    return {name: _with_errors(name, value, errors, rng, highest) for name, value in values.items()}


def error_rng(
    seed: int, question: str, fields: Mapping[str, str], images: Sequence[bytes], enclosed: Enclosed
) -> random.Random:
    """Return what a judge's errors go by: all that it is asked, so that equal requests get equal answers."""
    digest = hashlib.sha256(f"{seed} {question}".encode())
    parts: list[str | bytes] = [part for field in sorted(fields.items()) for part in field]
    parts += [*images, *(part for name, block in sorted(enclosed.items()) for part in (name, *block))]
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return random.Random(digest.digest())


def _with_errors(name: str, value: object, errors: Errors, rng: random.Random, highest: int) -> object:
    if isinstance(value, list):
        return [add_errors(one, errors, rng, highest) for one in value]
    slip, anything = rng.random() < errors.get("slips", 0.0), rng.randint(0, 10) % (highest + 1)
    noise = rng.gauss(errors.get("bias", 0.0), errors.get("noise", 0.0)) * (highest / 10)
    if name == "verdict":
        return {"Y": "N", "N": "Y"}[str(value)] if slip else value
    if isinstance(value, bool):
        return value != slip
    if isinstance(value, int):
        if highest == 1:
            return 1 - value if slip else value
        return anything if slip else min(highest, max(0, round(value + noise)))
    return value
