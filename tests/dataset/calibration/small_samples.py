"""Labels by hand, counted."""

from __future__ import annotations

import numpy as np

from stages.dataset.calibration.bounds import Floats
from stages.dataset.calibration.labels import BAD, DISPUTED, GOOD
from stages.dataset.calibration.operating_points import Strata
from stages.dataset.calibration.samples import Sample

ONE = Strata(np.ones(1))
"""Labels of all rows, or of rows that were all as likely to be drawn."""


def counted(bad: list[int], good: list[int], disputed: list[int] | None = None) -> Floats:
    """Counts, shape (3, 11), of labelled rows with these scores."""
    counts = np.zeros((3, 11))
    for kind, scores in ((BAD, bad), (GOOD, good), (DISPUTED, disputed or [])):
        np.add.at(counts[kind], scores, 1)
    return counts


def one_stratum(bad: list[int], good: list[int], disputed: list[int] | None = None) -> Floats:
    """The same as the only stratum, shape (1, 3, 11)."""
    return counted(bad, good, disputed)[None]


def sampled(*folds: Floats, strata: Strata = ONE) -> Sample:
    return Sample(strata, np.stack(folds))
