"""The first picture of each case: a person's own, else painted by the author. Of an entity it is the reference."""

import sys
from typing import Any

from stages.asking.making import Painting
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.requests import Paint
from stages.evaluation.curating.slots import Given, seed_for
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.tables import QUESTION, REFERENCE, own_pictures, played, slots_of
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def show_cases(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, played(params, "author", "creator")
    rows = slots.usable("list_cases")
    own = own_pictures(params, edition, [(row["id"], first_of(row)) for row in rows])
    painted_by = identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        if (place := (row["id"], first_of(row))) in own:
            return Given(own[place].data)
        seed = seed_for(params, edition, f"{row['id']} first")
        return Painting(Paint(row["painted"], propose.width, propose.height, seed), as_made)

    def made(row: Row, value: Any) -> Row:
        return {"images": [own.image(row["id"], first_of(row), value, f"painted by {painted_by}: {row['painted']}")]}

    slots.put_each("show_cases", author, rows, conversation, made, own)


def first_of(row: Row) -> str:
    """Return the name of a case's first picture."""
    return REFERENCE if row["category"] == "world_knowledge" else QUESTION


if __name__ == "__main__":
    main("gapeval.show_cases", show_cases, Params, *sys.argv[1:])
