"""Whether wrong options are wrong that the rule engine cannot read: a model is asked about each of these, no others."""

import sys
from typing import Any

from stages.asking.questions import Asked
from stages.evaluation.curating.slots import seed_for
from stages.genius.construction.parameters import Params
from stages.genius.construction.probes import checking, unread
from stages.genius.construction.tables import checker_of, pool_of, slots_of
from stages.project.stage import main
from stages.tables.columns import Row


def check_distractors(params: Params, edition: str) -> None:
    slots, pool = slots_of(params, edition), pool_of(params)

    def conversation(row: Row) -> Asked:
        return checking(row["distractor"], row["rule_hint"], seed_for(params, edition, f"{row['record']} checked"))

    def made(row: Row, value: Any) -> Row:
        return {"wrong": value.wrong, "why": value.reason.strip()}

    rows: list[Row] = [
        {"id": row["id"], "record": f"{row['id']}/{number}", "distractor": text, "rule_hint": row["rule_hint"]}
        for row in slots.usable("write_distractors")
        for number, text in enumerate(row["distractors"], start=1)
        if text in unread(row["distractors"], row["rule_hint"], pool)
    ]
    slots.put_each("check_distractors", checker_of(params), rows, conversation, made)


if __name__ == "__main__":
    main("genius.check_distractors", check_distractors, Params, *sys.argv[1:])
