"""Phase two of the filter, the question: how strongly a picture shows each of the six characteristics, 0 to 10.

FLUX-Reason-6M, sections 2.1 and 2.3. The paper says 1 to 10, its released data hold 0 to 10.
"""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import ASKED_AS, Score
from gamut.dataset.shared.visits import LOOKING, of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start


class Scores(BaseModel):
    """The reply: the reason first, then six scores, 0..10."""

    reason: str
    composition: Score
    entity: Score
    text: Score
    imaginative: Score
    style: Score
    affection: Score


SCORE = Question(
    name="score",
    opening=LOOKING,
    instruction="""\
Classify this image for a training set. For each of six characteristics, say with an integer from 0 to 10 how well \
it would serve as an example of it. The characteristics overlap: a picture may score high on several or on \
none. Judge what is visible, not what might be meant.

composition: the arrangement is the point: several objects in definite relations (beside, behind, above, inside), \
counts, groups, layers of depth. High when the spatial relations can be told precisely; low for a single subject with \
nothing around it.
entity: a specific, recognisable thing, being, person, place or product, shown with accurate and telling detail. High \
when one can name it exactly; low for generic shapes or crowds of anything.
text: legible English writing is a real part of the picture. High when words can be read letter by letter; 0 when \
there is no writing.
imaginative: surreal, fantastic or abstract: what could not be or is not found in the real world, or things combined \
in an unheard-of way. Low for ordinary scenes, however pretty.
style: an artistic or photographic manner is marked and can be named: an art movement, a technique, a medium, a lens \
effect. Low for neutral pictures.
affection: a feeling, mood or atmosphere is conveyed: by light, colour, weather, gesture or expression. High when most \
people would name the same emotion; low for matter-of-fact pictures.

Scale for each: 9-10 a model example; 7-8 clearly present and important; 4-6 present but secondary; 1-3 a trace; \
0 absent.

Answer with a JSON object: first `reason`, two or three sentences on what the picture shows and which characteristics \
carry it, then the six integers `composition`, `entity`, `text`, `imaginative`, `style` and `affection`.""",
    reply=Scores,
    example="""\
Of another picture, a photograph of five blue fishing boats in a row before a white lighthouse, in mist at dawn, on \
whose bows there are names too small to read, the answer is:
{"reason": "Five boats in a row lead to the lighthouse behind them: the arrangement carries the picture. Mist and low \
light make it calm. The place cannot be named, nor the names be read.", "composition": 8, "entity": 4, "text": 1, \
"imaginative": 0, "style": 4, "affection": 7}""",
)

ASKED_OF_PEOPLE = {
    "composition": "Is the picture about how several things are arranged, counted or layered?",
    "entity": "Does it show a particular thing, being, person or place that you can name?",
    "text": "Is English writing a real part of the picture, and can you read every letter?",
    "imaginative": "Is it surreal or fantastical: does it show something impossible, or an unusual combination?",
    "style": "Does it have a distinct artistic or photographic style that you can name?",
    "abstract": "Does it convey a feeling, mood or atmosphere that most people would name alike?",
}
"""The question to people about each characteristic."""

COLUMNS = {f"score_{name}": ASKED_AS[name] for name in ASKED_OF_PEOPLE} | {"rationale": "reason"}
"""The columns of the table, and what the reply calls them."""

STEP = of_pictures(
    "score",
    SCORE,
    where="admit.admitted",
    columns=COLUMNS,
    words=70,
    filters=filters_by("categorize", ASKED_OF_PEOPLE, belongs=True),
)

if __name__ == "__main__":
    start(STEP)
