"""The gap with an interval: what is known of a contestant's abilities in text and picture, each fitted alone.

The published formula of the gap ("Quantifying the Gap between Understanding and Generation within Unified Multimodal
Models", appendix A) over abilities that the data determine:

    gap_c  = σ(logit g_c + 2.7 p00_c - 1.05 p11_c),   g_c = |Δθ_c| / (1 + |Δθ_c|), at least 1e-6,   Δθ_c = θ_c1 - θ_c2
    θ_c    = logits of what is right in text and as a picture in category c: β = 0, and no other contestant counts
    ψ_c    = log odds ratio of the two sides of a sample; with θ_c it gives p11, p10, p01, p00 (Plackett 1965)
    θ_c    ~ N(μ, Σ),   μ ~ N(0, 1.5² I),   Σ ~ inverse Wishart(8, [12.5 7.5; 7.5 12.5]),   ψ_c ~ N(0, 1.5²)

The mean of Σ is [2.5 1.5; 1.5 2.5]; it is integrated out. The likelihood of a category's cells is that of three
binomial counts: whether the sides agree, what is right where they do, and which is where they do not. Each
has as many observations as its own variance between items says (`binomials`): samples of one item are alike.

The posterior of (θ, ψ, μ) is normal around its mode (Laplace), but as wide to each side of every axis as the density
says there (a split normal distribution: Geweke 1989). Draws of it give draws of every gap; a value is their median: it
lies inside their interval though a gap cannot be below 0, and is the same on any monotone scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CENTRE, ASSOCIATION = 1.5, 1.5
"""Standard deviations of μ, for each side, and of ψ."""
DEGREES, SCALE = 8.0, np.array([[12.5, 7.5], [7.5, 12.5]])
"""Of the inverse Wishart distribution of Σ."""
BORROWED, ALIKE = 0.25, 0.5
"""How alike an item's samples are believed to be, as if so much variance had been seen: .5 lies between 1, all the
same, and 1 over their number, independent."""
PARTS = np.array([[1.0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
WHOLES = np.array([[1.0, 1, 1, 1], [1, 0, 0, 1], [0, 1, 1, 0]])
"""Of each binomial the cells that are its successes, and those it is among."""
SIDES, CONTRASTS = 2, 3
WIDEST, TINY = 100.0, 1e-200
"""The largest log odds ratio and the least share that are told apart."""
ROUNDS, SETTLED, LONGEST = 200, 1e-10, 3.0
"""Of Newton's method: steps at most, a step that is the last, and the longest, in logits."""
SHORTER, HIDDEN = 0.5 ** np.arange(30), 1e-9
"""What of a step is tried, until the density does not fall; and a gain of its logarithm that rounding may hide: there
the whole step is taken, since the slope still tells where to go.
"""
FAR, SPLITS = 2.0, 3
"""In standard deviations, where both sides of the distribution are as wide as the posterior; steps to find it."""


class Sums(NamedTuple):
    """All that counts of a category: `cells`, the sum over items of their shares of samples p11, p10, p01, p00, shape
    (4,); `products`, of these shares' outer products, shape (4, 4); `items`, how many; `samples` that each has.
    """

    cells: Floats
    products: Floats
    items: float
    samples: float


class Binomials(NamedTuple):
    """The likelihood of a category, each of shape (3,): the shares of where the sides agree, of both right where they
    do, and of text right where they do not; and how many observations each is worth.
    """

    shares: Floats
    worth: Floats


class Posterior(NamedTuple):
    """What is known of the values (θ, ψ of each category, then μ) of a contestant: a split normal distribution.

    `standard`, shape (values, columns), makes standard normal numbers of independent ones: the first three columns of
    each category are what its items add, the others the prior's. `above` and `below`, (values, values), are how far a
    number above or below 0 moves the values from their `mode`.
    """

    mode: Floats
    standard: Floats
    above: Floats
    below: Floats


def sums(shares: Floats, samples: float) -> Sums:
    """Return the sums over items of shape (items, 4), each with its shares of so many samples, in any order."""
    rows = np.asarray(shares, np.float64)
    rows = rows[np.lexsort(rows.T)]  # so that not even rounding tells their order
    return Sums(rows.sum(axis=0), rows.T @ rows, float(len(rows)), samples)


def counted(counts: Sequence[float]) -> Sums:
    """Return the sums of observations n11, n10, n01, n00, each of another item as far as anybody knows."""
    cells = np.array(counts, np.float64)
    return Sums(cells, np.diag(cells), float(cells.sum()), 1.0)


def binomials(of: Sums) -> Binomials:
    """Return the three binomials of a category. ValueError where it has no items.

    A share b = Σy/Σw over items has the variance Σ(y - bw)²/(Σw)² (Cochran 1977, "Sampling techniques", 6.3). Where all
    samples of an item are alike that is b(1 - b)Σw²/(Σw)². The ratio of the two, with BORROWED where little varied,
    tells how many observations there are: (Σw)²/Σw² over it, and no more than samples. It is made larger by what
    a variance of few events leaves open, much as Student's t is wider than a normal distribution.
    """
    if not of.items > 0:
        raise ValueError("a category without items says nothing")
    found, wholes = PARTS @ of.cells, WHOLES @ of.cells
    shares = np.divide(found, wholes, out=np.full(CONTRASTS, 0.5), where=wholes > 0)
    if of.samples <= 1:
        return Binomials(shares, wholes)
    squares, varied = (np.einsum("ki,ij,kj->k", m, of.products, m) for m in (WHOLES, PARTS - shares[:, None] * WHOLES))
    smooth = (found + 0.5) / (wholes + 1)
    unit = smooth * (1 - smooth)
    kish = np.divide(wholes**2, squares, out=np.zeros(CONTRASTS), where=squares > 0)
    alike = (varied + BORROWED * ALIKE) / (squares * unit + BORROWED)
    alike *= 1 + 2 / (kish * unit + 2)
    return Binomials(shares, np.minimum(kish / alike, of.samples * wholes))


def posterior(categories: Sequence[Sums]) -> Posterior:
    """Return what is known of a contestant by the sums of its categories. ValueError where one has no items."""
    data = [binomials(of) for of in categories]
    at = highest(data)
    _, roots, prior = bent(at, data)
    covariance = np.linalg.inv(sum(root @ root.T for root in roots) + prior)
    sizes, directions = np.linalg.eigh(covariance)
    axes = directions * np.sqrt(sizes) @ directions.T
    standard = np.linalg.solve(axes, covariance @ np.concatenate([*roots, np.linalg.cholesky(prior)], axis=1))
    return Posterior(at, standard, axes * reach(at, axes, data), axes * reach(at, -axes, data))


def highest(data: Sequence[Binomials]) -> Floats:
    """Return the values at which their posterior density is highest.

    Newton's method goes along the logits of the binomials, in which the likelihood is a sum of one term for each.
    """
    shares, worth = (np.stack(both) for both in zip(*data, strict=True))
    smooth = (shares * worth + 0.5) / (worth + 1)
    logits = np.log(smooth / (1 - smooth))
    centre = eta_of(logits)[:, :SIDES].mean(axis=0)
    at = np.concatenate([eta_of(logits).ravel(), centre])
    value = log_posterior(at, data)
    for _ in range(ROUNDS):
        chances = sigmoid(logits)
        by_logits = np.eye(len(at))
        for c, of_one in enumerate(eta_slopes(logits)):
            by_logits[3 * c : 3 * c + 3, 3 * c : 3 * c + 3] = of_one
        prior = prior_precision(at)
        information = np.zeros(len(at))
        information[:-SIDES] = (worth * chances * (1 - chances)).ravel()
        slope = by_logits.T @ -(prior @ at)
        slope[:-SIDES] += (worth * (shares - chances)).ravel()
        step = np.linalg.solve(np.diag(information) + by_logits.T @ prior @ by_logits, slope)
        step *= LONGEST / max(LONGEST, np.abs(step).max())
        for size in SHORTER:
            moved = logits + size * step[:-SIDES].reshape(-1, 3), centre + size * step[-SIDES:]
            there = np.concatenate([eta_of(moved[0]).ravel(), moved[1]])
            if (found := log_posterior(there, data)) >= value or slope @ step < HIDDEN:
                (logits, centre), at, value = moved, there, found
                break
        else:
            break
        if np.abs(step).max() < SETTLED:
            break
    return at


def eta_of(logits: Floats) -> Floats:
    """Return θ of both sides and ψ, shape (…, 3), of the logits of the three binomials, (…, 3)."""
    both, text, picture, neither = np.moveaxis(log_cells(logits), -1, 0)
    of_text = np.logaddexp(both, text) - np.logaddexp(picture, neither)
    of_picture = np.logaddexp(both, picture) - np.logaddexp(text, neither)
    return np.stack([of_text, of_picture, both + neither - text - picture], axis=-1)


def log_cells(logits: Floats) -> Floats:
    """Return the logarithms of p11, p10, p01, p00, shape (…, 4), of the logits of the three binomials, (…, 3)."""
    agree, right, text = np.moveaxis(-np.logaddexp(0, -logits), -1, 0)
    apart, wrong, picture = np.moveaxis(-np.logaddexp(0, logits), -1, 0)
    return np.stack([agree + right, apart + text, apart + picture, agree + wrong], axis=-1)


def eta_slopes(logits: Floats) -> Floats:
    """Return the slopes of θ and ψ in the logits of the three binomials, shape (…, 3, 3)."""
    of = np.exp(log_cells(logits))
    agree, right, text = (sigmoid(logits[..., k]) for k in range(CONTRASTS))
    none = np.zeros_like(agree)
    by_cell = np.stack(
        [
            np.stack([1 - agree, 1 - right, none], axis=-1),
            np.stack([-agree, none, 1 - text], axis=-1),
            np.stack([-agree, none, -text], axis=-1),
            np.stack([1 - agree, -right, none], axis=-1),
        ],
        axis=-2,
    )

    def mean(one: int, other: int) -> Floats:
        weight = (of[..., one] / (of[..., one] + of[..., other]))[..., None]
        found: Floats = weight * by_cell[..., one, :] + (1 - weight) * by_cell[..., other, :]
        return found

    ratio = by_cell[..., 0, :] + by_cell[..., 3, :] - by_cell[..., 1, :] - by_cell[..., 2, :]
    return np.stack([mean(0, 1) - mean(2, 3), mean(0, 2) - mean(1, 3), ratio], axis=-2)


def reach(at: Floats, axes: Floats, data: Sequence[Binomials]) -> Floats:
    """Return by what each axis, a column, is to be stretched for the density to fall as a normal one does at FAR."""
    stretched = np.ones(len(at))
    for _ in range(SPLITS):
        fallen = log_posterior(at, data) - log_posterior(at + FAR * (axes * stretched).T, data)
        stretched = stretched * np.clip(FAR / np.sqrt(2 * np.maximum(fallen, 1e-9)), 1 / 2, 2)
    return stretched


def log_posterior(at: Floats, data: Sequence[Binomials]) -> Floats:
    """Return the logarithm of the posterior's density, shape (…), but for a constant, Σ integrated out."""
    eta, centre = at[..., :-SIDES].reshape(*at.shape[:-1], -1, 3), at[..., -SIDES:]
    apart = eta[..., :SIDES] - centre[..., None, :]
    prior = -(DEGREES + len(data)) / 2 * np.linalg.slogdet(SCALE + apart.swapaxes(-1, -2) @ apart)[1]
    prior -= (eta[..., 2] ** 2).sum(axis=-1) / (2 * ASSOCIATION**2) + (centre**2).sum(axis=-1) / (2 * CENTRE**2)
    logits = contrasts(cells(eta))
    shares, worth = (np.stack(both) for both in zip(*data, strict=True))
    found: Floats = prior + (worth * (shares * logits - np.logaddexp(0, logits))).sum(axis=(-1, -2))
    return found


def bent(at: Floats, data: Sequence[Binomials]) -> tuple[Floats, list[Floats], Floats]:
    """Return the slope of the log posterior, of every category a root of the information in its items, shape
    (values, 3), and the prior's precision, shape (values, values).
    """
    prior = prior_precision(at)
    slope, roots = -prior @ at, []
    logits = contrasts(cells(at[:-SIDES].reshape(-1, 3)))
    chances = sigmoid(logits)
    for c, (one, by_logits) in enumerate(zip(data, eta_slopes(logits), strict=True)):
        root = np.zeros((len(at), CONTRASTS))
        root[3 * c : 3 * c + 3] = np.linalg.inv(by_logits).T
        slope += root @ (one.worth * (one.shares - chances[c]))
        roots.append(root * np.sqrt(one.worth * chances[c] * (1 - chances[c])))
    return slope, roots, prior


def prior_precision(at: Floats) -> Floats:
    """Return the prior's precision, shape (values, values), with the inverse of Σ that is expected at these values."""
    count = len(at) // 3
    centre = at[-SIDES:]
    apart = at[:-SIDES].reshape(-1, 3)[:, :SIDES] - centre
    inverse = np.linalg.inv(SCALE + apart.T @ apart) * (DEGREES + count)
    prior = np.zeros((len(at), len(at)))
    prior[-SIDES:, -SIDES:] = count * inverse + np.eye(SIDES) / CENTRE**2
    for c in range(count):
        own = slice(3 * c, 3 * c + SIDES)
        prior[own, own] = inverse
        prior[own, -SIDES:] = prior[-SIDES:, own] = -inverse
        prior[3 * c + 2, 3 * c + 2] = 1 / ASSOCIATION**2
    return prior


def cells(eta: Floats) -> Floats:
    """Return the joint shares p11, p10, p01, p00, shape (…, 4), each above 0, of θ of both sides and ψ, (…, 3).

    Every share is a quotient of sums without a difference, so that the smallest keep their digits.
    """
    like = eta[..., 2] >= 0
    text, other = eta[..., 0], np.where(like, eta[..., 1], -eta[..., 1])  # so that the odds ratio is at least 1
    right, wrong = (sigmoid(np.stack([of, of_other])) for of, of_other in ((text, other), (-text, -other)))
    more = np.expm1(np.minimum(np.abs(eta[..., 2]), WIDEST))
    apart = np.abs(right[0] - right[1])
    apart = np.where(apart < 1e-3, right.max(axis=0) * wrong.max(axis=0) * -np.expm1(-np.abs(text - other)), apart)
    root = np.sqrt(1 + 2 * more * (right[0] * wrong[1] + right[1] * wrong[0]) + (more * apart) ** 2)
    both = 2 * (1 + more) * right.prod(axis=0) / (1 + more * right.sum(axis=0) + root)
    neither = 2 * (1 + more) * wrong.prod(axis=0) / (1 + more * wrong.sum(axis=0) + root)
    fewer = 2 * right.min(axis=0) * wrong.min(axis=0) / (1 + more * apart + root)
    first = np.where(text > other, fewer + apart, fewer)
    second = np.where(text > other, fewer, fewer + apart)
    found = [np.where(like, *pair) for pair in ((both, first), (first, both), (second, neither), (neither, second))]
    return np.maximum(np.stack(found, axis=-1), TINY)


def sigmoid(logit: Floats) -> Floats:
    """Return the probability of a logit, also of one far from 0."""
    found: Floats = np.exp(-np.logaddexp(0, -logit))
    return found


def contrasts(of: Floats) -> Floats:
    """Return the logits of the three binomials, shape (…, 3), of cells, shape (…, 4)."""
    log = np.log(of)
    agree = np.log(of[..., 0] + of[..., 3]) - np.log(of[..., 1] + of[..., 2])
    return np.stack([agree, log[..., 0] - log[..., 3], log[..., 1] - log[..., 2]], axis=-1)


def draws(of: Posterior, normal: Floats) -> tuple[Floats, Floats]:
    """Return draws of Δθ, shape (draws, categories), and of the joint shares, (draws, categories, 4), from standard
    normal numbers, (draws, columns).
    """
    standard = normal @ of.standard.T
    moved = np.maximum(standard, 0) @ of.above.T + np.minimum(standard, 0) @ of.below.T
    eta = (of.mode + moved)[:, :-SIDES].reshape(len(normal), -1, 3)
    return eta[..., 0] - eta[..., 1], cells(eta)
