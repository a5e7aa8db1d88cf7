"""What PRISM-Bench reports of scores 0..10: means times ten by track and axis, track averages, and overall.

FLUX-Reason-6M and PRISM-Bench, section 3.2. That 0..100 is ten times the mean follows from the printed tables: other
mappings of 1..10 cannot give all of their cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TRACKS = ("imagination", "entity", "text_rendering", "style", "affection", "composition", "long_text")
AXES = ("alignment", "aesthetic")
SCALE = 10
"""From scores 0..10 to what is reported, 0..100."""


class Averages(NamedTuple):
    """What follows from the means of tracks and axes; leading axes (such as bootstrap draws) stay.

    `tracks`: the mean of both axes, shape (…, tracks). `axes`: the mean over tracks, shape (…, 2). `overall`: the mean
    of both, unrounded, shape (…). The paper rounds `axes` first, which moves its overall average by up to 0.1.
    """

    tracks: NDArray[np.float64]
    axes: NDArray[np.float64]
    overall: NDArray[np.float64]


def averages(means: NDArray[np.float64]) -> Averages:
    """Average the means of tracks and axes, shape (…, tracks, 2), each track and axis counting the same."""
    axes = means.mean(axis=-2)
    return Averages(means.mean(axis=-1), axes, axes.mean(axis=-1))
