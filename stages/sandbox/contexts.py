"""A context of texts and pictures that lays down a rule, and what is to be painted by it.

I like the style of #1. I dislike the style of #2. Paint a red cat in the style that I like.

Who reads such a context whole knows what is wanted. Who has its texts alone imagines what its pictures might show, who
has its pictures alone what might be said of them, and each then does as the rule would have it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import context_other_worlds, context_phrases, context_preferences, context_symbols, context_visual_rules
from .answering import Unsupported
from .context_rules import Rule, Told
from .looking import look, whole_scene_of
from .material import Parts, pictures_of, sentences
from .reading import read
from .scene import Scene

RULES: tuple[Rule, ...] = (
    *context_preferences.RULES,
    *context_symbols.RULES,
    *context_visual_rules.RULES,
    *context_other_worlds.RULES,
    *context_phrases.RULES,
)
"""All rules that are known, in the order in which they are tried."""
READS = ("both", "texts", "pictures")
"""What of a context a contestant takes notice of."""
_POINTER = re.compile(r"#\w")
_MISSING = re.compile(r"the missing picture ([a-z])\b")
"""How a text calls a picture that was taken out of its context."""
_HINT = re.compile(r"\bSo what is wanted is ([^.]+)\.")
"""How the rule is spelled out."""
_TRIES = 20
"""How often a rule is misread before it is read rightly, since nothing else came of it."""


_IMAGININGS = 200
"""How often what is not read of a context is imagined, until something comes of it."""


class Posed(NamedTuple):
    """A rule, and what was said and shown of it."""

    rule: Rule
    told: Told


def wanted_by_rule(
    parts: Parts, reads: str, rate: float, chance: random.Random, see: Callable[[bytes], Scene] | None = None
) -> Scene | None:
    """Return what is to be painted by the rule of a context; None where no instruction is put that goes by one.

    `reads`: one of `READS`. At a `rate` of 0..1 the rule is misread, and something else is wanted. `see`: how
    pictures are looked at, where that is not by their pixels. Unsupported where the instruction goes by a rule that the
    context does not lay down.
    """
    if (hint := _told_outright(parts)) is not None:
        return hint
    posed = _posed(parts, see or _scene)
    if not posed:
        return None
    one, right = _solved(posed, reads, chance)
    return _misread(one, right, chance) if chance.random() < rate else right


def _solved(posed: Sequence[Posed], reads: str, chance: random.Random) -> tuple[Posed, Scene]:
    """Return the first way of reading of which something comes, and what comes of it. Where nothing does, whatever is
    imagined is imagined anew: who imagines other colours than the one that is asked about has not yet guessed.
    """
    reason = None
    for _ in range(_IMAGININGS):
        for one in posed:
            try:
                return one, one.rule.solve(completed(one, reads, chance))
            except Unsupported as error:
                reason = error
    assert reason is not None
    raise reason


def _told_outright(parts: Parts) -> Scene | None:
    """Return what a hint says that is wanted, which leaves nothing to be found out; None where there is no hint."""
    lines = " ".join(part for part in parts if isinstance(part, str)).split("\n")
    told = [match for line in lines for match in _HINT.finditer(line)]
    return read(told[-1][1]) if told else None


def _posed(parts: Parts, see: Callable[[bytes], Scene]) -> list[Posed]:
    """Return in which ways a context and its instruction can be read: pictures stand beside what they are called by, or
    where they are meant.
    """
    pictures = list(dict.fromkeys(pictures_of(parts)))
    named = " ".join(part for part in parts if isinstance(part, str))
    in_place = " ".join(part if isinstance(part, str) else f" image {pictures.index(part) + 1} " for part in parts)
    found = []
    for way in dict.fromkeys((named, in_place)):
        told = [_MISSING.sub(r"#\1", one) for one in sentences(way, len(pictures))]
        match = next(((rule, asked) for rule in RULES if told and (asked := rule.asked.fullmatch(told[-1]))), None)
        if match is not None:
            seen = {f"#{number}": see(picture) for number, picture in enumerate(pictures, start=1)}
            found.append(Posed(match[0], Told(told[:-1], match[1], seen)))
    return found


def _scene(picture: bytes) -> Scene:
    return whole_scene_of(look("what a context shows", [picture]))


def completed(posed: Posed, reads: str, chance: random.Random) -> Told:
    """Return a context with what is imagined in the place of what is not read, or not there."""
    rule, (context, asked, seen) = posed
    kept = set(_POINTER.findall(asked.string))
    pictures = [name for name in dict.fromkeys([*_POINTER.findall(" ".join(context)), *seen]) if name not in kept]
    if reads == "texts" or not pictures:
        seen = {name: scene for name, scene in seen.items() if name in kept}
    pictures = pictures or list(_invented(rule.pictures))
    if reads == "pictures" or not context:
        context = list(rule.words(asked, pictures, chance))
    missing = [name for name in pictures if name not in seen]
    if rule.together is not None and missing:
        return Told(context, asked, {**rule.together(Told(context, asked, seen), missing, chance), **seen})
    return Told(context, asked, {name: rule.picture(chance) for name in missing} | dict(seen))


def _invented(count: int) -> Sequence[str]:
    return [f"#{letter}" for letter in "abcdefghi"[:count]]


def _misread(posed: Posed, right: Scene, chance: random.Random) -> Scene:
    """Return what is wanted by another reading of what the pictures mean, as long as there is one."""
    for _ in range(_TRIES):
        try:
            other = posed.rule.solve(completed(posed, "pictures", chance))
        except Unsupported:
            continue
        if other != right:
            return other
    return right
