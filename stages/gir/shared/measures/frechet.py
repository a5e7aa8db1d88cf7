"""How far two sets of pictures are apart by their features: the Fréchet Inception distance, and the kernel distance.

FID (Heusel et al. 2017) grows as there are fewer pictures: with n below the number of features, covariances are known
in n - 1 directions only. KID (Bińkowski et al. 2018) does not: it is unbiased.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float64]
"""Of pictures: one row each."""


def fid(first: Features, second: Features) -> float:
    """Return |m1 - m2|² + tr(S1 + S2 - 2 (S1 S2)^½) of the means and the covariances (n - 1) of two sets.

    The trace of the root is the sum of the singular values of X1 X2ᵀ, X being centred features by √(n - 1): as S = XᵀX,
    the eigenvalues of S1 S2 are those of (X1 X2ᵀ)(X1 X2ᵀ)ᵀ. So no root is taken of the covariances, which have rank
    n - 1 at most: of the zeros among their eigenvalues, roots of rounding errors would add up.
    """
    one, other = centred_features(first, second)
    apart = first.mean(axis=0) - second.mean(axis=0)
    shared = np.linalg.svd(shortened_rows(one) @ shortened_rows(other).T, compute_uv=False).sum()
    return float(apart @ apart + (one**2).sum() + (other**2).sum() - 2 * shared)


def kid(first: Features, second: Features) -> float:
    """Return the unbiased squared maximum mean discrepancy under the kernel (xᵀy / features + 1)³, maybe below 0."""
    require_comparable(first, second)
    within = []
    for features in (first, second):
        values = kernel(features, features)
        within.append((values.sum() - np.trace(values)) / (len(features) * (len(features) - 1)))
    return float(sum(within) - 2 * kernel(first, second).mean())


def centred_features(*sets: Features) -> list[Features]:
    """Return sets of features around their means, by the root of n - 1."""
    require_comparable(*sets)
    return [(one - one.mean(axis=0)) / np.sqrt(len(one) - 1) for one in sets]


def shortened_rows(features: Features) -> Features:
    """Return rows with the same products of columns (XᵀX), no more of them than there are features."""
    return np.asarray(np.linalg.qr(features, mode="r")) if len(features) > features.shape[1] else features


def kernel(first: Features, second: Features) -> Features:
    """Return the kernel of each row of one set with each of the other."""
    values: Features = (first @ second.T / first.shape[1] + 1) ** 3
    return values


def require_comparable(*sets: Features) -> None:
    """Raise ValueError unless these are sets of the same features, each of at least two pictures."""
    if any(one.ndim != 2 or len(one) < 2 for one in sets) or len({one.shape[1] for one in sets}) != 1:
        raise ValueError("two pictures at least on either side, with the same features")
    if not all(np.isfinite(one).all() for one in sets):
        raise ValueError("features that are no numbers")
