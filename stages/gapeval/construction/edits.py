"""Edits of a picture, told outright or as a rule to be understood (section 2.2, Instruction Following).

Both prompts have the same words for what changes: so they cannot mean different things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import BaseModel

from stages.asking.questions import Question
from stages.gapeval.construction.prompts import Prompts

Challenge = Literal["explicit", "implicit"]
CHALLENGES: tuple[Challenge, ...] = get_args(Challenge)
CALLED: Mapping[Challenge, str] = {"explicit": "change", "implicit": "rule"}
LONGEST = 400
"""Characters of an edit: what takes more is no edit but a task of its own."""


class Edit(BaseModel):
    """The reply: what is to change, and what the picture shows then, as far as it differs."""

    edit: str
    reference_text: str


def objection(reply: Edit, fields: Mapping[str, str]) -> str | None:
    """Return why an edit cannot be used."""
    for name, text in (("edit", reply.edit), ("reference_text", reply.reference_text)):
        if not text.strip().endswith((".", "!")) or "\n" in text.strip():
            return f"`{name}` is to be one line that ends with a full stop"
        if len(text) > LONGEST:
            return f"`{name}` has more than {LONGEST} characters"
    return None


WRITE_EDIT = Question(
    "write_edit",
    "You write tasks for a test of models that see, write and edit pictures.",
    """\
Look at the picture in <picture> and write one edit of it. What <challenge> says is wanted: explicit, a change that \
names what is to be changed, where it is and into what; or implicit, a rule that does not name what is to be changed: \
whoever applies it has to find out from the picture what it concerns ("Whatever can fly disappears."). Everything that \
the edit needs is to be seen in the picture, exactly one thing or group of things changes, and it is plain for \
everybody whether it was done.

Answer with a JSON object with `edit`, one sentence or two in a line, then `reference_text`, a sentence that says what \
the picture shows where it has changed.""",
    Edit,
    objection,
)


def asked(challenge: Challenge, edit: str, reference_text: str) -> Prompts:
    """Return an edit as a case."""
    told = f"the picture after this {CALLED[challenge]}: {edit}"
    return Prompts(f"Describe {told}", f"Generate {told}", reference_text)
