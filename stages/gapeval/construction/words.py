"""What models say of cases: edits of pictures that they see, and whether both prompts of a case have one intent."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel

from stages.asking.material import enclosed
from stages.asking.questions import Asked, Question
from stages.asking.requests import Picture
from stages.evaluation.construction.slots import Slots, digest_of
from stages.gapeval.construction.cases import Prompts, in_columns
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import BEFORE, QUESTION
from stages.tables.columns import Row

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


def write_edits(slots: Slots[Params]) -> None:
    """Have edits written by whoever sees the pictures, explicit and implicit (section 2.2)."""

    def conversation(row: Row) -> Asked:
        picture = slots.pictures(row["id"], "show_cases")[QUESTION]
        fields, seed = {"challenge": row["subcategory"]}, slots.seed(row["id"])
        return WRITE_EDIT.about(fields, enclosed("picture", [picture]), seed)

    def made(row: Row, value: Any) -> Row:
        picture = digest_of(slots.pictures(row["id"], "show_cases")[QUESTION].data)
        words = asked(row["subcategory"], value.edit.strip(), value.reference_text.strip())
        return in_columns(words, {"proof": {"edit": value.edit.strip(), "picture": picture}})

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "instruction_following"]
    slots.ask("writer", rows, conversation, made)


class Intent(BaseModel):
    reason: str
    same: Literal["yes", "no"]


def objection_to_intent(reply: Intent, fields: Mapping[str, str]) -> str | None:
    return None if reply.reason.strip() else "`reason` is blank"


CHECK_INTENT = Question(
    "check_intent",
    "You check tasks for a test of models that answer one and the same question in words and in a picture.",
    """\
<question> is answered in words, <prompt> in a picture; pictures in <pictures>, where there are any, are given with \
both. Decide whether both ask for the same: whoever knows what is right on one side knows it on the other, neither \
says more than the other, neither gives the answer away, and <reference_text> is right on both. Words such as "name", \
"describe" and "generate an image of" differ, and that is as it should be.

Answer with a JSON object with `reason`, a short sentence, then `same`, "yes" or "no".""",
    Intent,
    objection_to_intent,
)


def checking(question: str, prompt: str, reference_text: str, pictures: Sequence[Picture], seed: int) -> Asked:
    fields = {"question": question, "prompt": prompt, "reference_text": reference_text}
    return CHECK_INTENT.about(fields, enclosed("pictures", pictures) if pictures else (), seed)


def check_intent(slots: Slots[Params]) -> None:
    """Ask whether both prompts of a case have one intent: a reviewer is told (section 2.1)."""

    def conversation(row: Row) -> Asked:
        shown = slots.pictures(row["id"], "show_cases").get(QUESTION)
        words = (row["question"], row["prompt"], row["reference_text"])
        return checking(*words, [shown] if shown else [], slots.seed(row["id"]))

    def made(row: Row, value: Any) -> Row:
        return {"same": value.same, "why": value.reason.strip()}

    slots.ask("checker", slots.usable(*BEFORE, "answer_cases"), conversation, made)
