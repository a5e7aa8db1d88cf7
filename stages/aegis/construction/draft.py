"""Clear prompts for every topic and task: several attempts, each with a thinking direction of its own (section 3.2)."""

import random
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import Taxonomy, read_taxonomy, slots_of
from stages.aegis.shared.items import DOMAIN_OF
from stages.asking.questions import Asked, Question
from stages.asking.requests import seed_of
from stages.evaluation.running.placing import misnaming
from stages.project.errors import UserError
from stages.project.pipeline import EDITIONS
from stages.project.stage import main
from stages.tables.columns import Row, make_id


class Drafted(BaseModel):
    """The reply: the prompt, and a description of each picture that it names."""

    clear_prompt: str
    pictures: list[str]


MOST_PICTURES = 6


def objection(reply: Drafted, fields: Mapping[str, str]) -> str | None:
    if not all(text.strip() for text in (reply.clear_prompt, *reply.pictures)):
        return "nothing may be blank"
    if fields["task"] == "editing" and not reply.pictures:
        return "an edit needs a picture: name it <image1> and describe it in `pictures`"
    if len(reply.pictures) > MOST_PICTURES:
        return f"{MOST_PICTURES} pictures are enough"
    return misnaming(reply.clear_prompt, len(reply.pictures))


DRAFT_TASK = Question(
    "draft_task",
    "You write tasks for a test of what multimodal models know about the world.",
    """\
Write one task about <topic>, which is about <about>. Think in the direction of <direction>. What <task> says is \
wanted: understanding (a question about pictures, or about facts, answered in words), generation (a picture to be \
made), editing (a picture that is given to be changed), interleaved (words and pictures in one answer, such as steps).

Say all that is wanted in plain words: there is one right answer, which somebody who knows the topic can give without \
guessing and without a chain of reasoning. Given pictures are named <image1>, <image2> and so on; name each of \
them, and describe each so that it could be painted from the description alone.

Answer with a JSON object with `clear_prompt`, then `pictures`: a list of their descriptions in order, empty where no \
picture is given.""",
    Drafted,
    objection,
)


def draft(params: Params, edition: str) -> None:
    taxonomy = read_taxonomy(params.propose.taxonomy)

    def conversation(row: Row) -> Asked:
        fields = {name: row[name] for name in ("topic", "task", "direction")} | {"about": taxonomy.topics[row["topic"]]}
        return DRAFT_TASK.about(fields, seed=seed_of(f"{row['id']}/{row['direction']}", params.seed))

    def made(row: Row, value: Any) -> Row:
        return {"clear_prompt": value.clear_prompt.strip(), "pictures": value.pictures}

    writer, rows = params.role_model("writer"), attempts(params, taxonomy)
    slots_of(params, edition).put_each("draft", writer, rows, conversation, made)


def attempts(params: Params, taxonomy: Taxonomy) -> list[Row]:
    """Return the attempts at every slot, their directions drawn by seed; UserError where there are too few."""
    propose, known = params.propose, taxonomy.directions
    if propose.attempts > len(known):
        raise UserError(f"{EDITIONS}: aegis.attempts: {propose.taxonomy} has {len(known)} directions: add some there")
    named = [topic for topic in DOMAIN_OF if propose.topics is None or topic in propose.topics]
    slots = [(topic, task, number) for topic in named for task, count in propose.drafts for number in range(count)]
    rows = []
    for topic, task, number in slots:
        slot = {"id": make_id(f"{topic}-{task}", number), "topic": topic, "task": task}
        drawn = random.Random(seed_of(f"{slot['id']} directions", params.seed)).sample(known, propose.attempts)
        rows += [slot | {"direction": direction} for direction in drawn]
    return rows


if __name__ == "__main__":
    main("aegis.draft", draft, Params, *sys.argv[1:])
