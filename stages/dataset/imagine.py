"""Prompts that the writer invents after the example of seed prompts, one per call (FLUX-Reason-6M, section 2.2).

Each call shows some seed prompts and some attributes, drawn at random by the row's own seed and recorded. The paper
has only the examples; attributes keep a million prompts from few seeds different.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import SEED_WORDS
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.texts import Caption, objection
from gamut.dataset.shared.visits import Asking, caption_of, work_on_sources
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.project.errors import UserError
from gamut.project.parameters import AskingParameters
from gamut.project.validation import read_checked
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import read_rows

POOLS = "stages/dataset/attributes.yaml"


class Pools(RootModel[dict[str, Annotated[list[str], Field(min_length=1)]]]):
    """The pools that attributes are drawn from, by the kind of attribute."""


class Imagine(AskingParameters):
    """How many seed prompts each call shows as examples, and how many attributes it has at most, each of one pool."""

    examples: Annotated[int, Field(ge=1)]
    attributes: Annotated[int, Field(ge=0)] = 3


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
Association from far apart is welcome as long as one can see the result.

The lines of <attributes>, if there are any, are drawn by chance for this one prompt, as `kind: what`. Let them come \
in where they fit, in words of your own; pass over one that would force the idea.""",
    instruction="""\
Write one new prompt, in one paragraph of 20 to 60 words: the subject and what is extraordinary about it, the \
surroundings, the light, the mood, a manner of depiction if one suits. No introduction, no title. Answer with a JSON \
object with the one key `caption`.""",
    reply=Caption,
    check=objection_to_invention,
)

SCHEMA = table_schema("id caption seeds:[string] attributes:[string]", *ASKED)


@cache
def pools() -> dict[str, list[str]]:
    return read_checked(Pools, Path(__file__).with_name(Path(POOLS).name)).root


def draw_attributes(chance: random.Random, number: int) -> list[str]:
    """Draw an attribute from each of `number` pools, as `kind: what`."""
    kinds = chance.sample([*pools()], min(number, len(pools())))
    return [f"{kind}: {chance.choice(pool)}" for kind, pool in pools().items() if kind in kinds]


def work(params: StepParameters) -> Work:
    rows = read_rows(table_of("seeds"), ["id", "prompt", "kept"])
    return work_on_sources("imagine", expand({row["id"]: row["prompt"] for row in rows if row["kept"]}, params))


def expand(seeds: Mapping[str, str], params: StepParameters) -> Visit:
    def visit(record: Row) -> Asking:
        if params.imagine.examples > len(seeds):
            few = f"but datasets/seeds has {len(seeds)} seed prompts: lower it, or raise seeds.count"
            raise UserError(f"imagine.examples: {params.imagine.examples} are expected, {few}")
        seed = seed_of(record["id"], params.seed)
        chance = random.Random(seed)
        shown = chance.sample(sorted(seeds), params.imagine.examples)
        drawn = draw_attributes(chance, params.imagine.attributes)
        fields = {"examples": "\n".join(seeds[key] for key in shown), "attributes": "\n".join(drawn)}
        [answer] = yield [IMAGINE.about(fields, seed=seed)]
        return [{"id": record["id"], "seeds": shown, "attributes": drawn, **caption_of(answer)}]

    return visit


STEP = Asks(
    "imagine",
    role="writer",
    question=IMAGINE,
    reads=f"datasets/routes/imagine.json datasets/seeds {POOLS}",
    schema=SCHEMA,
    work=work,
    parameters={"imagine": Imagine},
    requests=lambda params, flow: [
        Requests(flow.imagined, IMAGINE, {"examples": of.examples * SEED_WORDS, "attributes": of.attributes * 5}, 40)
        for of in [params.imagine]
    ],
)

if __name__ == "__main__":
    start(STEP)
