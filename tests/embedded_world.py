"""The embedded world as tests put questions to it: by their names, whoever of its roles answers them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gamut.asking.models.world import sandbox
from gamut.asking.requests import Chat, Create, Detect, Embed, Paint, Reply, Request
from gamut.world import agreement, captioner, judge, translator, writer
from gamut.world.answering import Unsupported
from gamut.world.looking import sight_of
from gamut.world.painting import commission, jpeg, paint, paint_prompt
from gamut.world.scene import random_scene
from gamut.world.writing import write

__all__ = [
    "GROSS",
    "PROMPT",
    "Unsupported",
    "answer",
    "captions",
    "commission",
    "flawed",
    "paint_prompt",
    "picture",
    "reply",
    "role_of",
    "sight_of",
]

PROMPT = (
    'Two red cars to the left of a blue house, at sunset, under a giant moon, with the word "OPEN" on a wooden sign.'
)
GROSS = 2.5
"""Strength of a fault that nobody can miss, in multiples of its limit of visibility."""

ROLES = {"judge": judge, "matcher": agreement, "captioner": captioner, "translator": translator, "writer": writer}
ROLE_OF = {Paint: "painter", Create: "creator", Detect: "detector", Embed: "image_embedder"}
UNKNOWN = "does not know the question"


@cache
def role_of(question: str) -> str:
    """The role that is asked a question; the writer, who will not know it, for one that nobody knows."""
    for role, module in ROLES.items():
        try:
            module.answer(question, {}, [], 0)
        except Unsupported as error:
            if UNKNOWN in str(error):
                continue
        return role
    return "writer"


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int = 0) -> dict[str, Any]:
    return ROLES[role_of(question)].answer(question, fields, images, seed)


def reply(request: Request, faults: Mapping[str, float]) -> Reply:
    """What the world replies to a request, in whichever role is asked it."""
    role = role_of(request.name) if isinstance(request, Chat) else ROLE_OF[type(request)]
    return sandbox.answer(request, faults, role)


@cache
def flawed(prompt: str, fault: str | None = None, strength: float = GROSS, seed: int = 1, size: int = 512) -> bytes:
    """A picture with one fault of a strength, or with none."""
    scene, _, rng = commission(prompt, seed, {})
    return jpeg(paint(scene, size, size, rng, {fault: strength} if fault else {}))


@cache
def picture(prompt: str, seed: int = 0) -> bytes:
    """A faultless picture of 256 pixels a side, painted and looked at once for all tests."""
    return paint_prompt(prompt, 256, 256, seed, {})


def captions(count: int, seed: int) -> list[str]:
    """`count` different English prompts of random scenes."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(write(random_scene(rng)))
    return list(found)
