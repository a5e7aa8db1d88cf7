"""Phase three of the filter, asked: strict inspection of the lettering of pictures labelled text rendering.

FLUX-Reason-6M, section 2.3, typographic quality.
"""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start


class Typography(BaseModel):
    """The reply: the reason, the writing as it stands, then three scores, 0..10."""

    reason: str
    transcription: str
    contrast: Score
    letterforms: Score
    sense: Score


PROOFREADING = Question(
    name="proofread",
    opening="""\
You are a strict proofreader of lettering in images. Every piece of writing in the picture counts: signs, labels, \
banners, covers, screens, clothing. One bad word makes the lettering bad: give each score for the worst word that a \
viewer would try to read, not for the average. Texture that merely resembles writing from afar counts as nonsensical \
writing when a viewer would try to read it.

contrast, 0 to 10: how well the writing stands out from what is behind it. 9-10 at once legible; 6-8 legible with \
ease; 3-5 legible only with effort; 0-2 nearly or wholly lost.
letterforms, 0 to 10: how well formed the letters are. 9-10 every letter complete, even and of one typeface; 6-8 small \
irregularities; 3-5 letters bent, merged, doubled or cut; 0-2 hardly letters at all.
sense, 0 to 10: whether it says something. 9-10 correctly spelt words that belong where they stand; 6-8 correct but \
oddly placed; 3-5 a spelling fault or a word out of place; 0-2 gibberish.""",
    instruction="""\
First read all the writing, letter by letter, as it stands: do not mend spelling faults. Answer with a JSON object: \
`reason`, one or two sentences naming the worst fault (or that there is none); `transcription`, the writing exactly as \
it stands, empty if you find none; then the integers `contrast`, `letterforms` and `sense`. A picture without any \
writing gets 0 in all three.""",
    reply=Typography,
)

STEP = of_pictures(
    "proofread",
    PROOFREADING,
    where="categorize.text",
    words=50,
    filters=filters_by(
        "select",
        {
            "contrast": "Does all the writing stand out from what is behind it, so that it is read with ease?",
            "letterforms": "Is all the writing well formed: every letter complete and even?",
            "sense": "Does all the writing say something: words that are correctly spelt?",
        },
    ),
    fault="typography",
    passes="its lettering has contrast, form and sense",
)

if __name__ == "__main__":
    start(STEP)
