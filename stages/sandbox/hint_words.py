"""What a hint says that a picture shows, and what not: read to its last word, or not at all."""

from __future__ import annotations

import re

from .answering import unreadable
from .captions import understand
from .scene import Group, Scene

SHOWS = re.compile(r"The picture shows (.+?)\.((?: There is no .+? in it\.)*)", re.DOTALL)
ABSENT = re.compile(r" There is no (.+?) in it\.")
"""What a rule's hint says: what is to be there, and what is not."""


def wanted(hint: str) -> tuple[Scene, list[Group]]:
    """Return what a hint says is there, and things that are not; Unsupported where it cannot be read to the end."""
    said = SHOWS.fullmatch(hint)
    scene = understand(said[1]) if said else None
    if said is None or scene is None:
        raise unreadable(hint)
    return scene, [thing(name, hint) for name in ABSENT.findall(said[2])]


def thing(name: str, hint: str) -> Group:
    """Return the kind, and the colour if it is said, that a name in singular or plural stands for."""
    for text in (f"a {name}", f"two {name}"):
        scene = understand(text)
        if scene is not None and scene == Scene(scene.groups) and len(scene.groups) == 1:
            return scene.groups[0]
    raise unreadable(hint)
