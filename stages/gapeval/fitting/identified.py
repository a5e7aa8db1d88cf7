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
FAILURE, SUCCESS, SMALLEST = 2.7, 1.05, 1e-6
"""How much p00 adds to a gap's logit and p11 takes from it; the least |Δθ| / (1 + |Δθ|)."""
SIDES, CONTRASTS = 2, 3
ROUNDS, SETTLED, LONGEST = 200, 1e-10, 3.0
"""Of Newton's method: steps at most, a step that is the last, and the longest, in logits."""
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
    count = len(data)
    at = np.zeros(3 * count + SIDES)
    value = log_posterior(at, data)
    for _ in range(ROUNDS):
        slope, roots, prior = bent(at, data)
        step = np.linalg.solve(sum(root @ root.T for root in roots) + prior, slope)
        step *= LONGEST / max(LONGEST, np.abs(step).max())
        size = 1.0
        while (found := log_posterior(at + size * step, data)) < value and size > 1e-6:
            size /= 2
        at, value = at + size * step, found
        if np.abs(step).max() < SETTLED or size <= 1e-6:
            break
    _, roots, prior = bent(at, data)
    covariance = np.linalg.inv(sum(root @ root.T for root in roots) + prior)
    sizes, directions = np.linalg.eigh(covariance)
    axes = directions * np.sqrt(sizes) @ directions.T
    standard = np.linalg.solve(axes, covariance @ np.concatenate([*roots, np.linalg.cholesky(prior)], axis=1))
    return Posterior(at, standard, axes * reach(at, axes, data), axes * reach(at, -axes, data))


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
    (values, 3), and the prior's precision, shape (values, values), for the Σ that is expected there.
    """
    size, count = len(at), len(data)
    eta, centre = at[:-SIDES].reshape(-1, 3), at[-SIDES:]
    apart = eta[:, :SIDES] - centre
    inverse = np.linalg.inv(SCALE + apart.T @ apart) * (DEGREES + count)
    prior = np.zeros((size, size))
    prior[-SIDES:, -SIDES:] = count * inverse + np.eye(SIDES) / CENTRE**2
    for c in range(count):
        own = slice(3 * c, 3 * c + SIDES)
        prior[own, own] = inverse
        prior[own, -SIDES:] = prior[-SIDES:, own] = -inverse
        prior[3 * c + 2, 3 * c + 2] = 1 / ASSOCIATION**2
    slope, roots = -prior @ at, []
    found = cells(eta)
    chances = 1 / (1 + np.exp(-contrasts(found)))
    for c, (one, by_eta) in enumerate(zip(data, turned(found), strict=True)):
        root = np.zeros((size, CONTRASTS))
        root[3 * c : 3 * c + 3] = by_eta.T
        slope += root @ (one.worth * (one.shares - chances[c]))
        roots.append(root * np.sqrt(one.worth * chances[c] * (1 - chances[c])))
    return slope, roots, prior


def cells(eta: Floats) -> Floats:
    """Return the joint shares p11, p10, p01, p00, shape (…, 4), each above 0, of θ of both sides and ψ, (…, 3)."""
    text, picture = (1 / (1 + np.exp(-eta[..., side])) for side in range(SIDES))
    not_picture = 1 / (1 + np.exp(eta[..., 1]))
    like = eta[..., 2] >= 0
    same = np.where(like, picture, not_picture)  # the side that goes with text, so that the odds ratio is at least 1
    more = np.expm1(np.abs(eta[..., 2]))
    linear = 1 + more * (text + same)
    with_it = 2 * (1 + more) * text * same / (linear + np.sqrt(linear**2 - 4 * (1 + more) * more * text * same))
    both = np.where(like, with_it, text - with_it)
    all_four = np.stack([both, text - both, picture - both, not_picture - text + both], axis=-1)
    all_four = np.maximum(all_four, 1e-15)
    return all_four / all_four.sum(axis=-1, keepdims=True)


def contrasts(of: Floats) -> Floats:
    """Return the logits of the three binomials, shape (…, 3), of cells, shape (…, 4)."""
    log = np.log(of)
    agree = np.log(of[..., 0] + of[..., 3]) - np.log(of[..., 1] + of[..., 2])
    return np.stack([agree, log[..., 0] - log[..., 3], log[..., 1] - log[..., 2]], axis=-1)


def turned(of: Floats) -> Floats:
    """Return the slopes of the three logits in θ and ψ, shape (…, 3, 3), at cells of shape (…, 4)."""
    one, ten, two, none = (of[..., k] for k in range(4))
    odds = 1 / one + 1 / ten + 1 / two + 1 / none
    text, picture = (one + ten) * (two + none), (one + two) * (ten + none)
    both = np.stack([text * (1 / ten + 1 / none), picture * (1 / two + 1 / none), np.ones_like(one)], axis=-1)
    both = both / odds[..., None]
    by_text, by_picture = np.zeros_like(both), np.zeros_like(both)
    by_text[..., 0], by_picture[..., 1] = text, picture
    slopes = np.stack([both, by_text - both, by_picture - both, both - by_text - by_picture], axis=-2)
    agree = (slopes[..., 0, :] + slopes[..., 3, :]) / ((one + none) * (ten + two))[..., None]
    log = slopes / of[..., None]
    return np.stack([agree, log[..., 0, :] - log[..., 3, :], log[..., 1, :] - log[..., 2, :]], axis=-2)


def draws(of: Posterior, normal: Floats) -> tuple[Floats, Floats]:
    """Return draws of Δθ, shape (draws, categories), and of the joint shares, (draws, categories, 4), from standard
    normal numbers, (draws, columns).
    """
    standard = normal @ of.standard.T
    moved = np.maximum(standard, 0) @ of.above.T + np.minimum(standard, 0) @ of.below.T
    eta = (of.mode + moved)[:, :-SIDES].reshape(len(normal), -1, 3)
    return eta[..., 0] - eta[..., 1], cells(eta)


def gap(apart: Floats, failure: Floats, success: Floats) -> Floats:
    """Return the gap, 0..1, of Δθ and the shares of samples with neither and with both sides right."""
    lag = np.clip(np.abs(apart) / (1 + np.abs(apart)), SMALLEST, 1 - SMALLEST)
    found: Floats = 1 / (1 + np.exp(-(np.log(lag / (1 - lag)) + FAILURE * failure - SUCCESS * success)))
    return found
