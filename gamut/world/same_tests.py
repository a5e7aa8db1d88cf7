"""The embedded world as a judge of two texts: do they tell the same scene, and so are the same test?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from .answering import Values, unreadable
from .captions import understand
from .scene import Scene, canonical

_DRAWN = ("style", "light", "mood")
"""How a scene is drawn: where one text leaves it open, the other adds something beside the point."""
_SHOWN = ("relation", "lettering", "sign", "surreal")
_FRAME = re.compile(r"(?:the picture shows|paint|generate an image of) (.*)", re.IGNORECASE | re.DOTALL)
"""What items put before a scene, which is no part of it."""


def same_test(fields: Mapping[str, str]) -> Values:
    """Return whether the fields `test` and `text` tell the same scene, in English or Chinese: a verdict Y or N.

    Things, numbers, colours, places, lettering and what is surreal have to be the same, said or left open; style, light
    and mood must not differ where both say them. Unsupported for a text that is not understood to its last word.
    """
    differing = differences(*(told(fields.get(name, "")) for name in ("test", "text")))
    reason = f"they differ in: {', '.join(differing)}" if differing else "both tell the same scene"
    return {"reason": reason, "verdict": "N" if differing else "Y"}


def told(text: str) -> Scene:
    """Return the scene that a text tells; Unsupported where not all of it is understood."""
    scene = scene_of(text)
    if scene is None:
        raise unreadable(text)
    return scene


@lru_cache(1 << 12)  # one text is compared with many others
def scene_of(text: str) -> Scene | None:
    """Return the scene that a caption or an item's text tells; None where not all of it is understood."""
    framed = _FRAME.fullmatch(text)
    return understand(text) or (understand(framed[1]) if framed else None)


def differences(one: Scene, other: Scene) -> list[str]:
    """Return the parts in which two scenes are not the same test; two things without a relation have no order."""
    one, other = _ordered(one), _ordered(other)
    found = ["things"] if one.groups != other.groups else []
    found += [part for part in _SHOWN if getattr(one, part) != getattr(other, part)]
    for part in _DRAWN:
        both = {getattr(one, part), getattr(other, part)} - {None}
        found += [part] if len(both) > 1 else []
    return found


def _ordered(scene: Scene) -> Scene:
    if scene.relation:
        return canonical(scene)
    return replace(scene, groups=tuple(sorted(scene.groups, key=repr)))
