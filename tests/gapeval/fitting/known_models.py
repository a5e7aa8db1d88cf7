"""Models of known abilities, what they answer, and what a Markov chain knows of them by that.

Samples of an item are independent, or alike, or one and the same. Where they are alike an item has cells of its own,
Dirichlet(2) distributed around the category's: of any two samples a third are the same for that reason alone.
"""

from __future__ import annotations

import numpy as np

from stages.gapeval.shared.fitting.bootstrap import PRECISION

SAMPLES = 10
ALIKE = 2.0
LIKENESS = {"independent": 1 / SAMPLES, "alike": (1 + (SAMPLES - 1) / (1 + ALIKE)) / SAMPLES, "same": 1.0}
"""Of how many observations an item is (Kish's effect of clusters)."""
ASSOCIATION = 1.5
"""Standard deviation of the log odds ratio of a model's two sides, for the Markov chain."""


def cells_of(text, picture, association=1.0):
    """The joint shares p11, p10, p01, p00 of two shares of right samples and their log odds ratio (Plackett 1965)."""
    more = np.expm1(association)
    whole = 1 + (text + picture) * more
    root = np.sqrt(np.maximum(whole**2 - 4 * more * (1 + more) * text * picture, 0))
    both = 2 * (1 + more) * text * picture / (whole + root)
    return np.stack([both, text - both, picture - both, 1 - text - picture + both], axis=-1)


def answered(chance, cells, items, kind="alike"):
    """The joint shares of each item, shape (items, 4)."""
    cells = np.clip(cells, 0, 1)
    if kind == "independent":
        return chance.multinomial(SAMPLES, cells, items) / SAMPLES
    if kind == "same":
        return chance.multinomial(1, cells, items).astype(np.float64)
    own = chance.standard_gamma(ALIKE * cells, (items, 4))
    own = np.where(own.sum(axis=1, keepdims=True) > 0, own, cells)  # so small that all is 0
    return chance.multinomial(SAMPLES, own / own.sum(axis=1, keepdims=True)) / SAMPLES


def logit(share):
    return np.log(share) - np.log1p(-share)


def reference(chance, items, kind, steps=1_500, walkers=40):
    """Draws of Δθ from its posterior by one category's items, shape (draws,): as many observations as items are truly
    worth, abilities as `bootstrap` has them, a normal log odds ratio. An affine-invariant ensemble (Goodman and Weare
    2010), the first third of its steps left out.
    """
    cells = items.sum(axis=0)

    def density(at):
        shares = 1 / (1 + np.exp(-at[:, :2]))
        fits = np.log(np.maximum(cells_of(*shares.T, at[:, 2]), 1e-300)) @ cells / LIKENESS[kind]
        return fits - (np.einsum("wi,ij,wj->w", at[:, :2], PRECISION, at[:, :2]) + (at[:, 2] / ASSOCIATION) ** 2) / 2

    start = cells / cells.sum() * 0.98 + 0.005
    at = np.array([logit(start[0] + start[1]), logit(start[0] + start[2]), 0]) + chance.normal(0, 0.3, (walkers, 3))
    known, half, kept = density(at), walkers // 2, []
    for step in range(steps):
        for own, others in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
            stretch = (chance.random(half) * (np.sqrt(2) - np.sqrt(0.5)) + np.sqrt(0.5)) ** 2
            pivots = at[others][chance.integers(half, size=half)]
            moved = pivots + stretch[:, None] * (at[own] - pivots)
            there = density(moved)
            taken = np.log(chance.random(half)) < 2 * np.log(stretch) + there - known[own]
            at[own] = np.where(taken[:, None], moved, at[own])
            known[own] = np.where(taken, there, known[own])
        if step > steps // 3:
            kept.append(at[:, 0] - at[:, 1])
    return np.concatenate(kept)
