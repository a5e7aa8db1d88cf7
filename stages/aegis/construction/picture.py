"""Input pictures: a person's own, else painted by the author as described, each with its origin (section 3.2)."""

import sys
from typing import Any

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import author_of, slots_of
from stages.asking.making import Painting
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.requests import Paint, seed_of
from stages.evaluation.curating.slots import Given, read_own_pictures
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def picture(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, author_of(params)
    own, painted_by = read_own_pictures(propose.pictures, edition, "input"), identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        seed = seed_of(row["record"], params.seed)
        painting = Painting(Paint(row["described"], propose.width, propose.height, seed), as_made)
        return Given(own[place].data) if (place := (row["id"], row["name"])) in own else painting

    def made(row: Row, value: Any) -> Row:
        return {"images": [own.image(row["id"], row["name"], value, f"painted by {painted_by}: {row['described']}")]}

    rows: list[Row] = [
        {"id": row["id"], "record": f"{row['id']}/input_{number}", "name": f"input_{number}", "described": described}
        for row in slots.usable("choose")
        for number, described in enumerate(row["pictures"], start=1)
    ]
    slots.put_each("picture", author, rows, conversation, made, own)


if __name__ == "__main__":
    main("aegis.picture", picture, Params, *sys.argv[1:])
