"""New captions of source images with legible text: its content, its look, its place in the scene.

FLUX-Reason-6M, section 2.2: the caption, not the image, goes on to synthesis.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamut.asking.questions import Question
from gamut.asking.requests import Picture, seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.joins import ids_where, table_of, values_by_id
from gamut.dataset.shared.texts import Caption, objection_to_lettering
from gamut.dataset.shared.visits import LOOKING, Asking, caption_of, work_on
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_rows

MINE_TEXT = Question(
    name="mine_text",
    opening=LOOKING,
    instruction="""\
Write a prompt for a text-to-image model that is to learn lettering, from this picture, which shows how it should \
look. The writing comes first: every word in double quotes, spelt and capitalised exactly as in the picture; then the \
kind of lettering (serif, script, neon tubes, chalk, embossed ...), its size, colour and direction, what it stands on \
and how light and surface act on it; then the scene around it and how the writing belongs to it. Nothing is invented, \
and no word is quoted that cannot be read.

Describe the picture so, in one paragraph of 40 to 90 words. A transcription made earlier follows: \
check it letter by letter against the picture, which is right where they differ. Answer with a JSON object with the \
one key `caption`.""",
    reply=Caption,
    check=objection_to_lettering,
)

SCHEMA = table_schema("id caption", *ASKED)


def legible_images(shard: str) -> Iterator[Row]:
    wanted = ids_where("legible.legible", shard)
    transcriptions = values_by_id("find_text", shard, "transcription")
    for row in shard_rows(table_of("source_rows"), shard, ["id", "image"], wanted):
        yield row | {"transcription": transcriptions[row["id"]]}


def describe(params: StepParameters) -> Visit:
    def visit(record: Row) -> Asking:
        fields = {"transcription": record["transcription"]}
        seed = seed_of(record["id"], params.seed)
        [answer] = yield [MINE_TEXT.about(fields, [Picture(record["image"]["bytes"])], seed)]
        return [{"id": record["id"], **caption_of(answer)}]

    return visit


STEP = Asks(
    "mine_text",
    role="captioner",
    question=MINE_TEXT,
    reads="datasets/routes/mine_text.json find_text legible",
    schema=SCHEMA,
    work=lambda params: work_on("legible.legible", legible_images, describe(params)),
    requests=lambda params, flow: [Requests(flow.mined, MINE_TEXT, {"transcription": 9}, PROMPT_WORDS, "source")],
)

if __name__ == "__main__":
    start(STEP)
