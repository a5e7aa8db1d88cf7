"""The pictures of contexts, described for their painter, then painted or a person's own."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.evaluation.construction.slots import Slots
from stages.genius.construction.parameters import Params
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


def describe_pictures(slots: Slots[Params]) -> None:
    """Have a prompt written for each picture: what it is to show, as a painter is best told."""

    def conversation(row: Row) -> Asked:
        return DESCRIBE_PICTURE.about({"shows": row["shows"]}, seed=slots.seed(f"{row['id']}/{row['name']}"))

    def made(row: Row, value: Any) -> Row:
        return {"described": value.prompt.strip()}

    rows: list[Row] = [
        {"id": row["id"], **picture} for row in slots.usable("draw_cases") for picture in row["pictures"]
    ]
    slots.ask("writer", rows, conversation, made)


def paint_pictures(slots: Slots[Params]) -> None:
    """Make the pictures: a person's own, else painted by the author as described."""
    whole = {row["id"] for row in slots.usable("draw_cases", "describe_pictures")}
    rows = [row for row in slots.rows("describe_pictures") if row["id"] in whole]
    slots.paint(rows, slots.own_pictures("input"), lambda row: slots.seed(f"{row['id']}/{row['name']} painted"))
