"""Edits of pictures, written by whoever sees them."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel

from gamut.asking.material import enclosed
from gamut.asking.questions import Asked, Question
from gamut.evaluation.construction.slots import Slots, digest_of
from gamut.tables.columns import Row
from stages.gapeval.construction.cases import Prompts, case_columns
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import QUESTION

Challenge = Literal["explicit", "implicit"]
CHALLENGES: tuple[Challenge, ...] = get_args(Challenge)
CHALLENGE_NOUN: Mapping[Challenge, str] = {"explicit": "change", "implicit": "rule"}
LONGEST_EDIT = 400
"""Characters of an edit: what takes more is no edit but a task of its own."""


class Edit(BaseModel):
    """The reply: what is to change, and what the picture shows then, as far as it differs."""

    edit: str
    reference_text: str


def objection(reply: Edit, fields: Mapping[str, str]) -> str | None:
    for name, text in (("edit", reply.edit), ("reference_text", reply.reference_text)):
        if not text.strip().endswith((".", "!")) or "\n" in text.strip():
            return f"`{name}` is to be one line that ends with a full stop"
        if len(text) > LONGEST_EDIT:
            return f"`{name}` has more than {LONGEST_EDIT} characters"
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


def edit_prompts(challenge: Challenge, edit: str, reference_text: str) -> Prompts:
    """Return an edit as a case."""
    told = f"the picture after this {CHALLENGE_NOUN[challenge]}: {edit}"
    return Prompts(f"Describe {told}", f"Generate {told}", reference_text)


def write_edits(slots: Slots[Params]) -> None:
    """Have edits written by whoever sees the pictures, explicit and implicit (section 2.2)."""

    def conversation(row: Row) -> Asked:
        picture = slots.pictures(row["id"], "show_cases")[QUESTION]
        fields, seed = {"challenge": row["subcategory"]}, slots.seed(row["id"])
        return WRITE_EDIT.about(fields, enclosed("picture", [picture]), seed)

    def reply_columns(row: Row, value: Any) -> Row:
        picture = digest_of(slots.pictures(row["id"], "show_cases")[QUESTION].data)
        words = edit_prompts(row["subcategory"], value.edit.strip(), value.reference_text.strip())
        return case_columns(words, {"proof": {"edit": value.edit.strip(), "picture": picture}})

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "instruction_following"]
    slots.ask("writer", rows, conversation, reply_columns)
