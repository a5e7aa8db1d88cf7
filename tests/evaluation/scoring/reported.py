"""The values that a metric reports of scores, without those that lack a column's scores or are undefined."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gamut.evaluation.defining.measures import Summed
from gamut.evaluation.scoring.values import Scores, value_of


def values(scores: Scores, reported: Mapping[str, Summed]) -> dict[str, float]:
    found = {name: value_of(scores, one) for name, one in reported.items()}
    return {name: value for name, value in found.items() if not np.isnan(value)}
