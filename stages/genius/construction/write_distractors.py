"""The wrong options of probes: three a case, of which none may be what the case's rule comes to (section 3.2)."""

import sys
from typing import Any

from stages.asking.questions import Asked
from stages.evaluation.curating.slots import seed_for
from stages.genius.construction.parameters import Params
from stages.genius.construction.probes import writing
from stages.genius.construction.tables import pool_of, slots_of
from stages.project.stage import main
from stages.tables.columns import Row


def write_distractors(params: Params, edition: str) -> None:
    slots, pool = slots_of(params, edition), pool_of(params)

    def conversation(row: Row) -> Asked:
        seed = seed_for(params, edition, f"{row['id']} distractors")
        return writing(row["context"], row["prompt"], row["rule_hint"], row["others"], pool, seed)

    def made(row: Row, value: Any) -> Row:
        return {"distractors": [text.strip() for text in value.distractors]}

    writer, rows = params.role_model("writer"), slots.usable("draw_cases")
    slots.put_each("write_distractors", writer, rows, conversation, made)


if __name__ == "__main__":
    main("genius.write_distractors", write_distractors, Params, *sys.argv[1:])
