"""What rare faults may cost beyond what was seen of them, where most items lie near an end of the scale.

Of 56 answers three are wrong, and these by a third: nobody knows that a fourth is not wrong altogether. A standard
error does not know it either, and its interval then ends too early on that side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AT_END, FAULT = 0.15 + 1e-9, 0.2 + 1e-9
"""Of the scale: where the median item lies no further than AT_END from its end, items further than FAULT beyond the
median are faults. Each a little more, since scores such as 0.8 and 1 lie 0.19999999999999996 apart."""
Z_SQUARED = 1.96**2


def unseen_loss(distance: Floats, weight: Floats, n: float, width: float) -> float:
    """Return by how much the value may lie further from an end of the scale than it was seen to, the 97.5 % end; 0
    where most items do not lie near it.

    `distance`: of each item from the end, in points of the value, shape (items,); `weight`: how much each counts, shape
    (items,); `n`: of how many items of equal weight they tell; `width`: of the scale. How frequent faults are has
    Jeffreys' prior, half a fault in one item more; that half costs all that there is to lose. What the others vary by
    is added as a variance.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    share = weight / weight.sum()
    order = np.argsort(distance, kind="stable")
    median = distance[order][np.searchsorted(share[order].cumsum(), 0.5 - 1e-9)]
    if median > AT_END * width:
        return 0.0
    usual = distance <= median + FAULT * width
    frequency = float(share[~usual].sum())
    others = share[usual] / share[usual].sum()
    middle = float(others @ distance[usual])
    variance = float((others**2) @ (distance[usual] - middle) ** 2)
    lost = float(share[~usual] @ (distance[~usual] - middle))
    most = float(betaincinv(frequency * n + 0.5, (1 - frequency) * n + 0.5, 0.975))
    each = (lost * n + (width - middle) / 2) / (frequency * n + 0.5)
    return float(np.sqrt(max(most * each - lost, 0) ** 2 + Z_SQUARED * variance))
