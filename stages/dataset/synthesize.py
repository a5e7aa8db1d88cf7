"""Pictures for every prompt, usually one, painted by the role `painter` (FLUX-Reason-6M, section 2.2). On the route
`keep` it is the source's own.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Annotated, NamedTuple

from pydantic import Field, model_validator

from gamut.asking.making import Painting
from gamut.asking.requests import Paint, seed_of, stored_picture
from gamut.asking.visiting import Answer, Visit
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.visits import Asking, work_on
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.project.model_kinds import Pixels
from gamut.project.parameters import PaintingParameters
from gamut.project.validation import Strict
from gamut.tables.columns import ASKED, Row, sample_id, table_schema
from gamut.tables.images import JPEG, Encoding, encode_upright, picture_size
from gamut.tables.reading import read_shard, shard_rows

SCHEMA = table_schema("id prompt image:image width:int32 height:int32 seed:int64 painted:bool", *ASKED)
"""A picture that was not `painted` has no prompt, and a seed from its bytes: reviews know a picture by its seed."""


MOST_SAMPLES = 16
"""Pictures of a prompt that ids can tell apart."""


class PaintedSize(NamedTuple):
    """Width and height in pixels; how often it is drawn, relative to other sizes."""

    width: int
    height: int
    weight: float


class Size(Strict):
    """The same in params.yaml."""

    width: Pixels
    height: Pixels
    weight: Annotated[float, Field(gt=0, le=1000)] = 1


class Synthesize(PaintingParameters):
    """Each prompt is painted in one of `sizes`, drawn by its id; by default in `width` x `height`, and no size may have
    more pixels. Of each prompt `samples` pictures are painted, all in the same size. `encoding` is that of pictures in
    tables; by default a JPEG stays as the painter sent it.
    """

    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)] = 1
    sizes: list[Size] = Field(default_factory=list)
    encoding: Encoding = JPEG

    @property
    def drawn(self) -> list[PaintedSize]:
        """Return the sizes that pictures are painted in, one at least."""
        sizes = [PaintedSize(one.width, one.height, one.weight) for one in self.sizes]
        return sizes or [PaintedSize(self.width, self.height, 1)]

    @property
    def usual(self) -> tuple[int, int]:
        """Return width and height of pictures; where they differ, of a square with as many pixels as their mean."""
        if not self.sizes:
            return self.width, self.height
        pixels = sum(one.weight * one.width * one.height for one in self.sizes) / sum(one.weight for one in self.sizes)
        return round(pixels**0.5), round(pixels**0.5)

    @model_validator(mode="after")
    def _within_budget(self) -> Synthesize:
        for one in self.sizes:
            if one.width * one.height > self.width * self.height:
                raise ValueError(
                    f"sizes: {one.width} x {one.height} has more pixels than width x height, {self.width} x "
                    f"{self.height}: make it smaller, or these larger"
                )
        return self


def draw_size(sizes: Sequence[PaintedSize], row_id: str) -> PaintedSize:
    """Draw a size by a row's id alone: new rows change nothing about old ones."""
    ends = [*accumulate(one.weight for one in sizes)]
    return sizes[bisect(ends, seed_of(f"{row_id}/size", 0) / 2**31 * ends[-1])]


def kept_prompts(shard: str) -> Iterator[Row]:
    """Yield the rows that get a picture, with their source's where it is kept."""
    rows = [row for row in read_shard(table_of("prompts"), shard) if row["kept"]]
    own = shard_rows(table_of("source_rows"), shard, ["id", "image"], {r["id"] for r in rows if r["route"] == "keep"})
    for row in rows:
        yield row | {"image": next(own)["image"]} if row["route"] == "keep" else row


def paint(params: StepParameters) -> Visit:
    convert, sizes = partial(encode_upright, encoding=params.synthesize.encoding), params.synthesize.drawn
    samples = params.synthesize.samples

    def visit(record: Row) -> Asking:
        if record.get("image"):
            return [kept_picture(record["id"], convert(record["image"]["bytes"]))]
        seed, size = seed_of(record["id"], params.seed), draw_size(sizes, record["id"])
        asked = [Paint(record["prompt"], size.width, size.height, seed, n) for n in range(samples)]
        answers = yield [Painting(one, convert) for one in asked]
        return [painted_picture(record["id"], *of) for of in zip(asked, answers, strict=True)]

    return visit


def painted_picture(row_id: str, asked: Paint, answer: Answer) -> Row:
    """Return the row of a picture. Its seed is the one that painters use, which differs among pictures of a prompt."""
    row = {"id": sample_id(row_id, asked.sample), "prompt": asked.prompt, "seed": asked.seed + asked.sample}
    row |= {"painted": answer.value is not None, **answer.columns()}
    if answer.value is not None:
        row["width"], row["height"] = picture_size(answer.value)
        row["image"] = {"bytes": answer.value, "path": None}
    return row


def kept_picture(row_id: str, picture: bytes) -> Row:
    width, height = picture_size(picture)
    row = dict.fromkeys(SCHEMA.names) | {"id": row_id, "image": {"bytes": picture, "path": None}, "status": "ok"}
    seed = seed_of(stored_picture(picture).digest, 0)
    return row | {"width": width, "height": height, "seed": seed, "painted": False, "replies": []}


STEP = Asks(
    "synthesize",
    role="painter",
    reads="prompts source_rows",
    schema=SCHEMA,
    work=lambda params: work_on("prompts.kept", kept_prompts, paint(params)),
    parameters={"synthesize": Synthesize},
    passes="there is a picture, painted or the source's own",
    left="pictures",
    requests=lambda params, flow: [Requests(flow.painted, (), {"prompt": PROMPT_WORDS}, 0)],
)

if __name__ == "__main__":
    start(STEP)
