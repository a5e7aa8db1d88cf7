"""Whether both prompts of a case have one intent, as a model sees it: a reviewer is told (section 2.1)."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from stages.asking.material import enclosed
from stages.asking.questions import Asked, Question
from stages.asking.requests import Picture
from stages.evaluation.curating.slots import seed_for
from stages.gapeval.construction.answer_cases import BEFORE
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.tables import QUESTION, played, slots_of
from stages.project.stage import main
from stages.tables.columns import Row


class Intent(BaseModel):
    reason: str
    same: Literal["yes", "no"]


def objection(reply: Intent, fields: Mapping[str, str]) -> str | None:
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
    objection,
)


def checking(question: str, prompt: str, reference_text: str, pictures: Sequence[Picture], seed: int) -> Asked:
    fields = {"question": question, "prompt": prompt, "reference_text": reference_text}
    return CHECK_INTENT.about(fields, enclosed("pictures", pictures) if pictures else (), seed)


def check_intent(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        shown = slots.pictures(row["id"], "show_cases").get(QUESTION)
        words = (row["question"], row["prompt"], row["reference_text"])
        return checking(*words, [shown] if shown else [], seed_for(params, edition, row["id"]))

    def made(row: Row, value: Any) -> Row:
        return {"same": value.same, "why": value.reason.strip()}

    checker = played(params, "checker", "writer")
    slots.put_each("check_intent", checker, slots.usable(*BEFORE, "answer_cases"), conversation, made)


if __name__ == "__main__":
    main("gapeval.check_intent", check_intent, Params, *sys.argv[1:])
