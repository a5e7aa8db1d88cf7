"""The embedded world as a judge by hints: what a picture was to show, what it was to keep, how it is made; 0, 1 or 2.

What is looked at comes in blocks: `picture`, of some questions the `hint` and the `reference`. A hint is read to its
last word, or nothing is said at all: neither words beside it nor words in a picture can ask for anything.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .agreement import disagreements
from .answering import Unsupported, Values, unreadable
from .grades import CLEAR
from .hint_words import wanted
from .looking import look, sight_of
from .material import Enclosed, pictures_of, texts_of
from .scene import Group, Scene
from .seeing import Sight
from .verdicts import blank, worst_of

HIGHEST = 2
SOUND = 5
"""The worst of what looks are graded by, 0..10, from which a picture is sound; it is well made from CLEAR on."""
SIDE, BLOCK = 128, 8
"""Pixels of both sides in which pictures are compared, and of a block in these."""
ALIKE = 40.0
"""Grey levels by which blocks of a picture and its copy differ at most, on average over a block: JPEG of quality 20, or
half the size, comes to 36 in small pictures, another scene to 60 and more.
"""
_NOTHING = "there is no picture in which anything can be recognised"


class Found(NamedTuple):
    """What was looked for and is there, and what is not, by name."""

    there: Sequence[str]
    missing: Sequence[str]


def complied(blocks: Enclosed) -> Values:
    """Return whether the picture shows what the hint says: 2 where all of it holds, 1 where at least half does, and of
    the things that it names one kind at least is there.
    """
    said, absent = wanted(hint_of(blocks))
    sight = sight_in(blocks, "picture")
    if sight is None or sight.impression is None:
        return graded(0, _NOTHING)
    found = held(said, absent, sight.impression, sight.transcription)
    if not found.missing:
        return graded(2, "all that the hint says is to be seen")
    half = 2 * len(found.there) >= len(found.there) + len(found.missing)
    some = not said.groups or "kind" in found.there
    return graded(int(half and some), f"not as the hint says: {', '.join(dict.fromkeys(found.missing))}")


def held(said: Scene, absent: Sequence[Group], shown: Scene, lettering: str | None) -> Found:
    """Return which of all that is said holds: of each group its kind, number and, if it is said, colour, and how they
    stand, which fall with the kind; lettering, style, light, mood and what is surreal; and what is not to be there.
    """
    there, missing = list[str](), list[str]()
    for group in absent:
        (missing if any(same(group, one) for one in shown.groups) else there).append(f"no {group.kind}")
    wrong = disagreements(said, shown, lettering)
    if not said.groups and "subject" in wrong:
        return Found(there, [*missing, *wrong])
    lacking = ["subject" in wrong, "kind" in wrong]
    for group, lacks in zip(said.groups, lacking, strict=False):
        own = ["kind", "count", *(["colour"] if group.colour else [])]
        (missing if lacks else there).extend(own)
    if said.relation:
        (missing if any(lacking) else there).append("relation")
    there += [part for part in ("lettering", "style", "light", "mood", "surreal") if getattr(said, part)]
    if said.sign and "lettering" not in wrong:
        there.append("sign")
    for name in wrong:
        if name not in ("subject", "kind"):
            there.remove(name)
            missing.append(name)
    return Found(there, missing)


def same(named: Group, shown: Group) -> bool:
    """Return whether a group is of the things that are named, whatever their number."""
    return named.kind == shown.kind and named.colour in (None, shown.colour)


def kept(blocks: Enclosed) -> Values:
    """Return whether the picture keeps what the hint says of the reference: 2 where all of it is as it was, 1 where
    some is. What the hint does not name may be otherwise, and things may have been added.
    """
    hint = hint_of(blocks)
    if hint not in KEPT:
        raise unreadable(hint)
    before, after = sight_in(blocks, "reference"), sight_in(blocks, "picture")
    if before is None or before.impression is None or not KEPT[hint](paired(before.impression, before.impression)):
        raise Unsupported("the reference is missing, or shows nothing of what is to stay")
    if after is None or after.impression is None:
        return graded(0, _NOTHING)
    found = KEPT[hint](paired(before.impression, after.impression))
    score = 2 if all(found) else int(any(found))
    return graded(score, f"{sum(found)} of {len(found)} of what was to stay is as it was")


class Pairs(NamedTuple):
    """Two pictures, and each group of the first beside the one of the second that is most like it, if any is left."""

    before: Scene
    after: Scene
    groups: Sequence[tuple[Group, Group | None]]


def paired(before: Scene, after: Scene) -> Pairs:
    """Return two pictures with their groups side by side: of the same kinds first, then colours, then numbers."""
    others: tuple[Group | None, ...] = (*after.groups, *[None] * len(before.groups))

    def alike(order: Sequence[Group | None]) -> list[int]:
        return [
            sum(
                getattr(one, part) == getattr(other, part, None)
                for one, other in zip(before.groups, order, strict=True)
            )
            for part in ("kind", "colour", "count")
        ]

    best = max(permutations(others, len(before.groups)), key=alike)
    return Pairs(before, after, [*zip(before.groups, best, strict=True)])


def parts_kept(pairs: Pairs, *parts: str) -> list[bool]:
    """Return of each group whether these parts of it are as they were."""
    return [getattr(one, part) == getattr(other, part, None) for one, other in pairs.groups for part in parts]


def things_kept(pairs: Pairs) -> list[bool]:
    """Return of each group whether its kind is there, in the same colour, in the same number; what is no more there has
    neither.
    """
    there = [other if other is not None and other.kind == one.kind else None for one, other in pairs.groups]
    groups = [(one, other) for (one, _), other in zip(pairs.groups, there, strict=True)]
    return parts_kept(pairs._replace(groups=groups), "kind", "colour", "count")


def places_kept(pairs: Pairs) -> list[bool]:
    """Return whether two groups stand as they did; nothing of a single one."""
    if pairs.before.relation is None:
        return []
    (_, first), _ = pairs.groups
    same_first = bool(pairs.after.groups) and first == pairs.after.groups[0]
    return [pairs.after.relation == pairs.before.relation and same_first]


KEPT: Mapping[str, Callable[[Pairs], Sequence[bool]]] = {
    "The things in this picture stay as they are.": things_kept,
    "The kinds of things in this picture stay as they are.": lambda pairs: parts_kept(pairs, "kind"),
    "The colours in this picture stay as they are.": lambda pairs: parts_kept(pairs, "colour"),
    "The number of things in this picture stays as it is.": lambda pairs: parts_kept(pairs, "count"),
    "The places of the things in this picture stay as they are.": places_kept,
    "The style of this picture stays as it is.": lambda pairs: [pairs.before.style == pairs.after.style],
    "The light and the mood of this picture stay as they are.": lambda pairs: [
        pairs.before.light == pairs.after.light,
        pairs.before.mood == pairs.after.mood,
    ],
}
"""By hint, whether each thing of which it is said that it stays is as it was; nothing where there is no such thing."""


def well_made(blocks: Enclosed) -> Values:
    """Return how well the picture is made, by its clarity, whole shapes and lettering."""
    sight = sight_in(blocks, "picture")
    if sight is None:
        return graded(0, _NOTHING)
    worst, what = worst_of(sight)
    return graded(int(worst >= SOUND) + int(worst >= CLEAR), "clear and whole" if worst >= CLEAR else what)


def handed_back(blocks: Enclosed) -> Values:
    """Return whether the picture is the reference, Y or N: in no block of it is it another one, whatever its size."""
    one, other = (pixels(picture) for name in ("reference", "picture") for picture in pictures_of(blocks[name])[:1])
    count = SIDE // BLOCK
    apart = np.abs(one - other).mean(axis=2).reshape(count, BLOCK, count, BLOCK).mean(axis=(1, 3)).max()
    verdict = "Y" if apart <= ALIKE else "N"
    return {"reason": f"they differ by {apart:.1f} grey levels where they differ most", "verdict": verdict}


def pixels(picture: bytes) -> NDArray[np.float32]:
    """Return a picture's colours, shape (SIDE, SIDE, 3)."""
    sight_of(picture)  # it is an image
    image = Image.open(io.BytesIO(picture)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(image, np.float32)


RULES: Mapping[str, Callable[[Enclosed], Values]] = {
    "rule_compliance": complied,
    "visual_consistency": kept,
    "aesthetic_quality": well_made,
    "copy_check": handed_back,
}
"""By question, what is judged."""


def hint_of(blocks: Enclosed) -> str:
    """Return the hint."""
    return " ".join(texts_of(blocks.get("hint", ())))


def sight_in(blocks: Enclosed, name: str) -> Sight | None:
    """Return what is seen on the first picture of a block; None where there is none, or it is of one even colour."""
    pictures = pictures_of(blocks.get(name, ()))[:1]
    return None if not pictures or blank("a hint", pictures) else look("a hint", pictures)


def graded(score: int, reason: str) -> Values:
    """Return a score with its reason."""
    return {"reason": reason, "score": score}
