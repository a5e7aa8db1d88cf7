"""How the embedded world speaks of one thing alone: what is asked of its picture, and by what it is to be painted; and
how it judges answers.

The tiny model that is built here knows these words; so the first of them are what every model is asked at the start of
a knowledge study (GapEval, appendix D.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from .answering import Unsupported, Values
from .pictograms import kind_shown
from .vocabulary import KINDS

OPEN = (
    "What is this?",
    "What is in the picture?",
    "Which thing is shown here?",
    "Name what you see.",
    "What does this picture show?",
)
CHOICE = (
    "Which of these is it?",
    "Which of these is in the picture?",
    "Which name is right?",
    "Choose what you see.",
    "Which one does this picture show?",
)
"""Names to choose from follow, with commas between them: `Which of these is it? cat, dog, cow, bat`."""
CONCISE = (
    "A picture of the {name}.",
    "The {name}.",
    "Show one {name}.",
    "Paint the {name}.",
    "Here is one {name}.",
)
DETAILED = (
    "A small picture of one {name} alone on a plain ground.",
    "The {name} stands alone, with nothing beside it.",
    "Paint one {name} of one colour, and nothing else.",
    "A plain picture in which the {name} is the only thing.",
    "Show the {name} as a flat sign of one colour.",
)


def wordings_about(fields: Mapping[str, str]) -> Values:
    """Return five questions of each kind, and five captions of each that have the name in them."""
    captions = {"concise": CONCISE, "detailed": DETAILED}
    named = {kind: [one.format(name=fields.get("name", "")) for one in each] for kind, each in captions.items()}
    return {"open": list(OPEN), "choice": list(CHOICE), **named}


def judge_picture(fields: Mapping[str, str], images: Sequence[bytes]) -> Values:
    """Return whether the one picture shows what the field `name` names."""
    if len(images) != 1:
        raise Unsupported(f"knowledge is judged of one picture, not {len(images)}")
    shown = kind_shown(images[0])
    reason = f"The picture shows one {shown}." if shown else "The picture shows nothing clearly."
    return {"reason": reason, "correct": kind_wanted(fields) == shown}


def judge_text(fields: Mapping[str, str]) -> Values:
    """Return whether the field `answer` names what `name` does, and nothing else of the world."""
    said = kinds_named(fields.get("answer", ""))
    reason = f"The answer names {' and '.join(sorted(said)) or 'nothing'}."
    return {"reason": reason, "correct": {kind_wanted(fields)} == said}


def kind_wanted(fields: Mapping[str, str]) -> str:
    name = fields.get("name", "")
    if len(kinds := kinds_named(name)) != 1:
        raise Unsupported(f"{name!r} is not the name of one thing of the embedded world")
    return kinds.pop()


def kinds_named(text: str) -> set[str]:
    return {_names()[name] for name in _any_name().findall(" ".join(text.lower().split()))}


@cache
def _names() -> Mapping[str, str]:
    """Every name of every kind of the world, in one or in many, in lower case → its kind."""
    pairs = [(kind.name, pair) for kind in KINDS.values() for pair in ((kind.name, kind.plural), *kind.synonyms)]
    return {word.lower(): name for name, pair in pairs for word in pair}


@cache
def _any_name() -> re.Pattern[str]:
    longest_first = sorted(_names(), key=len, reverse=True)  # a pine tree is no tree
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
