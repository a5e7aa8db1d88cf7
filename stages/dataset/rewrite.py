"""Source captions rewritten by a captioner that sees the source image, if there is one (FLUX-Reason-6M, 2.2)."""

from __future__ import annotations

from gamut.asking.questions import Question
from gamut.asking.requests import Picture, seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import LEGACY_WORDS, PROMPT_WORDS
from gamut.dataset.shared.texts import Caption, objection
from gamut.dataset.shared.visits import LOOKING, Asking, caption_of, work_on_sources
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema

PROMPTS = """\
You write prompts for a text-to-image model. A good prompt is one paragraph of 40 to 90 words that lets a painter who \
has seen nothing build the picture: subjects with what tells them apart (number, colour, material, posture), what they \
do and how they stand to each other, the setting, light and weather, the mood, the medium or manner, the viewpoint; of \
a photograph also its technique where it shapes what one sees, such as a long exposure, a fisheye lens, macro or a \
shallow depth of field. It is concrete, in the present tense, without praise and without advice; it names no make or \
model of a camera, no megapixels, no website and no grade of quality. Writing that is to appear in the picture stands \
in double quotes, exactly as it is spelt."""
ANSWER = "Answer with a JSON object with the one key `caption`."

REWRITE = Question(
    name="rewrite",
    opening=LOOKING,
    instruction=f"""\
{PROMPTS}

Write the prompt of which this picture could be the result. A caption found beside the picture may follow: take names \
and facts from it where the picture bears them out, and leave aside whatever contradicts what you see, as well as \
watermarks, shop talk and file names. {ANSWER}""",
    reply=Caption,
    check=objection,
)

REWRITE_TEXT = Question(
    name="rewrite_text",
    opening=PROMPTS,
    instruction=f"""\
Turn the caption below into such a prompt. It is all you have: keep every fact in it, and where it is silent choose \
what is most natural for the subject, never something spectacular. {ANSWER}""",
    reply=Caption,
    check=objection,
)

SCHEMA = table_schema("id caption from_image:bool", *ASKED)


def describe_anew(params: StepParameters) -> Visit:
    def visit(record: Row) -> Asking:
        fields = {"caption": record["caption"]} if record["caption"] else {}
        pictures = [Picture(record["image"]["bytes"])] if record["image"] else []
        question = REWRITE if pictures else REWRITE_TEXT
        [answer] = yield [question.about(fields, pictures, seed_of(record["id"], params.seed))]
        return [{"id": record["id"], "from_image": bool(pictures), **caption_of(answer)}]

    return visit


STEP = Asks(
    "rewrite",
    role="captioner",
    question=REWRITE,
    reads="datasets/routes/rewrite.json",
    schema=SCHEMA,
    work=lambda params: work_on_sources("rewrite", describe_anew(params), "caption", "image"),
    requests=lambda params, flow: [
        Requests(flow.rewritten, REWRITE, {"caption": LEGACY_WORDS.value}, PROMPT_WORDS, "source"),
        Requests(flow.rewritten_from_text, REWRITE_TEXT, {"caption": LEGACY_WORDS.value}, PROMPT_WORDS),
    ],
)

if __name__ == "__main__":
    start(STEP)
