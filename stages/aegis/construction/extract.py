"""Keywords: the key points of clear prompts and references (section 3.2)."""

import sys
from typing import Any

from stages.aegis.construction.tables import slots_of
from stages.aegis.shared.parameters import Params
from stages.asking.material import enclosed
from stages.asking.questions import Asked
from stages.asking.requests import seed_of
from stages.evaluation.curating.checklist_writing import EXTRACT_KEYWORDS
from stages.evaluation.running.placing import placed
from stages.project.stage import main
from stages.tables.columns import Row


def extract(params: Params, edition: str) -> None:
    """Ask for the keywords of every slot with a reference."""
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        shown = placed(row["reference"], slots.pictures(row["id"], "refer"), "in_place")
        fields = {name: row[name] for name in ("clear_prompt", "reference")}
        return EXTRACT_KEYWORDS.about(fields, enclosed("reference", shown), seed_of(row["id"], params.seed))

    def made(row: Row, value: Any) -> Row:
        return {"keywords": value.plain}

    slots.put_each(
        "extract", params.role_model("writer"), slots.usable("choose", "picture", "refer"), conversation, made
    )


if __name__ == "__main__":
    main("aegis.extract", extract, Params, *sys.argv[1:])
