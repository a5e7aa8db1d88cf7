"""The pictures of contexts: a person's own, else painted by the author as described, each with its origin."""

import sys
from typing import Any

from stages.asking.making import Painting
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.requests import Paint
from stages.evaluation.curating.slots import Given, read_own_pictures, seed_for
from stages.genius.construction.parameters import Params
from stages.genius.construction.tables import author_of, slots_of
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def paint_pictures(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, author_of(params)
    own, painted_by = read_own_pictures(propose.pictures, edition, "input"), identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        if (place := (row["id"], row["name"])) in own:
            return Given(own[place].data)
        seed = seed_for(params, edition, f"{row['record']} painted")
        return Painting(Paint(row["described"], propose.width, propose.height, seed), as_made)

    def made(row: Row, value: Any) -> Row:
        return {"images": [own.image(row["id"], row["name"], value, f"painted by {painted_by}: {row['described']}")]}

    whole = {row["id"] for row in slots.usable("draw_cases", "describe_pictures")}
    rows: list[Row] = [
        row | {"record": f"{row['id']}/{row['name']}"} for row in slots.rows("describe_pictures") if row["id"] in whole
    ]
    slots.put_each("paint_pictures", author, rows, conversation, made, own)


if __name__ == "__main__":
    main("genius.paint_pictures", paint_pictures, Params, *sys.argv[1:])
