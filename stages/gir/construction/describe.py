"""Implicit descriptions of entities: what is asked for where nobody may name it (section 3.1)."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.evaluation.curating.slots import seed_for
from stages.gir.construction.list_entities import named_in
from stages.gir.construction.parameters import Params
from stages.gir.construction.tables import case_of, slots_of
from stages.project.stage import main
from stages.tables.columns import Row


class Described(BaseModel):
    description: str


def objection(reply: Described, fields: Mapping[str, str]) -> str | None:
    if not reply.description.strip().endswith((".", "。")):
        return "a sentence is wanted, with a full stop"
    word = named_in(reply.description, [fields["entity"], *fields["names"].splitlines()])
    return f"{word!r} is a word of its name: describe it without" if word else None


DESCRIBE_ENTITY = Question(
    "describe_entity",
    "You write riddles for a test of what models that paint know about the world.",
    """\
Describe <entity> in one sentence or two, so that whoever knows the world can tell for sure what is meant and paint \
it, and so that it is no other thing: by what it does, where it is, what it is known for. Use no word of its name, of \
the names in <names>, or of any synonym or translation of them.

Answer with a JSON object with the one key `description`.""",
    Described,
    objection,
)


def describing(entity: str, names: Sequence[str], seed: int) -> Asked:
    return DESCRIBE_ENTITY.about({"entity": entity, "names": "\n".join(names)}, seed=seed)


def describe(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)

    def conversation(row: Row) -> Asked:
        case = case_of(row)
        return describing(case["entity"], case["names"], seed_for(params, edition, row["id"]))

    def made(row: Row, value: Any) -> Row:
        return {"prompt": value.description.strip()}

    rows = slots.usable("list_entities", "show_entities")
    slots.put_each("describe", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("gir.describe", describe, Params, *sys.argv[1:])
