"""Which rows pages show: all, or, of more than pages are made for, those whose ids have the lowest digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

LIMIT = 100_000
"""Pictures, and rows that never had one, that pages show at most."""
HIGHEST = 2**64 - 1


def digest(row_id: str) -> int:
    """Return a number of 64 bits that an id alone decides: the same on every machine, whatever rows there are."""
    return int.from_bytes(hashlib.blake2b(row_id.encode(), digest_size=8).digest(), "big")


def highest_shown(ids: Iterable[str], limit: int = LIMIT) -> int:
    """Return the highest digest of an id that is shown, so that at most `limit` are; memory is 8 bytes an id."""
    digests = np.fromiter(map(digest, ids), np.uint64)
    return HIGHEST if len(digests) <= limit else int(np.partition(digests, limit - 1)[limit - 1])
