"""Draws of a contestant's gaps, from its items: what is missing counts as whatever makes a gap largest.

A sample with a side missing stands in none of the four joint shares. An item's row has nine shares, which sum to 1:
p11, p10, p01, p00, then of samples with one side missing: text right, text wrong, picture right, picture wrong; and
both missing. A row of four is one in which nothing is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stages.gapeval.shared.fitting import identified
from stages.gapeval.shared.fitting.formula import gap
from stages.gapeval.shared.fitting.identified import PARTS, WHOLES, Posterior

Floats = NDArray[np.float64]
DRAWS = 10_000
BOTH, TEXT, PICTURE, NEITHER = range(4)


def normal_numbers(categories: int, seed: int) -> Floats:
    """Return as many independent standard normal numbers as draws of one contestant take, shape (DRAWS, columns)."""
    return np.random.default_rng(seed).standard_normal((DRAWS, columns(categories)))


def columns(categories: int) -> int:
    """Return how many numbers one draw takes: three that items add and three of the prior for each, two of μ."""
    return 6 * categories + 2


def gaps(items: Sequence[Floats], samples: float, normal: Floats) -> Floats:
    """Return draws of a contestant's gaps, 0..1, shape (draws, categories).

    `items`: of each category the shares of its items, shape (items, 4 or 9), of so many `samples` each. `normal`:
    standard normal numbers, shape (draws, columns(categories)); two contestants need numbers of their own, or `tied`
    ones. The value of a category is the median of its draws, that of the contestant the median of their means.

    Where something is missing, it is right or wrong throughout, on each side, in four posteriors; a draw has the
    largest |Δθ| of the four, and p00 and p11 as if it were all wrong. That is more than any one way to fill it in
    would give, so that an answer hidden lowers no gap.
    """
    if not any(rows[:, 4:].any() for rows in items):
        apart, shares = drawn(items, samples, normal)
        return gap(apart, shares[..., NEITHER], shares[..., BOTH])
    ways = [drawn([filled(rows, *way) for rows in items], samples, normal) for way in product((False, True), repeat=2)]
    worst = ways[0][1]
    return gap(np.max([np.abs(apart) for apart, _ in ways], axis=0), worst[..., NEITHER], worst[..., BOTH])


def drawn(items: Sequence[Floats], samples: float, normal: Floats) -> tuple[Floats, Floats]:
    """Return draws of Δθ and of the joint shares from items of which nothing is missing."""
    known: Posterior = identified.posterior([identified.sums(rows[:, :4], samples) for rows in items])
    return identified.draws(known, normal)


def filled(rows: Floats, text: bool, picture: bool) -> Floats:
    """Return joint shares, shape (items, 4), with what is missing in text, or as a picture, all right or all wrong."""
    if rows.shape[1] == 4:
        return rows
    found = rows[:, :4].copy()
    found[:, BOTH if picture else TEXT] += rows[:, 4]
    found[:, PICTURE if picture else NEITHER] += rows[:, 5]
    found[:, BOTH if text else PICTURE] += rows[:, 6]
    found[:, TEXT if text else NEITHER] += rows[:, 7]
    found[:, (NEITHER, PICTURE, TEXT, BOTH)[2 * text + picture]] += rows[:, 8]
    return found


def tied(items: Sequence[Floats], multipliers: Sequence[Floats], own: Floats) -> Floats:
    """Return a contestant's normal numbers with those of its items in their place, so that draws of contestants move
    together as far as their items do.

    `items`: shape (items, 4) of each category; `multipliers`: standard normal numbers, (items, draws), the same for all
    contestants; `own`: this contestant's numbers, which stay where its items do not vary.
    """
    found = own.copy()
    for category, (rows, multiplier) in enumerate(zip(items, multipliers, strict=True)):
        place = slice(3 * category, 3 * category + 3)
        sums = rows.sum(axis=0)
        shares = (PARTS @ sums) / np.maximum(WHOLES @ sums, 1e-12)
        moves = rows @ (PARTS - shares[:, None] * WHOLES).T
        sizes, directions = np.linalg.eigh(moves.T @ moves)
        varied = sizes > 1e-9 * len(rows)
        whitened = directions[:, varied] / np.sqrt(sizes[varied]) @ directions[:, varied].T
        still = directions[:, ~varied] @ directions[:, ~varied].T
        found[:, place] = multiplier.T @ (moves @ whitened) + own[:, place] @ still
    return found
