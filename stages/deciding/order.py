"""In which order cards are put, by seed, and which of them twice: what a person says again tells how sure it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from stages.deciding.cards import Place

REPEATED = 10
"""One of so many cards is put a second time."""
APART = 100
"""So many other cards lie between, or half of all where they are fewer: nobody remembers that many."""


def shuffled(names: Iterable[str], seed: str) -> list[str]:
    """Return names in an order that tells nothing of them, the same for the same seed."""
    return sorted(names, key=lambda name: (lot(name, seed, "order"), name))


def with_repeats(ids: Sequence[str], seed: str) -> list[Place]:
    """Return the places of cards, in their order, every tenth of them by lot again as round 1, far from its first.

    Second ones lie all along the way but in its beginning: who stops early has said some things twice.
    """
    apart = min(len(ids) // 2, APART)
    drawn = set(sorted(ids[: len(ids) - apart], key=lambda one: lot(one, seed, "again"))[: len(ids) // REPEATED])
    places: list[Place] = []
    for number, one in enumerate(ids):
        places.append((one, 0))
        if number >= apart and (earlier := ids[number - apart]) in drawn:
            places.append((earlier, 1))
    return places


def lot(name: str, seed: str, use: str) -> bytes:
    return hashlib.sha256(f"{seed}:{use}:{name}".encode()).digest()
