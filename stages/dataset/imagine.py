"""Prompts that the writer invents in the manner of seed prompts, one a call (FLUX-Reason-6M, section 2.2).

Each call shows some of the seed prompts, drawn at random from the row's own seed and recorded.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import SEED_WORDS
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.texts import Caption, objection
from gamut.dataset.shared.visits import Asking, caption_of, work_on_sources
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.project.parameters import AskingParameters
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import read_rows


class Imagine(AskingParameters):
    """How many seed prompts stand as examples in each call."""

    examples: Annotated[int, Field(ge=1)]


def objection_to_invention(reply: Caption, fields: Mapping[str, str]) -> str | None:
    known = {example.casefold() for example in fields["examples"].splitlines()}
    if reply.caption.strip().casefold() in known:
        return "the prompt repeats an example; invent another"
    return objection(reply, fields)


IMAGINE = Question(
    name="imagine",
    opening="""\
You write prompts for a text-to-image model: scenes that nobody expects to meet, whether they cannot be or only hardly \
ever are. You are given examples of the spirit that is wanted. Learn from them how bold or rare an idea may be and how \
concretely it is told, then leave them behind: another subject, another place, another surprise, no phrase taken over. \
Association from far apart is welcome as long as one can see the result.""",
    instruction="""\
Write one new prompt, in one paragraph of 20 to 60 words: the subject and what is extraordinary about it, the \
surroundings, the light, the mood, a manner of depiction if one suits. No introduction, no title. Answer with a JSON \
object with the one key `caption`.""",
    reply=Caption,
    check=objection_to_invention,
)

SCHEMA = table_schema("id caption seeds:[string]", *ASKED)


def work(params: StepParameters) -> Work:
    rows = read_rows(table_of("seeds"), ["id", "prompt", "kept"])
    return work_on_sources("imagine", expand({row["id"]: row["prompt"] for row in rows if row["kept"]}, params))


def expand(seeds: Mapping[str, str], params: StepParameters) -> Visit:
    def visit(record: Row) -> Asking:
        seed = seed_of(record["id"], params.seed)
        shown = random.Random(seed).sample(sorted(seeds), params.imagine.examples)
        [answer] = yield [IMAGINE.about({"examples": "\n".join(seeds[key] for key in shown)}, seed=seed)]
        return [{"id": record["id"], "seeds": shown, **caption_of(answer)}]

    return visit


STEP = Asks(
    "imagine",
    role="writer",
    question=IMAGINE,
    reads="datasets/routes/imagine.json datasets/seeds",
    schema=SCHEMA,
    work=work,
    parameters={"imagine": Imagine},
    requests=lambda params, flow: [
        Requests(flow.imagined, IMAGINE, {"examples": params.imagine.examples * SEED_WORDS}, 40)
    ],
)

if __name__ == "__main__":
    start(STEP)
