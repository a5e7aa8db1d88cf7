"""The tasks (section 3.2): clear prompts, prompts in people's words, input pictures and reference answers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from gamut.asking.making import Creating
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation
from gamut.asking.parts import Created
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import Create, seed_of
from gamut.asking.seeing import Computing
from gamut.evaluation.construction.slots import Slots
from gamut.evaluation.running.placing import misnaming, names_in, numbered_text, place_pictures
from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS
from gamut.tables.columns import Row, grouped, make_id
from gamut.tables.images import require_picture
from gamut.texts.near_duplicates import Reading, near_duplicate_similarity
from stages.aegis.construction.parameters import Params, Taxonomy, read_taxonomy
from stages.aegis.shared.items import DOMAIN_OF, WANTED


class Drafted(BaseModel):
    """The reply: the prompt, and a description of each picture that it names."""

    clear_prompt: str
    pictures: list[str]


MOST_PICTURES = 6


def objection_to_draft(reply: Drafted, fields: Mapping[str, str]) -> str | None:
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
    objection_to_draft,
)


def draft(slots: Slots[Params]) -> None:
    """Have clear prompts written for every topic and task: several attempts, each with its own direction."""
    taxonomy = read_taxonomy(slots.params.propose.taxonomy)

    def conversation(row: Row) -> AskedQuestion:
        fields = {name: row[name] for name in ("topic", "task", "direction")} | {"about": taxonomy.topics[row["topic"]]}
        return DRAFT_TASK.about(fields, seed=seed_of(f"{row['id']}/{row['direction']}", slots.params.seed))

    def drafted(row: Row, reply: Any) -> Row:
        return {"clear_prompt": reply.clear_prompt.strip(), "pictures": reply.pictures}

    slots.ask("writer", attempts(slots.params, taxonomy), conversation, drafted)


def attempts(params: Params, taxonomy: Taxonomy) -> list[Row]:
    """Return the attempts for every slot, with directions drawn by seed. UserError if there are too few."""
    propose, known = params.propose, taxonomy.directions
    if propose.attempts > len(known):
        raise UserError(f"{EDITIONS}: aegis.attempts: {propose.taxonomy} has only {len(known)} directions: add some")
    named = [topic for topic in DOMAIN_OF if propose.topics is None or topic in propose.topics]
    slots = [(topic, task, number) for topic in named for task, count in propose.drafts for number in range(count)]
    rows = []
    for topic, task, number in slots:
        slot = {"id": make_id(f"{topic}-{task}", number), "topic": topic, "task": task}
        drawn = random.Random(seed_of(f"{slot['id']} directions", params.seed)).sample(known, propose.attempts)
        rows += [slot | {"direction": direction} for direction in drawn]
    return rows


def choose_attempts(attempts: Mapping[str, Sequence[Row]], text: str, similarity: float, seed: int) -> list[Row]:
    """Return a row for every slot, in their order. Slots choose in an order that is drawn by seed.

    `attempts`: rows with a status, a reason and a `text`, by slot. If none can be chosen, the first one is left out, as
    a `near_duplicate` if any was one, else with its own status. Its reason has the reason of each attempt.
    """
    taken: list[tuple[Reading, str]] = []
    choices: dict[str, Row] = {}
    for slot in sorted(attempts, key=lambda slot: seed_of(f"{slot} turn", seed)):
        reasons, statuses = [], []
        for number, row in enumerate(attempts[slot], start=1):
            status, reason = row["status"], row["reason"]
            if status == "ok":
                reading = Reading(row[text])
                twin = next(
                    (other for earlier, other in taken if near_duplicate_similarity(earlier, reading, similarity)), None
                )
                if twin is None:
                    taken.append((reading, slot))
                    choices[slot] = row
                    break
                status, reason = "near_duplicate", f"resembles {twin}"
            statuses.append(status)
            reasons.append(f"attempt {number}: {reason}")
        else:
            status = "near_duplicate" if "near_duplicate" in statuses else statuses[0]
            choices[slot] = attempts[slot][0] | {"status": status, "reason": "; ".join(reasons)}
    return [choices[slot] for slot in attempts]


def choose(slots: Slots[Params]) -> None:
    """Take for every slot the first clear prompt that is unlike all that were taken before."""
    attempts = grouped((row["id"], row) for row in slots.rows("draft"))
    slots.write(choose_attempts(attempts, "clear_prompt", slots.params.propose.similarity, slots.params.seed))


class Enhanced(BaseModel):
    prompt: str


def objection_to_prompt(reply: Enhanced, fields: Mapping[str, str]) -> str | None:
    return misnaming(reply.prompt, len(names_in(fields["clear_prompt"]))) if reply.prompt.strip() else "it is blank"


ADD_REASONING = Question(
    "add_reasoning",
    "You write tasks for a test of what multimodal models know about the world.",
    """\
Put the task of <clear_prompt> as somebody would who leaves things to be understood: whoever answers first has to find \
out what is meant, by reasoning of the kind <reasoning>, which is about <about>. The right answer stays the \
same to the last detail, and nothing that is asked for is lost. Every picture that is named, as <image1>, stays \
named just so, and no other is. Where the kind is none, change nothing but the tone: say it as people would.

Answer with a JSON object with the one key `prompt`.""",
    Enhanced,
    objection_to_prompt,
)


def enhance(slots: Slots[Params]) -> None:
    """Have prompts rewritten in people's words: their meaning needs reasoning of a kind drawn by seed."""
    taxonomy, rows, seed = read_taxonomy(slots.params.propose.taxonomy), slots.usable("choose"), slots.params.seed
    for row in rows:
        drawn = random.Random(seed_of(f"{row['id']} reasoning", seed))
        [row["reasoning"]] = drawn.choices(list(taxonomy.shares), list(taxonomy.shares.values()))

    def conversation(row: Row) -> AskedQuestion:
        kind = {"reasoning": row["reasoning"], "about": taxonomy.reasoning[row["reasoning"]]}
        return ADD_REASONING.about({"clear_prompt": row["clear_prompt"]} | kind, seed=seed_of(row["id"], seed))

    slots.ask("writer", rows, conversation, lambda row, reply: {"prompt": reply.prompt.strip()})


def picture(slots: Slots[Params]) -> None:
    """Take a person's own input pictures, and have the author paint the others from their descriptions."""
    rows: list[Row] = [
        {"id": row["id"], "name": f"input_{number}", "described": described}
        for row in slots.usable("choose")
        for number, described in enumerate(row["pictures"], start=1)
    ]
    own = slots.own_pictures("input")
    slots.paint(rows, own, lambda row: seed_of(f"{row['id']}/{row['name']}", slots.params.seed))


def refer(slots: Slots[Params]) -> None:
    """Have the author answer the clear prompts. A person's own pictures replace the author's."""
    propose, own_pictures = slots.params.propose, slots.own_pictures("reference")
    made_by = identity_of(slots.player("author"))["id"]

    def conversation(row: Row) -> Conversation:
        wanted, place = WANTED[row["task"]], (row["id"], "reference_1")
        if wanted == ("image",) and place in own_pictures:
            return Computing(lambda: Created((own_pictures[place].data,)))
        parts = place_pictures(row["clear_prompt"], slots.pictures(row["id"], "picture"))
        width, height = (propose.width, propose.height) if "image" in wanted else (0, 0)
        return Creating(Create(parts, wanted, width, height, seed_of(row["id"], slots.params.seed)), require_picture)

    def answered(row: Row, value: Any) -> Row:
        wanted = WANTED[row["task"]]
        text, pictures = numbered_text(value.parts if "image" in wanted else value.texts)
        if "text" not in wanted:
            text, pictures = "", pictures[:1]
        numbered = enumerate(pictures, start=1)
        images = [own_pictures.image(row["id"], f"reference_{at}", one, f"made by {made_by}") for at, one in numbered]
        return {"reference": text, "images": images}

    slots.ask("author", slots.usable("choose", "picture"), conversation, answered, own_pictures)
