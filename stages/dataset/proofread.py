"""Phase three of the filter, the question: strict inspection of the lettering of pictures labelled text rendering.

FLUX-Reason-6M, section 2.3, typographic quality.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING, of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start
from gamut.texts.chinese import quoted_words


class Typography(BaseModel):
    """The reply: the reason, the writing as it stands, then three scores, 0..10."""

    reason: str
    transcription: str
    contrast: Score
    letterforms: Score
    sense: Score


def words_not_read(reply: Typography, fields: Mapping[str, str]) -> str | None:
    """Return a remark on requested words that the transcription lacks, ignoring case, punctuation and line breaks."""
    lacking = [words for words in fields["wanted"].splitlines() if as_words(words) not in as_words(reply.transcription)]
    return f"asked for and not read: {', '.join(lacking)}" if lacking else None


def as_words(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text.casefold()), ""])


PROOFREADING = Question(
    name="proofread",
    opening=LOOKING,
    instruction="""\
Be a strict proofreader of the lettering in this image. Every piece of writing in the picture counts: signs, labels, \
banners, covers, screens, clothing. One bad word makes the lettering bad: give each score for the worst word that a \
viewer would try to read, not for the average. Texture that merely resembles writing from afar counts as nonsensical \
writing when a viewer would try to read it.

contrast, 0 to 10: how well the writing stands out from what is behind it. 9-10 at once legible; 6-8 legible with \
ease; 3-5 legible only with effort; 0-2 nearly or wholly lost.
letterforms, 0 to 10: how well formed the letters are. 9-10 every letter complete, even and of one typeface; 6-8 small \
irregularities; 3-5 letters bent, merged, doubled or cut; 0-2 hardly letters at all.
sense, 0 to 10: whether it says what it should. 9-10 correctly spelt words that belong where they stand; 6-8 correct \
but oddly placed; 3-5 a spelling fault, a word out of place, or correct words instead of those asked for; 0-2 gibberish.

<wanted> has the words that the picture was asked for, each piece of writing a line; where it is empty, any that make \
sense are right. Where some of them are missing, or others stand in their place, `sense` is 5 at most, however well \
those are spelt. Capitals, quotation marks, line breaks and further words that make sense are no fault.

First read all the writing, letter by letter, as it stands: do not fix spelling faults. Answer with a JSON object: \
`reason`, one or two sentences naming the worst fault (or that there is none); `transcription`, the writing exactly as \
it stands, empty if you find none; then the integers `contrast`, `letterforms` and `sense`. A picture without any \
writing gets 0 in all three.""",
    reply=Typography,
    example="""\
Of another picture, the sign of a bakery with FRESH BRAED in even white capitals on green, where <wanted> had FRESH \
BREAD, the answer is:
{"reason": "Two letters of BREAD have changed places. All letters are complete, even and plain to read.", \
"transcription": "FRESH BRAED", "contrast": 10, "letterforms": 9, "sense": 4}""",
    remark=words_not_read,
)

STEP = of_pictures(
    "proofread",
    PROOFREADING,
    where="categorize.text",
    given={"wanted": (lambda prompt: "\n".join(quoted_words(prompt)), 3)},
    words=50,
    filters=filters_by(
        "select",
        {
            "contrast": "Does all writing stand out from its background, so that it is easy to read?",
            "letterforms": "Is every letter complete and evenly formed?",
            "sense": "Is all writing spelt correctly, with every word that the prompt quotes?",
        },
        beside="prompt",
    ),
    fault="typography",
    passes="its lettering has contrast, form and sense",
)

if __name__ == "__main__":
    start(STEP)
