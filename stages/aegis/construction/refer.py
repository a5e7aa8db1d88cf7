"""Reference answers: the author model's to clear prompts (section 3.2).

A person revises them: texts in the review, and pictures by own ones, which stand before the author's.
"""

import sys
from typing import Any

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import author_of, slots_of
from stages.aegis.shared.items import WANTED
from stages.asking.making import Creating
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.parts import Created
from stages.asking.requests import Create, seed_of
from stages.evaluation.curating.slots import Given, read_own_pictures
from stages.evaluation.running.placing import placed, told
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def refer(params: Params, edition: str) -> None:
    slots, propose, author = slots_of(params, edition), params.propose, author_of(params)
    own, made_by = read_own_pictures(propose.pictures, edition, "reference"), identity_of(author)["id"]

    def conversation(row: Row) -> Conversation:
        wanted, place = WANTED[row["task"]], (row["id"], "reference_1")
        if wanted == ("image",) and place in own:
            return Given(Created((own[place].data,)))
        parts = placed(row["clear_prompt"], slots.pictures(row["id"], "picture"), "in_place")
        width, height = (propose.width, propose.height) if "image" in wanted else (0, 0)
        return Creating(Create(parts, wanted, width, height, seed_of(row["id"], params.seed)), as_made)

    def made(row: Row, value: Any) -> Row:
        wanted = WANTED[row["task"]]
        text, pictures = told(value.parts if "image" in wanted else value.texts)
        if "text" not in wanted:
            text, pictures = "", pictures[:1]
        numbered = enumerate(pictures, start=1)
        images = [own.image(row["id"], f"reference_{at}", one, f"made by {made_by}") for at, one in numbered]
        return {"reference": text, "images": images}

    slots.put_each("refer", author, slots.usable("choose", "picture"), conversation, made, own)


if __name__ == "__main__":
    main("aegis.refer", refer, Params, *sys.argv[1:])
