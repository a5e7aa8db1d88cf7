"""Phase one of the filter, the question: is the picture clear and whole? (FLUX-Reason-6M, section 2.3)"""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING, of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start


class Quality(BaseModel):
    """The reply: the reason first, then clarity and structure, 0..10."""

    reason: str
    clarity: Score
    structure: Score


EXAMINE = Question(
    name="examine",
    opening=LOOKING,
    instruction="""\
Inspect this generated image before it enters a training set. Judge only the technical and structural quality of \
the picture itself, never its subject, its taste or how well it fits any text. Soft focus, grain or abstraction that \
plainly belong to a chosen style are not faults.

clarity, an integer from 0 to 10: how free the picture is of unwanted blur, noise, compression artefacts and smearing.
  9-10 crisp throughout; 7-8 small weaknesses that do not disturb; 5-6 visibly soft or noisy in places that matter;
  3-4 disturbing at first sight; 0-2 so blurred or noisy that the content is hard to make out.

structure, an integer from 0 to 10: how whole and plausible objects and figures are.
  9-10 every object and figure is complete and well formed; 7-8 slight oddities on a close look; 5-6 one clear fault, \
such as a wrong number of fingers or a bent edge; 3-4 several objects or a main figure distorted, broken or merged; \
0-2 the forms fall apart.

A deliberately fantastic subject is not a structural fault as long as its forms are coherent.

Look at the picture region by region: main subject, faces and hands if there are any, edges, background. Answer with \
a JSON object: first `reason`, one or two sentences that name the worst fault you see and where it is (or say that \
there is none), then `clarity` and `structure`.""",
    reply=Quality,
)

STEP = of_pictures(
    "examine",
    EXAMINE,
    columns={"score_image_clarity": "clarity", "score_image_structure": "structure", "rationale": "reason"},
    words=40,
    filters=filters_by(
        "admit",
        {
            "clarity": "Is the picture free of blur, noise and smearing that disturb? What belongs to a style is no "
            "fault.",
            "structure": "Are all objects and figures whole and well formed? A fantastical subject is no fault.",
        },
        "score_image_{}",
    ),
)

if __name__ == "__main__":
    start(STEP)
