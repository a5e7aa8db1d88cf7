"""Models drawn from the prior that `identified` states, and what they answer: how far apart their sides are is known.

Samples of an item are alike in four ways:
* independent: not at all.
* dirichlet: an item has its own cells, Dirichlet distributed around the category's; of any two samples of an item a
  share of .1 to .8, a category's own, is the same for that reason alone.
* parts: whether the sides agree, what is right where they do and which where they do not vary by item each by itself.
* difficulty: items are hard or easy for both sides, normal on the logit scale, with a correlation of .3 to 1. The
  marginals are the category's; how the sides go together follows from the difficulty, and is not drawn from the prior.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.gapeval.shared.fitting.formula import gap
from stages.gapeval.shared.fitting.gaps import columns
from stages.gapeval.shared.fitting.identified import ASSOCIATION, CENTRE, DEGREES, SCALE, cells, draws, posterior, sums

SIZES, SAMPLES = (147, 100, 94, 305), 10
ALIKE = (0.1, 0.8)
HARD = (0.5, 4.0)
"""Standard deviation of an item's difficulty, in logits."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
RARE = 0.02


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def drawn_model(chance, categories=4):
    """θ of text and picture and ψ of each category, shape (categories, 3), from the prior."""
    inverse = chance.multivariate_normal(np.zeros(2), np.linalg.inv(SCALE), int(DEGREES))
    centre = chance.normal(0, CENTRE, 2)
    theta = chance.multivariate_normal(centre, np.linalg.inv(inverse.T @ inverse), categories)
    return np.column_stack([theta, chance.normal(0, ASSOCIATION, categories)])


def rare_side(eta):
    """The least share of right or wrong answers on a side of each category."""
    right = sigmoid(eta[:, :2])
    return np.minimum(right, 1 - right).min(axis=1)


def answered(chance, eta, items, kind, samples=SAMPLES):
    """The true cells (4,) of a category and the shares of samples of its items, shape (items, 4)."""
    if kind == "difficulty":
        return by_difficulty(chance, eta[:2], items, samples)
    truth = cells(eta)
    own = np.tile(truth, (items, 1))
    if kind == "dirichlet":
        own = chance.dirichlet(np.maximum((1 / chance.uniform(*ALIKE) - 1) * truth, 1e-12), items)
    elif kind == "parts":

        def part(share):
            worth = 1 / chance.uniform(*ALIKE) - 1
            return chance.beta(max(worth * share, 1e-9), max(worth * (1 - share), 1e-9), items)

        agree = part(truth[0] + truth[3])
        right, text = part(truth[0] / (truth[0] + truth[3])), part(truth[1] / (truth[1] + truth[2]))
        own = np.column_stack([agree * right, (1 - agree) * text, (1 - agree) * (1 - text), agree * (1 - right)])
    own = np.maximum(own, 0)
    return truth, chance.multinomial(samples, own / own.sum(axis=1, keepdims=True)) / samples


def by_difficulty(chance, theta, items, samples):
    hard, together = chance.uniform(*HARD), chance.uniform(0.3, 1)
    shifts = []
    for ability in theta:  # where the mean over items is the category's share
        low, high = -60.0, 60.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if WEIGHTS @ sigmoid(middle + hard * NODES) < sigmoid(ability) else (low, middle)
        shifts.append(middle)
    apart = np.sqrt(1 - together**2)
    own, other = np.meshgrid(NODES, NODES)
    text = sigmoid(shifts[0] + hard * own)
    both = (np.outer(WEIGHTS, WEIGHTS) * text * sigmoid(shifts[1] + hard * (together * own + apart * other))).sum()
    text, picture = sigmoid(theta)
    truth = np.array([both, text - both, picture - both, 1 - text - picture + both])
    first, second = chance.normal(size=(2, items, 1))
    right = chance.random((items, samples)) < sigmoid(shifts[0] + hard * first)
    drawn = chance.random((items, samples)) < sigmoid(shifts[1] + hard * (together * first + apart * second))
    return truth, np.stack([right & drawn, right & ~drawn, ~right & drawn, ~right & ~drawn], axis=-1).mean(axis=1)


class Held(NamedTuple):
    """Whether the truth of a model lies in its intervals: of each category's Δθ and gap, and of the mean gap; whether a
    category's interval of Δθ leaves out 0, and is on the true side of it; which have a side below RARE.
    """

    apart: np.ndarray
    gap: np.ndarray
    mean: bool
    sure: np.ndarray
    right: np.ndarray
    rare: np.ndarray


def held(chance, eta, kind, sizes, samples, normal):
    truth, items = zip(*(answered(chance, *of, kind, samples) for of in zip(eta, sizes, strict=True)), strict=True)
    truth = np.array(truth)
    apart, shares = draws(posterior([sums(rows, samples) for rows in items]), normal)
    found = gap(apart, shares[..., 3], shares[..., 0])
    true_apart = eta[:, 0] - eta[:, 1]
    true_gap = gap(true_apart, truth[:, 3], truth[:, 0])
    low, high = interval(apart)
    sure = (low > 0) | (high < 0)
    of_mean = interval(found.mean(axis=1))
    return Held(
        (low <= true_apart) & (true_apart <= high),
        np.less_equal(interval(found)[0], true_gap) & np.less_equal(true_gap, interval(found)[1]),
        bool(of_mean[0] <= true_gap.mean() <= of_mean[1]),
        sure,
        sure & (np.sign(low + high) == np.sign(true_apart)),
        rare_side(eta) < RARE,
    )


def interval(of):
    return np.quantile(of, [0.025, 0.975], axis=0)


def shares_held(kind, models, seed, sizes=SIZES, samples=SAMPLES, rare=False, normals=4_000):
    """How often intervals hold the truth; where `rare`, of models with a side below RARE, in those categories alone."""
    chance = np.random.default_rng(seed)
    normal = np.random.default_rng(seed + 1).standard_normal((normals, columns(len(sizes))))
    found = []
    while len(found) < models:
        eta = drawn_model(chance, len(sizes))
        if not rare or (rare_side(eta) < RARE).any():
            found.append(held(chance, eta, kind, sizes, samples, normal))
    apart, gaps_held, _, sure, right, is_rare = (np.array(column) for column in zip(*found, strict=True))
    counted = is_rare if rare else np.ones_like(is_rare)
    return {
        "apart": apart[counted].mean(),
        "gap": gaps_held[counted].mean(),
        "mean_gap": np.mean([one.mean for one in found]),
        "right_sign": right[counted].sum() / max(sure[counted].sum(), 1),
        "sure": sure[counted].mean(),
    }
