"""What the writer of curated prompts is asked: to make one prompt of drawn elements, or of all captions of a picture.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Category-Specific Prompt Construction".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pydantic import BaseModel

from stages.asking.questions import Question
from stages.prism.construction.element_pools import TRACKS, Elements
from stages.prism.construction.samples import Sample, missing

FEWEST_WORDS = 3


class Prompt(BaseModel):
    """The reply."""

    prompt: str


def objection(reply: Prompt, fields: Mapping[str, str]) -> str | None:
    """Return why a prompt cannot be used, whatever its track."""
    if len(reply.prompt.split()) < FEWEST_WORDS:
        return f"the prompt is empty or has fewer than {FEWEST_WORDS} words"
    return "the prompt must be one paragraph" if "\n" in reply.prompt.strip() else None


def lacking(track: str, reply: Prompt, fields: Mapping[str, str]) -> str | None:
    """Return why a composed prompt cannot be used: every element has to be in it."""
    lost = missing(Sample(track, 0, elements_of(fields["elements"])), reply.prompt)
    if lost:
        return f"the prompt lacks these elements, which have to stand in it word for word: {', '.join(map(repr, lost))}"
    return objection(reply, fields)


def laid_out(elements: Elements) -> str:
    """Return elements as the writer sees them, `role: text` a line."""
    return "\n".join(f"{role}: {text}" for role, text in elements)


def elements_of(lines: str) -> Elements:
    """Return elements read back from `laid_out`."""
    return tuple((role, text) for role, _, text in (line.partition(": ") for line in lines.splitlines()))


OPENING = """\
You write prompts for a benchmark of models that make pictures from text. A prompt describes one picture: a single \
scene, seen at one moment from one place. It is unambiguous: who reads it knows what has to be in the picture, and \
could tell whether it is there. Its English is correct and fluent. It is sound in itself, even where it is \
fantastical: nothing in it contradicts anything else. It describes and does nothing else: no address to a model, no \
word about yourself, prompts, benchmarks or quality ("masterpiece", "highly detailed", "8k"), no title, no list, no \
line break."""

COMPOSE = """\
Write one prompt from the elements below, each given as `role: text`. {rule}

Every element stands in the prompt word for word, spelt as given; an article may come before it and a plural s after \
it. Beyond them, add only what a clear scene needs. One to three sentences, at most 60 words. Answer with a JSON \
object with the one key `prompt`."""

RULES = {
    "imagination": """\
They are imaginative concepts; the role names the kind. Join all of them into one scene that cannot exist, told as \
plainly as if it did. With several, they act on one another and do not merely stand side by side.""",
    "entity": """\
They are beings, places, people or things of the real world, called by their names. Each is to be recognised as the \
very one that is named. Give them a place and an action, so that all of them can be in one picture.""",
    "text_rendering": """\
`content` is what is written in the picture: put it in double quotes, letter by letter with its own capitals and marks \
and nothing else between the quotes. `font` is the look of the lettering, `surface` where it stands. Around this, \
describe a plain scene; nothing else in it is written, and nothing else is quoted.""",
    "style": """\
`subject` is what is to be seen; the other element is the style, and its role the kind of style. Name the style, and \
describe the subject in a way that lets it show: its handling of line, colour, light, material or exposure.""",
    "affection": """\
`emotion` is what the picture has to convey, in just that strength: name it. Show who feels it (`person`) and where \
(`setting`), and let face, posture, light and colour carry it.""",
    "composition": """\
They read in order. Attributes (`quantity`, `size`, `pattern`, `colour`, `material`) belong to the next `object`; a \
`relation` stands between the object before it and the object after it. Say for every object which attributes are its \
own and where it stands to the next, in words that allow one reading only. Add no further objects.""",
}
"""What is special about each track."""

EXPANSION = """\
Below are all captions of one picture, each from another point of view and given as `name: caption`. Write from them \
the long prompt of that picture: all that they tell, merged, every detail once, the main subject first, then its \
surroundings, the layout, the style, the light and the mood. Where two captions contradict each other, keep what most \
of them say. Words in double quotes stand in the picture: keep them exactly as they are. You may spell out what the \
captions imply, and invent nothing beyond it. One paragraph of several sentences, 120 to 220 words. Answer with a JSON \
object with the one key `prompt`."""

COMPOSE_OF = {
    track: Question(
        f"prism_compose_{track}", OPENING, COMPOSE.format(rule=RULES[track]), Prompt, partial(lacking, track)
    )
    for track in TRACKS
}
EXPAND = Question("prism_expand", OPENING, EXPANSION, Prompt, objection)
