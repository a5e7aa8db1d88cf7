"""Labels by hand, counted."""

from __future__ import annotations

import numpy as np

from gamut.dataset.calibration.labels import BAD, BLANK, DISPUTED, GOOD, KINDS
from gamut.dataset.calibration.operating_points import Floats, Strata
from gamut.dataset.calibration.sampling import Sample

ONE = Strata(np.ones(1))
"""Labels of all rows, or of rows that were all as likely to be drawn."""


def counted(
    bad: list[int], good: list[int], disputed: list[int] | None = None, blank: list[int] | None = None
) -> Floats:
    """Counts, shape (4, 11), of drawn rows with these scores."""
    counts = np.zeros((len(KINDS), 11))
    for kind, scores in ((BAD, bad), (GOOD, good), (DISPUTED, disputed or []), (BLANK, blank or [])):
        np.add.at(counts[kind], scores, 1)
    return counts


def one_stratum(
    bad: list[int], good: list[int], disputed: list[int] | None = None, blank: list[int] | None = None
) -> Floats:
    """The same as the only stratum, shape (1, 4, 11)."""
    return counted(bad, good, disputed, blank)[None]


def sampled(*folds: Floats, strata: Strata = ONE) -> Sample:
    return Sample(strata, np.stack(folds))
