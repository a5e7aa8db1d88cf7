"""Implicit descriptions of entities: what is asked for where nobody may name it (section 3.1)."""

import sys
from typing import Any

from stages.asking.questions import Asked
from stages.gir.construction.describing import describing
from stages.gir.construction.tables import case_of, seed_for, slots_of
from stages.gir.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def describe(params: Params, edition: str) -> None:
    """Ask for a description of every entity."""
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        case = case_of(row)
        return describing(case["entity"], case["names"], seed_for(params, edition, row["id"]))

    def made(row: Row, value: Any) -> Row:
        return {"prompt": value.description.strip()}

    rows = slots.usable("list_entities", "show_entities")
    slots.put_each("describe", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("gir.describe", describe, Params, *sys.argv[1:])
