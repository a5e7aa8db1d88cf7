"""One picture for every prompt, painted by the role `painter` (FLUX-Reason-6M, section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gamut.asking.making import Painting
from gamut.asking.requests import Paint, seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.visits import Asking, work_on
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.project.parameters import PaintingParameters
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.images import JPEG, Encoding, encode_upright, picture_size
from gamut.tables.reading import read_shard

SCHEMA = table_schema("id prompt image:image width:int32 height:int32 seed:int64", *ASKED)


class Synthesize(PaintingParameters):
    """`encoding` is that of pictures in tables; by default a JPEG stays as the painter sent it."""

    encoding: Encoding = JPEG


def kept_prompts(shard: str) -> Iterator[Row]:
    return (row for row in read_shard(table_of("prompts"), shard) if row["kept"])


def paint(params: StepParameters) -> Visit:
    width, height = params.synthesize.width, params.synthesize.height
    convert = partial(encode_upright, encoding=params.synthesize.encoding)

    def visit(record: Row) -> Asking:
        seed = seed_of(record["id"], params.seed)
        [answer] = yield [Painting(Paint(record["prompt"], width, height, seed), convert)]
        row = {"id": record["id"], "prompt": record["prompt"], "seed": seed, **answer.columns()}
        if answer.value is not None:
            row["width"], row["height"] = picture_size(answer.value)
            row["image"] = {"bytes": answer.value, "path": None}
        return [row]

    return visit


STEP = Asks(
    "synthesize",
    role="painter",
    reads="prompts",
    schema=SCHEMA,
    work=lambda params: work_on("prompts.kept", kept_prompts, paint(params)),
    parameters={"synthesize": Synthesize},
    passes="the painter made a picture",
    left="pictures painted",
    requests=lambda params, flow: [Requests(flow.candidates, (), {"prompt": PROMPT_WORDS}, 0)],
)

if __name__ == "__main__":
    start(STEP)
