"""What another model takes a description for: one that it cannot guess may fit several things (section 3.1)."""

import sys
from typing import Any

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.evaluation.curating.slots import seed_for
from stages.gir.construction.parameters import Params
from stages.gir.construction.tables import slots_of
from stages.project.roles import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row


class Guessed(BaseModel):
    guess: str


GUESS_ENTITY = Question(
    "guess_entity",
    "You solve riddles about the world.",
    """\
Name the one thing that <description> describes, as exactly as the description allows, in as few words as you can.

Answer with a JSON object with the one key `guess`.""",
    Guessed,
    lambda reply, fields: None if reply.guess.strip() else "it is blank",
)


def guess(params: Params, edition: str) -> None:
    slots, guesser = slots_of(params, edition), params.propose.guesser

    def conversation(row: Row) -> Asked:
        return GUESS_ENTITY.about({"description": row["prompt"]}, seed=seed_for(params, edition, row["id"]))

    def made(row: Row, value: Any) -> Row:
        return {"guess": value.guess.strip()}

    rows = slots.usable("list_entities", "show_entities", "describe")
    slots.put_each("guess", RoleModel("writer", guesser, params.models[guesser]), rows, conversation, made)


if __name__ == "__main__":
    main("gir.guess", guess, Params, *sys.argv[1:])
