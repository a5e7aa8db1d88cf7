"""Seed prompts for the writer: imaginative ideas of every concept family (FLUX-Reason-6M, section 2.2, has 200)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import SEED_WORDS
from gamut.dataset.shared.joins import source_shards
from gamut.dataset.shared.visits import Asking
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.project.budgets import MaxFailures
from gamut.project.parameters import AskingParameters
from gamut.tables.columns import ASKED, Row, make_id, table_schema


class Brainstorm(AskingParameters):
    """Concept families, and how many seed prompts are asked for in each."""

    families: Annotated[list[str], Field(min_length=1)]
    prompts_per_family: Annotated[int, Field(ge=1, le=200)]
    max_failures: MaxFailures = 0


class SeedPrompts(BaseModel):
    """The reply."""

    prompts: list[str]


def objection(reply: SeedPrompts, fields: Mapping[str, str]) -> str | None:
    count = int(fields["count"])
    if len(reply.prompts) < count:
        return f"{count} prompts are expected, the list has {len(reply.prompts)}"
    if any(len(prompt.split()) < 3 or len(prompt.strip().splitlines()) > 1 for prompt in reply.prompts[:count]):
        return "every prompt must be one line of at least three words"
    return None


OPENING = """\
You invent picture ideas for a text-to-image model: scenes that hardly anybody has seen. As the concept family has it, \
some cannot be, and others could be any day and almost never are. Each one is a single sentence of 15 to 40 words that \
names concrete things, what they do, where they are and in what light, so that a painter could begin at once. What is \
impossible or rare in it is stated as plain fact. No two share their main subject, their place or their trick; none \
quotes a known book, film or painting; none is about the act of dreaming or imagining."""


@cache
def brainstorm_question(count: int) -> Question:
    """Return the question for `count` ideas. Its schema bounds the list; a model that writes without a grammar may give
    more, and then the first ones are taken.
    """
    bounded = Annotated[list[str], Field(json_schema_extra={"minItems": count, "maxItems": count})]
    return Question(
        name="brainstorm",
        opening=OPENING,
        instruction="""\
Invent as many ideas as <count> says that belong to the concept family below, as different from each other as the \
family allows: vary subject, scale, era, material, mood and viewpoint. Answer with a JSON object with the one key \
`prompts`, the list of sentences.""",
        reply=create_model("SeedPrompts", __base__=SeedPrompts, prompts=(bounded, ...)),
        check=objection,
    )


SCHEMA = table_schema("id family position:int32 prompt", *ASKED)


def work(params: StepParameters) -> Work:
    """Return the work: a question for each concept family, or none if no source is imagined."""
    families = params.brainstorm.families if source_shards("imagine") else []
    records = [{"id": make_id("families", number), "family": family} for number, family in enumerate(families)]
    return Work(["families-00000"], lambda shard: iter(records), lambda shard: len(records), invent(params))


def invent(params: StepParameters) -> Visit:
    """Return the visit to one family: a row for every prompt asked for; the first row says if more came."""
    count = params.brainstorm.prompts_per_family

    def visit(record: Row) -> Asking:
        fields = {"family": record["family"], "count": str(count)}
        [answer] = yield [brainstorm_question(count).about(fields, seed=seed_of(record["id"], params.seed))]
        prompts = answer.value.prompts if answer.value else [None]
        rest = answer.columns() | {"replies": []}  # the reply is kept once, whole
        first = answer.columns()
        if len(prompts) > count:
            first["reason"] = f"{len(prompts)} prompts came, the first {count} are taken"
        return [
            record | {"position": n, "prompt": prompt and prompt.strip()} | (rest if n else first)
            for n, prompt in enumerate(prompts[:count])
        ]

    return visit


def requests(params: StepParameters, flow: Any) -> list[Requests]:
    block = params.brainstorm
    question, words = brainstorm_question(block.prompts_per_family), block.prompts_per_family * SEED_WORDS
    return [Requests(len(block.families) if flow.imagined else 0, question, {"family": 3, "count": 1}, words)]


STEP = Asks(
    "brainstorm",
    role="seed_writer",
    reads="datasets/routes/imagine.json",
    schema=SCHEMA,
    work=work,
    parameters={"brainstorm": Brainstorm},
    requests=requests,
)

if __name__ == "__main__":
    start(STEP)
