"""Reference pictures of entities: a person's own, else painted by the author from the name (section 3.1)."""

import sys
from typing import Any

from stages.asking.making import Painting
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.requests import Paint
from stages.evaluation.curating.slots import Given, read_own_pictures, seed_for
from stages.gir.construction.parameters import Params
from stages.gir.construction.tables import author_of, case_of, slots_of
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def show_entities(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, author_of(params)
    own, painted_by = read_own_pictures(propose.pictures, edition, "reference"), identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        seed = seed_for(params, edition, row["record"])
        painting = Painting(Paint(row["entity"], propose.width, propose.height, seed), as_made)
        return Given(own[place].data) if (place := (row["id"], row["name"])) in own else painting

    def made(row: Row, value: Any) -> Row:
        return {"images": [own.image(row["id"], row["name"], value, f"painted by {painted_by}: {row['entity']}")]}

    rows: list[Row] = [
        {"id": row["id"], "record": f"{row['id']}/{name}", "name": name, "entity": case_of(row)["entity"]}
        for row in slots.usable("list_entities")
        for name in (f"reference_{number}" for number in range(1, propose.references + 1))
    ]
    slots.put_each("show_entities", author, rows, conversation, made, own)


if __name__ == "__main__":
    main("gir.show_entities", show_entities, Params, *sys.argv[1:])
