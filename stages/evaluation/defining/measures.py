"""What answers are judged for, and the averages that are reported of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reported = Mapping[str, NDArray[np.float64]]
"""For each name that is reported, the factor of every column's mean; 0 where a column does not count."""


class Scale(NamedTuple):
    """The ends of the scale on which a measure is judged; the highest is above the lowest."""

    lowest: float
    highest: float


def averages(strata: Sequence[str], measures: Mapping[str, Scale]) -> Reported:
    """Return means of means, 0..100: `overall`, each measure over all strata, each stratum over all measures, and each
    `<stratum>.<measure>`; of a single stratum the first two alone.

    100 is the highest value of a measure's scale, which has to begin at 0 (ValueError).
    """
    if any(scale.lowest != 0 or scale.highest <= 0 for scale in measures.values()):
        raise ValueError("averages of 0..100 need scales from 0 up: report other combinations")
    columns = list(product(strata, measures))
    hundredths = np.array([100 / measures[measure].highest for _, measure in columns])

    def mean_of(*names: str) -> NDArray[np.float64]:
        counting = np.array([set(names) <= {*column} for column in columns])
        return counting * (hundredths / counting.sum())

    found = {"overall": mean_of()} | {measure: mean_of(measure) for measure in measures}
    if len(strata) == 1:
        return found
    found |= {stratum: mean_of(stratum) for stratum in strata}
    return found | {f"{stratum}.{measure}": mean_of(stratum, measure) for stratum, measure in columns}
