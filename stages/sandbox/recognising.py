"""What several pictures have in common: named, or chosen among lettered options."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from . import vocabulary as v
from .answering import Unsupported
from .descriptions import article
from .looking import look, scene_of
from .material import Parts, pictures_of, texts_of
from .naming import MOST_PICTURES, named, plain
from .scene import Group

_NAME = re.compile(r"what do all of these pictures show\? name it\.?", re.IGNORECASE)
_CHOOSE = re.compile(
    r"which of these do all of these pictures show\?\s+(?P<options>(?:[A-H]\) [^\n]+\n)+)answer with its letter\.?",
    re.IGNORECASE,
)


def recognise(parts: Parts, rate: float, rng: random.Random) -> str | None:
    """Return the name of what all pictures show, as "A red car.", or the letter of the option that it is; at a rate of
    0..1 another kind of its group, or another letter. None where neither is asked.

    Unsupported where the pictures have nothing in common, or several things, or no option or several name it.
    """
    asked = " ".join(texts_of(parts))
    choice = _CHOOSE.fullmatch(asked)
    if choice is None and not _NAME.fullmatch(asked):
        return None
    shared = in_common(pictures_of(parts))
    wrong = rng.random() < rate
    if choice:
        return _letter(shared, re.findall(r"([A-H])\) ([^\n]+)", choice["options"]), rng if wrong else None)
    kind = v.KINDS[shared.kind]
    if wrong:
        kind = rng.choice([other for other in v.KINDS.values() if other.group == kind.group and other != kind])
    words = f"{shared.colour} {kind.name}" if shared.colour else kind.name
    return f"{article(words).capitalize()} {words}."


def in_common(pictures: Sequence[bytes]) -> Group:
    """Return the one kind of thing that stands in all pictures, its colour None where that differs; Unsupported: there
    is none, or more than one.
    """
    if not 1 <= len(pictures) <= MOST_PICTURES:
        raise Unsupported(f"1 to {MOST_PICTURES} pictures can be looked at together, not {len(pictures)}")
    scenes = [scene_of(look("what is given", [picture])).groups for picture in pictures]
    kinds = set.intersection(*({group.kind for group in groups} for groups in scenes))
    if len(kinds) != 1:
        raise Unsupported(f"{len(kinds)} kinds of things stand in all of the pictures, one is wanted")
    [kind] = kinds
    colours = {group.colour for groups in scenes for group in groups if group.kind == kind}
    return Group(kind, colours.pop() if len(colours) == 1 else None)


def _letter(shown: Group, options: Sequence[tuple[str, str]], mistake: random.Random | None) -> str:
    """Return the letter of the option that names a thing, one of the others with a `mistake`."""
    things = {letter: named(plain(words)) for letter, words in options}
    kind = [letter for letter, thing in things.items() if thing and thing.kind == shown.kind]
    exact = [letter for letter in kind if (thing := things[letter]) and thing.colour == shown.colour]
    fitting = exact or [letter for letter in kind if (thing := things[letter]) and thing.colour is None]
    if len(fitting) != 1:
        raise Unsupported(f"{len(fitting)} of the options name what the pictures show, one is wanted")
    others = [letter for letter in things if letter != fitting[0]]
    return mistake.choice(others) if mistake and others else fitting[0]
