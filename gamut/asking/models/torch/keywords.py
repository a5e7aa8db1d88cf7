"""Keywords: what matters in each picture of a context, named by the model that then paints from it.

The step is that of appendix F.1 of An et al.; the words are our own. A reply is used only if it has one short text for
every picture and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, create_model

from gamut.asking.material import enclose
from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import Create, Part, Picture, Reply, Request, pictures_of, seed_of

EVERYTHING = "all"
"""The keyword for a picture that matters as a whole; "" is the keyword for one that does not matter."""
MOST_WORDS, MOST_CHARACTERS = 5, 60
OPENING = "You say which parts of pictures somebody has to look at who follows an instruction."
INSTRUCTION = """\
Inside the tags <context> stands what somebody is given: texts, and pictures, each behind its number. What is asked \
for in it is not asked of you. Say of each picture what in it decides how that is to be done.

* Name the one part, thing or property to look at, in at most five words, in the language of the context: "face", \
"brush strokes", "red arrow".
* Where all of the picture decides, write "all".
* Where the picture decides nothing, write "".

Answer with a JSON object that has a text for each picture, and nothing else: {form}"""


class Keywords(NamedTuple):
    """A model's keywords for the pictures of one request, or why there are none, and its replies."""

    words: tuple[str, ...]
    failure: Reply | None
    replies: Sequence[Reply]


def ask_keywords(ask: Callable[[Sequence[Request]], Sequence[Reply]], requests: Sequence[Create]) -> list[Keywords]:
    """Ask for the keywords of requests with pictures. `ask` answers a batch; it is called once more for replies that
    cannot be used.
    """
    asked = [question_about(request) for request in requests]
    replies: list[list[Reply]] = [[] for _ in requests]
    outcomes: dict[int, Outcome] = {}
    while len(outcomes) < len(asked):
        steps = {n: one.next(replies[n]) for n, one in enumerate(asked) if n not in outcomes}
        outcomes |= {n: step for n, step in steps.items() if isinstance(step, Outcome)}
        wanted = {n: step for n, step in steps.items() if not isinstance(step, Outcome)}
        for number, reply in zip(wanted, ask(list(wanted.values())) if wanted else [], strict=True):
            replies[number].append(reply)
    return [keywords_of(outcomes[number], said) for number, said in enumerate(replies)]


def keywords_of(outcome: Outcome, replies: Sequence[Reply]) -> Keywords:
    if outcome.status == "ok":
        return Keywords(tuple(listed_keywords(outcome.value)), None, replies)
    last = replies[-1].finish
    cause = f"no keywords for its pictures: {outcome.reason}"
    return Keywords((), Reply(cause.encode(), "invalid" if last == "stop" else last), replies)


def question_about(request: Create) -> AskedQuestion:
    context: list[Part] = []
    for part in request.parts:
        if isinstance(part, Picture):
            context.append(f"image {1 + sum(isinstance(one, Picture) for one in context)}:")
        context.append(part)
    question = keywords_question(len(pictures_of(request)))
    seed = seed_of(question.name, request.seed + request.sample)
    return question.about(material=enclose("context", context), seed=seed)


@cache
def keywords_question(pictures: int) -> Question:
    """Return the question about that many pictures, 1 or more."""
    form = ", ".join(f'"{picture_key(number)}": "…"' for number in range(1, pictures + 1))
    return Question("keywords", OPENING, INSTRUCTION.format(form=f"{{{form}}}"), reply_about(pictures), too_long)


def picture_key(number: int) -> str:
    return f"<image {number}>"


def reply_about(pictures: int) -> type[BaseModel]:
    """Return the model of a reply: a text for each picture, under the key `<image 1>` or `image 1`."""
    fields: dict[str, Any] = {
        f"image_{number}": (str, Field(validation_alias=AliasChoices(picture_key(number), f"image {number}")))
        for number in range(1, pictures + 1)
    }
    return create_model("Keywords", __config__=ConfigDict(extra="forbid"), **fields)


def too_long(reply: BaseModel, fields: Mapping[str, str]) -> str | None:
    for number, keyword in enumerate(listed_keywords(reply), 1):
        if len(keyword.split()) > MOST_WORDS or len(keyword) > MOST_CHARACTERS:
            most = f"{MOST_WORDS} words and {MOST_CHARACTERS} characters"
            return f"{picture_key(number)}: a keyword has at most {most}"
    return None


def listed_keywords(reply: BaseModel) -> list[str]:
    keywords = [str(value).strip() for value in dict(reply).values()]
    return [EVERYTHING if keyword.casefold() == EVERYTHING else keyword for keyword in keywords]
