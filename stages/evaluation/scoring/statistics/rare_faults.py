"""What rare faults may cost beyond what was seen of them, where most items lie at an end of the scale.

Of 56 answers three are wrong, and these by a third: nobody knows that a fourth is not wrong altogether. A standard
error does not know it either, and its interval then ends too early on that side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEAR = 0.1
"""Of the scale: as far from its end lies most of what is no fault."""
TWICE = 1.96**2


def unseen_loss(distance: Floats, weight: Floats, n: float, width: float) -> float:
    """Return by how much the value may lie further from its end than it was seen to, 0 where most items are not near
    it: the 97.5 % end.

    `distance`: of each item from the end, in points of the value, shape (items,); `weight`: how much each counts, shape
    (items,); `n`: of how many items of equal weight they tell; `width`: of the scale. Items further off than NEAR are
    faults. How frequent they are has Jeffreys' prior, half a fault in one item more; that half costs all that there is
    to lose. What the others vary by is added as a variance.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    share = weight / weight.sum()
    near = distance <= NEAR * width
    if share[near].sum() < 0.5:
        return 0.0
    others = share[near] / share[near].sum()
    middle = float(others @ distance[near])
    variance = float((others**2) @ (distance[near] - middle) ** 2)
    frequency = float(share[~near].sum())
    lost = float(share[~near] @ (distance[~near] - middle))
    most = float(betaincinv(frequency * n + 0.5, (1 - frequency) * n + 0.5, 0.975))
    each = (lost * n + (width - middle) / 2) / (frequency * n + 0.5)
    return float(np.sqrt(max(most * each - lost, 0) ** 2 + TWICE * variance))
