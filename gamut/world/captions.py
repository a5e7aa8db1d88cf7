"""Captions back into the scenes that they tell: sentence by sentence through the phrasebook that they were made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .answering import cannot_read
from .phrases import PARTS, find_sentence
from .reading import language_of, read, split_sentences, translate
from .scene import Group, Scene

_PARTS = ("relation", "lettering", "sign", "style", "light", "mood", "surreal")
LONGEST = 10_000
"""Characters of a text that is read for scenes; the longest captions of the world have a third of that."""


def understand(text: str) -> Scene | None:
    """The scene that a prompt or a caption of any form tells; what it leaves open is None. None unless every sentence
    is understood, all of them agree, and together they name something to be seen.
    """
    return read(text) or unite([text])


def require_scene(text: str) -> Scene:
    """As `understand`; Unsupported where that gives None."""
    found = understand(text)
    if found is None:
        raise cannot_read(text)
    return found


def unite(captions: Iterable[str]) -> Scene | None:
    """As `understand`, of several captions that tell one scene together."""
    said: dict[str, object] = {}
    for text in captions:
        sentences = split_sentences(text, language := language_of(text))
        for found in [find_sentence(sentence, language) for sentence in sentences] or [None]:
            slots = {PARTS.get(name, name): value for name, value in found[1].items()} if found else {}
            if not found or any(said.setdefault(name, value) != value for name, value in slots.items()):
                return None
    groups = [group for name in "ab" if (group := _group(said, name))]
    try:
        return Scene(tuple(groups), **{part: said.get(part) for part in _PARTS})  # type: ignore[arg-type]
    except ValueError:
        return None


def _group(slots: dict[str, object], name: str) -> Group | None:
    """A group is told whole ("two red cars"), or its number and its colour stand in different places."""
    whole, number, colour = (slots.get(key) for key in (name, "n" + name, "c" + name))
    if isinstance(whole, Group):
        return whole
    if isinstance(number, Group):
        return replace(number, colour=str(colour)) if colour else number
    return None


def tellings(text: str) -> list[Scene]:
    """The scene that a text tells as a whole, or else those of single sentences; what else it says is left."""
    if len(text) > LONGEST:
        return []
    whole = understand(text)
    if whole is not None:
        return [whole]
    lines = [line.strip() for line in re.split(r"(?<=[.!?:])\s+|(?<=[。！？])|\n+", text) if line.strip()]
    known = understand(" ".join(line for line in lines if _readable(line)))
    return [known] if known is not None else [scene for line in lines if (scene := understand(line)) is not None]


def _readable(line: str) -> bool:
    return any(translate(line, source, target) is not None for source, target in (("en", "zh"), ("zh", "en")))
