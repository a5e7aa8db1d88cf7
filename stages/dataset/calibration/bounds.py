"""Bounds of shares that hold for any number of labels: exact ones of every cell, joined.

A cell is what one stratum has on one side of a threshold. Labels were drawn at random within a stratum; so, given how
many of them fell into a cell, they are a simple random sample of it, whose share has exact bounds (Clopper and Pearson
1934, "The use of confidence or fiducial limits illustrated in the case of the binomial"). All bounds of m cells hold
together when each fails with a chance of a m-th (Bonferroni), and then so does what follows from them. Rows are drawn
without replacement, by which shares vary less than these bounds suppose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TAIL = 0.025
"""Chance that a lower bound lies above the truth, and that an upper one lies below: 95 % between them."""


class Counted(NamedTuple):
    """Labels of one kind in every cell: how many are `sure` and how many `open`, which nobody knows, `of` how many rows
    that were drawn, and how many `rows` these were drawn from. Arrays that broadcast to (…, strata, thresholds).
    """

    sure: Floats
    open: Floats
    of: Floats
    rows: Floats


def least_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or more `of` so many labels come by a chance of `tail`; 0 for none.

    Counts may be fractions, as of samples that are imagined.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    some = found > 0
    share = betaincinv(np.where(some, found, 1.0), np.where(some, of - found + 1, 1.0), tail)
    return np.where(some, share, 0.0)


def greatest_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or fewer `of` so many labels come by a chance of `tail`; 1 for all."""
    return 1 - least_share(of - found, of, tail)


def share_of(part: Counted, rest: Counted, cells: Floats) -> tuple[Floats, Floats]:
    """Return the lower and upper bound, 0..1, shape (…, thresholds), of the share that `part` has of `part` and `rest`.

    `cells` is for how many bounds the chance of an error has to suffice. What is open is no part in the lower
    bound, and no rest in the upper. Of a single stratum the share is itself one of a simple random sample: of those
    labels that are of the part or the rest, whatever else was drawn.
    """
    if part.sure.shape[-2] == 1:
        low = least_share(part.sure, part.sure + rest.sure + rest.open)
        high = greatest_share(part.sure + part.open, part.sure + part.open + rest.sure)
        return low[..., 0, :], high[..., 0, :]
    tail = TAIL / np.maximum(cells, 1)
    least = [(one.rows * least_share(one.sure, one.of, tail)).sum(axis=-2) for one in (part, rest)]
    most = [(one.rows * greatest_share(one.sure + one.open, one.of, tail)).sum(axis=-2) for one in (part, rest)]
    return ratio(least[0], least[0] + most[1], 0.0), ratio(most[0], most[0] + least[1], 1.0)


def ratio(part: Floats, whole: Floats, otherwise: float) -> Floats:
    """Return a share, or what it is `otherwise`, of nothing."""
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, otherwise), where=whole > 0)
