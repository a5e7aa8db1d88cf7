"""The embedded world as a painter: pictures for prompts."""

from __future__ import annotations

import random
from collections.abc import Mapping

from .answering import Unsupported
from .captions import understand
from .painting import draw_faults, jpeg, paint
from .scene import Scene, complete


def paint_prompt(prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float]) -> bytes:
    """Paint a prompt: JPEG bytes, the same for the same arguments. `faults` maps names of faults to rates 0..1.

    Raises Unsupported where the prompt cannot be read whole, and for sides that are not 128 to 2048 pixels.
    """
    scene, drawn, rng = commission(prompt, seed, faults)
    try:
        return jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error


def commission(prompt: str, seed: int, faults: Mapping[str, float]) -> tuple[Scene, dict[str, float], random.Random]:
    """Return what paint_prompt hands to the painter: the complete scene, the faults drawn, the random state to paint
    with.
    """
    scene = understand(prompt)
    if scene is None:
        raise Unsupported(f"the embedded world cannot read the whole of the prompt {prompt[:120]!r}")
    rng = random.Random(f"{seed} {prompt}")
    scene = complete(scene, rng)
    return scene, draw_faults(scene, faults, rng), rng
