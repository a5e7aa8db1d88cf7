"""How well a source's own caption describes the picture synthesized for its row, 0 to 10 (FLUX-Reason-6M, 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import LEGACY_WORDS
from gamut.dataset.shared.joins import ids_where, pictures, table_of, values_by_id
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING
from gamut.pipeline.asks import Asks, Requests, Work, about_picture, filters_by, schema_of
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import Row, prompt_id
from gamut.tables.reading import shard_names


class Alignment(BaseModel):
    """The reply: the reason first, then the alignment, 0..10."""

    reason: str
    alignment: Score


ALIGN = Question(
    name="align",
    opening=LOOKING,
    instruction="""\
Judge whether the caption below is true of this picture. It was written for another picture on the same theme, so it \
may fit well, in part or not at all. What matters is that nothing it says is wrong here: subjects, their number, \
colours and properties, actions, places, relations, words that are said to be readable. What it leaves out does not \
matter, nor its style. Names that the picture can neither confirm nor refute weigh little; file names, advertising and \
remarks that no picture can show make it a bad caption.

alignment, an integer from 0 to 10: 9-10 all of it holds; 8 all that matters holds, at most a trifle is off; 5-7 the \
subject is right and something said of it is wrong; 2-4 little of it holds; 0-1 it speaks of something else.

Go through the caption claim by claim and look for each in the picture. Answer with a JSON object: `reason`, one \
or two sentences naming the claim that fits worst (or that all hold), then the integer `alignment`.""",
    reply=Alignment,
)

ALIGN_KEPT = replace(
    ALIGN,
    instruction=ALIGN.instruction.replace(
        "It was written for another picture on the same theme, so it may fit well, in part or not at all.",
        "It came with the picture, and may fit well, in part or not at all.",
    ),
)
"""The same of a source's own picture."""

COLUMNS = {"score_original": "alignment", "rationale": "reason"}
"""The columns of the table, and what the reply calls them."""


def work(params: StepParameters) -> Work:
    shards = shard_names(table_of("select"))
    return Work(shards, captioned_pictures, lambda shard: len(captions_of_selected(shard)), compare(params))


def captions_of_selected(shard: str) -> dict[str, str]:
    selected, captions = ids_where("select.kept", shard), values_by_id("source_rows", shard, "caption")
    return {row_id: caption for row_id in selected if (caption := captions[prompt_id(row_id)])}


def captioned_pictures(shard: str) -> Iterator[Row]:
    captions, painted = captions_of_selected(shard), values_by_id("synthesize", shard, "painted")
    for row in pictures(shard, "select.kept"):
        if row["id"] in captions:
            yield row | {"caption": captions[row["id"]], "painted": painted[row["id"]]}


def compare(params: StepParameters) -> Visit:
    of_painted, of_kept = (about_picture(one, params.seed, COLUMNS, ["caption"]) for one in (ALIGN, ALIGN_KEPT))
    return lambda record: (of_painted if record["painted"] else of_kept)(record)


STEP = Asks(
    "align",
    role="judge",
    question=ALIGN,
    reads="source_rows synthesize select",
    schema=schema_of(COLUMNS),
    work=work,
    where="select.kept",
    filters=filters_by(
        "originals",
        {"alignment": "Is all that the caption says true of the picture? What it leaves out does not matter."},
        "score_original",
        beside="caption",
    ),
    requests=lambda params, flow: [Requests(flow.compared, ALIGN, {"caption": LEGACY_WORDS.value}, 40, "painted")],
)

if __name__ == "__main__":
    start(STEP)
