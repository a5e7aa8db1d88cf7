"""Entities as cases: the first ones of the list, with others of the domain to choose from; shown, described and guessed
(section 3.1).
"""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from gamut.asking.outcomes import Conversation
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.seeing import Computing
from gamut.evaluation.construction.slots import Slots, pack_case, unpack_case
from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict, read_checked, require_once
from gamut.tables.columns import Row, make_id
from gamut.texts.names import name_word_in
from stages.gir.construction.parameters import Params
from stages.gir.shared.items import DISTRACTORS, SUBSETS, Task

Name = Annotated[str, Field(pattern=r"^\S+( \S+)*$")]


class Entity(Strict):
    """An entity: its name for contestants, and other right names. `description`: used if the prompt may not name it.
    Without one, role `writer` is asked for it.
    """

    name: Name
    names: list[Name] = Field(default_factory=list)
    description: Name | None = None

    @model_validator(mode="after")
    def _is_not_named(self) -> Self:
        fields = {"entity": self.name, "names": "\n".join(self.accepted)}
        if self.description and (why := objection(Described(description=self.description), fields)):
            raise ValueError(f"description of {self.name!r}: {why}")
        return self

    @property
    def accepted(self) -> list[str]:
        return [self.name, *self.names]


Domain = Annotated[list[Entity], Field(min_length=DISTRACTORS + 1)]


class Entities(Strict):
    """Entities by domain. No name and no description belongs to two of them, ignoring case."""

    zoology: Domain
    botany: Domain
    geography: Domain

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        for domain in (self.zoology, self.botany, self.geography):
            require_once(name.casefold() for entity in domain for name in entity.accepted)
        require_once(filter(None, self.descriptions.values()))
        return self

    @property
    def descriptions(self) -> dict[tuple[Task, str], str | None]:
        """Return what the pool says of each entity, by domain and name."""
        return {(task, one.name): one.description for task in SUBSETS["ugc"] for one in getattr(self, task)}


def read_entities(folder: Path) -> Entities:
    return read_checked(Entities, folder / "entities.yaml")


def list_entities(slots: Slots[Params]) -> None:
    entities = read_entities(Path(slots.params.propose.pools))
    slots.write([row for domain in SUBSETS["ugc"] for row in rows_of(slots, domain, entities)])


def rows_of(slots: Slots[Params], domain: Task, entities: Entities) -> list[Row]:
    """Return rows in the list's order, which finds a person's own pictures. UserError if it is too short."""
    propose, rows = slots.params.propose, []
    count, listed = getattr(propose.drafts, domain), getattr(entities, domain)
    if count > len(listed):
        raise UserError(
            f"{EDITIONS}: gir.drafts.{domain}: {count:,} are expected, but {propose.pools}/entities.yaml has "
            f"{len(listed):,}: add some there"
        )
    for number, entity in enumerate(listed[:count]):
        row_id = make_id(domain, number)
        others = [other.name for other in listed if other is not entity]
        drawn = random.Random(slots.seed(f"{row_id} distractors")).sample(others, DISTRACTORS)
        case = {"entity": entity.name, "names": entity.accepted, "distractors": drawn}
        rows.append({"id": row_id, "status": "ok", "task": domain, "case": pack_case(case)})
    return rows


def show_entities(slots: Slots[Params]) -> None:
    """Make the reference pictures: a person's own, or painted by the author from the name."""
    rows: list[Row] = [
        {"id": row["id"], "name": f"reference_{number}", "described": unpack_case(row)["entity"]}
        for row in slots.usable("list_entities")
        for number in range(1, slots.params.propose.references + 1)
    ]
    slots.paint(rows, slots.own_pictures("reference"), lambda row: slots.seed(f"{row['id']}/{row['name']}"))


class Described(BaseModel):
    description: str


def objection(reply: Described, fields: Mapping[str, str]) -> str | None:
    if not reply.description.strip().endswith((".", "。")):
        return "a sentence is expected, with a full stop"
    word = name_word_in(reply.description, [fields["entity"], *fields["names"].splitlines()])
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


def describe(slots: Slots[Params]) -> None:
    """Take implicit descriptions from the pool, and ask for missing ones."""
    descriptions = read_entities(Path(slots.params.propose.pools)).descriptions

    def conversation(row: Row) -> Conversation:
        case = unpack_case(row)
        if description := descriptions[row["task"], case["entity"]]:
            return Computing(lambda: Described(description=description))
        fields = {"entity": case["entity"], "names": "\n".join(case["names"])}
        return DESCRIBE_ENTITY.about(fields, seed=slots.seed(row["id"]))

    rows = slots.usable("list_entities", "show_entities")
    slots.ask("writer", rows, conversation, lambda row, reply: {"prompt": reply.description.strip()})


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


def guess(slots: Slots[Params]) -> None:
    """Ask another model what a description means. If it cannot guess, the description may fit several things."""

    def conversation(row: Row) -> AskedQuestion:
        return GUESS_ENTITY.about({"description": row["prompt"]}, seed=slots.seed(row["id"]))

    rows = slots.usable("list_entities", "show_entities", "describe")
    slots.ask("guesser", rows, conversation, lambda row, reply: {"guess": reply.guess.strip()})
