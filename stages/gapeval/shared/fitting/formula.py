"""The published formula of the gap, of whatever abilities were fitted (appendix A.4, with the released constants)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FAILURE, SUCCESS, SMALLEST = 2.7, 1.05, 1e-6
"""How much p00 adds to a gap's logit and p11 takes from it; the least |Δθ| / (1 + |Δθ|)."""


def gap(apart: Floats, failure: Floats, success: Floats) -> Floats:
    """Return the gap, 0..1, of Δθ and the shares of samples with neither and with both sides right."""
    lag = np.clip(np.abs(apart) / (1 + np.abs(apart)), SMALLEST, 1 - SMALLEST)
    found: Floats = 1 / (1 + np.exp(-(np.log(lag / (1 - lag)) + FAILURE * failure - SUCCESS * success)))
    return found
