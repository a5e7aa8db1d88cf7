"""Whether both prompts of a case have one intent, as a model sees it: a reviewer is told (section 2.1)."""

import sys
from typing import Any

from stages.asking.questions import Asked
from stages.gapeval.construction.answer_cases import BEFORE
from stages.gapeval.construction.intent import checking
from stages.gapeval.construction.tables import QUESTION, played, seed_for, slots_of
from stages.gapeval.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def check_intent(params: Params, edition: str) -> None:
    """Have every pair of prompts checked."""
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
