"""Which answers are put to people: a seeded share, within strata, that tells nothing of who made them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from stages.asking.requests import seed_of


class Given(NamedTuple):
    """An answer that a contestant gave; `id` is that of its row in the contestant's table."""

    contestant: str
    item: str
    side: str
    sample: int
    id: str


def draw(answers: Iterable[Given], strata: Mapping[str, str], share: float, seed: int) -> list[Given]:
    """Return a share of the answers, in an order that tells nothing.

    On every side and in every stratum (`strata`: by item) as many answers as `share`, 0..1, of the items that have any,
    a fraction rounded up or down by lot, and one at least. Each answer is as likely as any other, whoever gave it: so
    what people and judges agree on is that of all answers, not of one contestant's. The order of `answers` changes
    nothing; a larger share has all of a smaller one.
    """
    pools: dict[tuple[str, str], list[Given]] = {}
    for one in answers:
        pools.setdefault((one.side, strata[one.item]), []).append(one)
    drawn: list[Given] = []
    for (side, stratum), pool in pools.items():
        lot = seed_of(f"{side}/{stratum}", seed) / 2**31
        count = max(1, int(share * len({one.item for one in pool}) + lot))
        drawn += sorted(pool, key=lambda one: (digest_of(one, seed, "drawn"), one))[:count]
    return sorted(drawn, key=lambda one: code_of(one, seed))


def code_of(one: Given, seed: int) -> str:
    """Return what an answer is called where nobody is to know whose it is; a letter first, or a spreadsheet might take
    it for a number.
    """
    return f"a{digest_of(one, seed, 'called')[:11]}"


def digest_of(one: Given, seed: int, use: str) -> str:
    """Return a sha256 (hex) for one use of an answer."""
    return hashlib.sha256(f"{seed}:{use}:{one.side}/{one.item}/{one.contestant}/{one.sample}".encode()).hexdigest()
