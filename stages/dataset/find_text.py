"""Does a source image hold clear and legible text? (FLUX-Reason-6M, section 2.2, mining)"""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING, work_on_sources
from gamut.pipeline.asks import Asks, Requests, about_picture, filters_by, schema_of
from gamut.pipeline.steps import start


class FoundText(BaseModel):
    """The reply: the reason first, the text as it stands, then how legible it is, 0..10."""

    reason: str
    transcription: str
    legibility: Score


FIND_TEXT = Question(
    name="find_text",
    opening=LOOKING,
    instruction="""\
Search this photograph or graphic for writing that a text-to-image model could learn lettering from: English words \
or numbers that are part of the scene or the design. Watermarks, captions laid over the picture, stock numbers and the \
fine print of screenshots do not count.

legibility, an integer from 0 to 10, for the writing as a whole: 9-10 every word is sharp, whole and plain to read; \
7-8 the main words are read without doubt, small ones may be lost; 4-6 parts must be guessed; 1-3 one sees that there \
is writing and hardly more; 0 there is none that counts.

Look over the whole picture first. Answer with a JSON object: `reason`, one or two sentences on what writing there is, \
on what it stands and what disturbs it; `transcription`, the writing that counts exactly as it is spelt, one line for \
each place, empty if there is none; then the integer `legibility`.""",
    reply=FoundText,
)

COLUMNS = {"score_legibility": "legibility", "transcription": "transcription", "rationale": "reason"}
"""The columns of the table, and what the reply calls them."""

LEGIBLE = """\
Is there writing in the picture that counts, and are its main words read without doubt? Watermarks, captions laid over \
it and fine print do not count."""
"""What people are asked."""

STEP = Asks(
    "find_text",
    role="captioner",
    question=FIND_TEXT,
    reads="datasets/routes/mine_text.json",
    schema=schema_of(COLUMNS),
    work=lambda params: work_on_sources("mine_text", about_picture(FIND_TEXT, params.seed, COLUMNS), "image"),
    filters=filters_by("legible", {"legibility": LEGIBLE}),
    requests=lambda params, flow: [Requests(flow.searched, FIND_TEXT, {}, 45, "source")],
)

if __name__ == "__main__":
    start(STEP)
