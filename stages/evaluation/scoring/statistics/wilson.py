"""A confidence interval for a share of items, such as an accuracy: sound also near 0 and 1 and for few items.

Wilson 1927, "Probable inference, the law of succession, and statistical inference": the shares that a score test
would not reject.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson_interval(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the lower and upper end, 0..1, of the score interval of `successes` among `n` independent items.

    Of weighted items `n` is the effective number (Kish 1965). `level` is the confidence, between 0 and 1. ValueError
    without items, where successes are not among 0..n, and for another level.
    """
    if not n > 0:
        raise ValueError(f"a share needs items, not {n}")
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} items cannot be successes")
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval lies between 0 and 1, not at {level}")
    share = successes / n
    z = -NormalDist().inv_cdf((1 - level) / 2)  # the lower tail keeps its digits at levels near 1
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Rounding may put an end past the share, which matters where that is 0 or 1.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))
