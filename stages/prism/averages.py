"""What PRISM-Bench reports of scores 0..10: means times ten by track and axis, track averages, and overall.

FLUX-Reason-6M and PRISM-Bench, section 3.2. That 0..100 is ten times the mean follows from the printed tables: other
mappings of 1..10 cannot give all of their cells.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.estimates import Reported
from stages.prism.shared.tracks import AXES, TRACKS

SCALE = 10
"""From scores 0..10 to what is reported, 0..100."""
COLUMNS = tuple(product(TRACKS, AXES))
"""What has a mean of its own: a track and an axis."""


def mean_of(*names: str) -> NDArray[np.float64]:
    """Return factors of the mean over all columns that have every one of these names as track or axis, times ten."""
    counting = np.array([set(names) <= {*column} for column in COLUMNS])
    return counting * (SCALE / counting.sum())


REPORTED: Reported = (
    {"overall": mean_of()}
    | {axis: mean_of(axis) for axis in AXES}
    | {track: mean_of(track) for track in TRACKS}
    | {f"{track}.{axis}": mean_of(track, axis) for track, axis in COLUMNS}
)
"""`overall` is the mean over tracks and axes, unrounded; the paper rounds its two axes first, which moves its overall
average by up to 0.1. A track is the mean of its two axes, an axis that of all tracks."""
