"""The checklist: atomic questions about an answer, each answered Y or N and tied to a keyword (section 3.3)."""

import sys
from typing import Any

from stages.aegis.construction.tables import slots_of
from stages.aegis.shared.items import ABOUT
from stages.aegis.shared.parameters import Params
from stages.asking.material import enclosed
from stages.asking.questions import Asked
from stages.asking.requests import seed_of
from stages.evaluation.curating.checklist_writing import write_checklist
from stages.evaluation.running.placing import placed
from stages.project.stage import main
from stages.tables.columns import Row

WRITE_CHECKLIST = write_checklist(ABOUT)


def check(params: Params, edition: str) -> None:
    """Ask for the checklist of every slot with keywords."""
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        given = tuple(slots.pictures(row["id"], "picture").values())
        shown = placed(row["reference"], slots.pictures(row["id"], "refer"), "in_place")
        fields = {"task": row["task"], "clear_prompt": row["clear_prompt"], "keywords": "\n".join(row["keywords"])}
        material = (*enclosed("input", given), *enclosed("reference", shown))
        return WRITE_CHECKLIST.about(fields, material, seed_of(row["id"], params.seed))

    def made(row: Row, value: Any) -> Row:
        return {"questions": [one.model_dump() for one in value.questions]}

    rows = slots.usable("choose", "picture", "refer", "extract")
    slots.put_each("check", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("aegis.check", check, Params, *sys.argv[1:])
