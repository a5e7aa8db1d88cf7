"""The embedded world as a contestant: sample by sample what it creates, with errors that hang together as told."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from .contexts import wanted_by_rule
from .coupling import coupled
from .creator import create
from .material import Parts, texts_of
from .probing import probed
from .reflecting import reflected
from .writing import write

MARKED = "<picture>…</picture>"
"""Stands in what the writer of a pair is asked beside the task: the world tells a scene, and marks no place."""


def answer(
    parts: Parts,
    modalities: Sequence[str],
    size: tuple[int, int],
    seed: int,
    sample: int,
    faults: Mapping[str, float],
    coupling: str,
    reads: str,
) -> list[str | bytes]:
    """Answer with a text, a picture of a size, or both. `seed` is of the request; its samples, from 0, differ.

    By the rule of a context (see `contexts`) is painted what it comes to for whoever `reads` both its texts and its
    pictures, or one of them; of four texts that one is chosen which says it, and a critique of its own picture says it
    anew. Unsupported: not understood, and why.
    """
    parts = [part for part in parts if isinstance(part, bytes) or MARKED not in part]
    drawn = coupled(faults, coupling, parts, modalities, sample)
    rate, others = drawn.get("wrong_reasoning", 0.0), {name: drawn[name] for name in drawn if name != "wrong_reasoning"}
    chance = random.Random(f"context {seed + sample} {texts_of(parts)}")
    if "image" in modalities:
        scene = wanted_by_rule(parts, reads, rate, chance)
        if scene is not None:
            return create([write(scene)], modalities, *size, seed + sample, others)
    elif (said := probed(parts, reads, rate, chance) or reflected(parts, reads, rate, chance)) is not None:
        return [said]
    return create(parts, modalities, *size, seed + sample, drawn)
