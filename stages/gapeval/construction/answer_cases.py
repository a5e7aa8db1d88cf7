"""Reference pictures of numbers and edits: a person's own, else the author's, which paints numbers and edits pictures.

Numbers are painted from what is right in words, edits are made of the picture that is given.
"""

import sys
from typing import Any

from stages.asking.making import Creating, Painting
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.parts import Created
from stages.asking.requests import Create, Paint
from stages.evaluation.curating.slots import Given, seed_for
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.tables import QUESTION, REFERENCE, own_pictures, played, slots_of
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made, upright_rgb

BEFORE = ("list_cases", "show_cases", "count_things", "write_edits")


def answer_cases(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, played(params, "author", "creator")
    rows = [row for row in slots.usable(*BEFORE) if row["category"] != "world_knowledge"]
    own = own_pictures(params, edition, [(row["id"], REFERENCE) for row in rows])
    made_by = identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        if (place := (row["id"], REFERENCE)) in own:
            return Given(own[place].data)
        seed = seed_for(params, edition, f"{row['id']} reference")
        if row["category"] == "numerical":
            return Painting(Paint(row["painted"], propose.width, propose.height, seed), as_made)
        shown = slots.pictures(row["id"], "show_cases")[QUESTION]
        size = upright_rgb(shown.data).size
        return Creating(Create((shown, row["prompt"]), ("image",), *size, seed), as_made)

    def made(row: Row, value: Any) -> Row:
        data = value.pictures[0] if isinstance(value, Created) else value
        return {"images": [own.image(row["id"], REFERENCE, data, f"made by {made_by}")]}

    slots.put_each("answer_cases", author, rows, conversation, made, own)


if __name__ == "__main__":
    main("gapeval.answer_cases", answer_cases, Params, *sys.argv[1:])
