"""Prompts for the pictures of contexts: what they are to show, as a painter is best told."""

import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.evaluation.curating.slots import seed_for
from stages.genius.construction.parameters import Params
from stages.genius.construction.tables import slots_of
from stages.project.stage import main
from stages.tables.columns import Row

LONGEST = 1000
"""Characters of a prompt."""


class Described(BaseModel):
    prompt: str


def objection(reply: Described, fields: Mapping[str, str]) -> str | None:
    if not reply.prompt.strip() or "\n" in reply.prompt.strip():
        return "`prompt` is to be one line"
    return f"`prompt` has more than {LONGEST} characters" if len(reply.prompt) > LONGEST else None


DESCRIBE_PICTURE = Question(
    "describe_picture",
    "You write prompts for a model that paints.",
    """\
<shows> says plainly what a picture is to show. Write a prompt for it. Everything that it says has to be in the \
picture and easily seen: kinds, numbers, colours, places, the manner in which it is made, light and mood. Add what \
makes a good picture of it, but no further things, numbers or colours that could be taken for a part of what is said.

Answer with a JSON object with the one key `prompt`, one line.""",
    Described,
    objection,
)


def describe_pictures(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        return DESCRIBE_PICTURE.about({"shows": row["shows"]}, seed=seed_for(params, edition, row["record"]))

    def made(row: Row, value: Any) -> Row:
        return {"described": value.prompt.strip()}

    rows: list[Row] = [
        {"id": row["id"], "record": f"{row['id']}/{picture['name']}", **picture}
        for row in slots.usable("draw_cases")
        for picture in row["pictures"]
    ]
    slots.put_each("describe_pictures", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("genius.describe_pictures", describe_pictures, Params, *sys.argv[1:])
