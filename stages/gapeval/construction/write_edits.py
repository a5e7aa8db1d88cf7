"""Edits of pictures, explicit and implicit, as a model that sees them writes them (section 2.2)."""

import sys
from typing import Any

from stages.asking.material import enclosed
from stages.asking.questions import Asked
from stages.gapeval.construction.edits import WRITE_EDIT, asked
from stages.gapeval.construction.tables import QUESTION, digest_of, in_columns, seed_for, slots_of
from stages.gapeval.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def write_edits(params: Params, edition: str) -> None:
    """Ask for an edit of every picture that is to be edited."""
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        picture = slots.pictures(row["id"], "show_cases")[QUESTION]
        fields, seed = {"challenge": row["subcategory"]}, seed_for(params, edition, row["id"])
        return WRITE_EDIT.about(fields, enclosed("picture", [picture]), seed)

    def made(row: Row, value: Any) -> Row:
        picture = digest_of(slots.pictures(row["id"], "show_cases")[QUESTION].data)
        words = asked(row["subcategory"], value.edit.strip(), value.reference_text.strip())
        return in_columns(words, {"proof": {"edit": value.edit.strip(), "picture": picture}})

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "instruction_following"]
    slots.put_each("write_edits", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("gapeval.write_edits", write_edits, Params, *sys.argv[1:])
