"""How the embedded world speaks of one thing alone: what is asked of its picture, and by what it is to be painted.

The tiny model that is built here knows these words; so the first of them are what every model is asked at the start of
a knowledge study (GapEval, appendix D.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from .answering import Values

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
