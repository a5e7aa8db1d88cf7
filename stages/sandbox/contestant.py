"""The embedded world as a contestant: sample by sample what it creates, with errors that hang together as told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .coupling import coupled
from .creator import create
from .material import Parts


def answer(
    parts: Parts,
    modalities: Sequence[str],
    size: tuple[int, int],
    seed: int,
    sample: int,
    faults: Mapping[str, float],
    coupling: str,
) -> list[str | bytes]:
    """Answer with a text, a picture of a size, or both. `seed` is of the request; its samples, from 0, differ.

    Unsupported: not understood, and why.
    """
    drawn = coupled(faults, coupling, parts, modalities, sample)
    return create(parts, modalities, *size, seed + sample, drawn)
