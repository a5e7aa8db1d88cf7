"""MinHash signatures in bands, and an index in memory that finds the near-duplicates of one text at a time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from gamut.texts.near_duplicates.pairs import WORDS_TO_SPARE, Reading, near

if TYPE_CHECKING:
    from datasketch import MinHash  # with half of scipy: imported where a text is signed

# Texts of Jaccard similarity J have a given band in common with probability J^ROWS, and at least one band of B with
# 1 - (1 - J^ROWS)^B. B is chosen so that this is 0.99 at the least similarity; for 0.845 that takes 23 bands:
#   J = 11/13: 1 - (1 - 0.188)^23 = 0.992;  0.75: 1 - (1 - 0.0563)^23 = 0.736;  0.5: 1 - (1 - 0.00098)^23 = 0.022
ROWS = 10
MISSED = 0.01
SEED = 1


def count_bands(least_similarity: float) -> int:
    """Return how many bands of ROWS rows find all but MISSED of the pairs that are just similar enough; within
    0.7..1.
    """
    if not 0.7 <= least_similarity <= 1:
        raise ValueError(f"least_similarity must be between 0.7 and 1, not {least_similarity}")
    return math.ceil(math.log(MISSED) / math.log1p(-min(least_similarity**ROWS, 1 - MISSED)))


def minhash(reading: Reading, bands: int) -> MinHash:
    signature = _empty(bands).copy()
    signature.update_batch(reading.shingles)
    return signature


@lru_cache(maxsize=1)
def _empty(bands: int) -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=bands * ROWS, seed=SEED, hashfunc=_word_hash)


@lru_cache(maxsize=1 << 17)
def _word_hash(word: str) -> int:
    return int.from_bytes(hashlib.sha1(word.encode()).digest()[:4], "little")  # as datasketch.sha1_hash32


class Index:
    """A small, fixed set of texts in which the near-duplicates of others are looked up, as pairs."""

    def __init__(self, texts: Sequence[str], least_similarity: float) -> None:
        """Raises ValueError for a `least_similarity` outside 0.7..1."""
        from datasketch import MinHashLSH

        self.least_similarity = least_similarity
        self.bands = count_bands(least_similarity)
        self.readings = [Reading(text) for text in texts]
        self.with_letters: dict[bytes, list[int]] = {}
        self.lsh = MinHashLSH(num_perm=self.bands * ROWS, params=(self.bands, ROWS))
        for position, reading in enumerate(self.readings):
            self.with_letters.setdefault(reading.letters, []).append(position)
            if len(reading.words) >= WORDS_TO_SPARE:
                self.lsh.insert(position, minhash(reading, self.bands))

    def near(self, text: str) -> list[tuple[int, float]]:
        """Return position and similarity of all near-duplicates, the most similar first, of equal ones the earliest."""
        if not self.readings:
            return []
        reading = Reading(text)
        candidates = set(self.with_letters.get(reading.letters, []))
        if len(reading.words) >= WORDS_TO_SPARE:
            candidates.update(self.lsh.query(minhash(reading, self.bands)))
        found = [(position, near(reading, self.readings[position], self.least_similarity)) for position in candidates]
        return sorted((one for one in found if one[1]), key=lambda one: (-one[1], one[0]))
