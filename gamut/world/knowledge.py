"""How the embedded world speaks of one thing alone: what is asked of its picture, and by what it is to be painted; and
how it judges answers.

The tiny model that is built here knows these words; so the first of them are what every model is asked at the start of
a knowledge study (GapEval, appendix D.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
    shown = kind_shown(*images)
    reason = f"The picture shows one {shown}." if shown else "The picture shows nothing clearly."
    return {"reason": reason, "correct": shown == kind_wanted(fields)}


def judge_text(fields: Mapping[str, str]) -> Values:
    """Return whether the field `answer` names what `name` does, and nothing else of the world."""
    said = kinds_named(fields["answer"])
    return {
        "reason": f"The answer names {' and '.join(sorted(said)) or 'nothing'}.",
        "correct": said == {kind_wanted(fields)},
    }


def kind_wanted(fields: Mapping[str, str]) -> str:
    if len(kinds := kinds_named(fields["name"])) != 1:
        raise Unsupported(f"{fields['name']!r} is not the name of one thing of the embedded world")
    return kinds.pop()


def kinds_named(text: str) -> set[str]:
    """Return the kinds of which a name stands in a text, in one or in many; a pine tree is no tree."""
    pairs = {kind.name: ((kind.name, kind.plural), *kind.synonyms) for kind in KINDS.values()}
    kinds = {word.lower(): kind for kind, some in pairs.items() for pair in some for word in pair}
    any_name = "|".join(map(re.escape, sorted(kinds, key=len, reverse=True)))
    return {kinds[name] for name in re.findall(rf"(?<!\w)(?:{any_name})(?!\w)", " ".join(text.lower().split()))}
