"""Does a source image hold clear and legible text? (FLUX-Reason-6M, section 2.2, mining)"""

from __future__ import annotations

from typing import Annotated

import pyarrow as pa
from pydantic import BaseModel, Field

from stages.asking.questions import Question
from stages.dataset.shared.joins import count_sources, scores, source_rows, source_shards, strings
from stages.dataset.shared.parameters import Params
from stages.dataset.shared.visits import about_picture, ask_stage
from stages.project.stage import main
from stages.tables.columns import ASKED


class FoundText(BaseModel):
    """The reply: the reason first, the text as it stands, then how legible it is, 0..10."""

    reason: str
    transcription: str
    legibility: Annotated[int, Field(ge=0, le=10)]


FIND_TEXT = Question(
    name="find_text",
    opening="""\
You search photographs and graphics for writing that a text-to-image model could learn lettering from: English words \
or numbers that are part of the scene or the design. Watermarks, captions laid over the picture, stock numbers and the \
fine print of screenshots do not count.

legibility, an integer from 0 to 10, for the writing as a whole: 9-10 every word is sharp, whole and plain to read; \
7-8 the main words are read without doubt, small ones may be lost; 4-6 parts must be guessed; 1-3 one sees that there \
is writing and hardly more; 0 there is none that counts.""",
    instruction="""\
Look over the whole picture first. Answer with a JSON object: `reason`, one or two sentences on what writing there is, \
on what it stands and what disturbs it; `transcription`, the writing that counts exactly as it is spelt, one line for \
each place, empty if there is none; then the integer `legibility`.""",
    reply=FoundText,
)

SCHEMA = pa.schema([*strings("id"), *scores("legibility"), *strings("transcription", "rationale"), *ASKED])
columns = {"score_legibility": "legibility", "transcription": "transcription", "rationale": "reason"}
"""The columns of the table, and what the reply calls them."""


def find_text(params: Params) -> None:
    ask_stage(
        "find_text",
        params,
        SCHEMA,
        shards=source_shards("mine_text"),
        records=lambda shard: source_rows(shard, ["id", "image"]),
        total=count_sources("mine_text"),
        visit=about_picture(FIND_TEXT, params.seed, columns),
    )


if __name__ == "__main__":
    main("find_text", find_text, Params)
