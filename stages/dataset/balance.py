"""Balance between sources and characteristics: which prompts are more than their wave may have of a kind.

Limits count within one wave, so that a new wave changes no decision about an old one. Which prompts stay is drawn by
a hash of the id, not by position: sources are often sorted.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from stages.dataset.shared.parameters import Prompts


def unmatched(
    waves: NDArray[np.int64], kinds: NDArray[np.int64], ranks: NDArray[np.int64], limits: Prompts
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which prompts are left out for their characteristic, and which of the others for their wave.

    Each prompt has the number of its wave, of the characteristic its words point to (below 0: none, never limited
    for it) and its rank. The lowest ranks stay.
    """
    by_kind, by_wave = np.zeros(len(waves), bool), np.zeros(len(waves), bool)
    with_kind = np.flatnonzero(kinds >= 0)
    groups = waves[with_kind] * (kinds.max(initial=0) + 1) + kinds[with_kind]
    by_kind[with_kind] = beyond(groups, ranks[with_kind], limits.most_per_characteristic)
    left = np.flatnonzero(~by_kind)
    by_wave[left] = beyond(waves[left], ranks[left], limits.most_per_wave)
    return by_kind, by_wave


def beyond(groups: NDArray[np.int64], ranks: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Return which members stand beyond the `most` lowest ranks of their group."""
    order = np.lexsort((ranks, groups))
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(order)])
    position = np.arange(len(order)) - np.repeat(starts, lengths)
    found = np.zeros(len(groups), bool)
    found[order[position >= most]] = True
    return found


def rank_of(row_id: str, seed: int) -> int:
    """Return a row's place in the draw, 0 .. 2^63 - 1, from its id and the build's seed."""
    return int.from_bytes(hashlib.sha256(f"balance:{seed}:{row_id}".encode()).digest()[:8]) >> 1
