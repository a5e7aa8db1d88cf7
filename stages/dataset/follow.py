"""Does the picture show what its prompt asks for? The paper has no such filter, so `follow.ask` turns it on."""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING, of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start
from gamut.project.parameters import AskingParameters


class Follow(AskingParameters):
    """Whether a judge is asked; if not, no picture is left out for not following its prompt."""

    ask: bool


class Following(BaseModel):
    """The reply: the reason first, then the score, 0..10."""

    reason: str
    follows: Score


FOLLOW = Question(
    name="follow",
    opening=LOOKING,
    instruction="""\
This picture was painted from the prompt below. Judge whether it shows what the prompt asks for: subjects, their \
number, colours and properties, actions, places, relations, setting, light, mood, manner, and quoted words as they are \
to be read. What the prompt leaves open may be anything, and what the picture has besides is no fault; blur, noise and \
broken forms count only where something that is asked for cannot be told any more.

follows, an integer from 0 to 10: 9-10 all of it is there; 8 all that matters is there, at most a trifle is off; 5-7 \
the subject is right and one thing is missing or wrong, such as a number, a colour, a place or a word; 2-4 little of \
it is there; 0-1 the picture shows something else.

Go through the prompt claim by claim: count what has a number, and read quoted words letter by letter. Answer with a \
JSON object: `reason`, one or two sentences naming the claim that is missed most (or that none is), then the integer \
`follows`.""",
    reply=Following,
)

STEP = of_pictures(
    "follow",
    FOLLOW,
    where="admit.admitted synthesize.painted",
    given={"prompt": (str, PROMPT_WORDS)},
    words=40,
    parameters={"follow": Follow},
    asked=lambda params: params.follow.ask,
    filters=filters_by(
        "select", {"follows": "Does the picture show all that the prompt asks for?"}, lowest=5, beside="prompt"
    ),
    fault="prompt",
    passes="it shows what its prompt asks for",
)

if __name__ == "__main__":
    start(STEP)
