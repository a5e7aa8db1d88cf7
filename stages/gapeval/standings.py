"""What GapEval says of a contestant across both sides, taken out of flat keys: each value with its interval."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stages.evaluation.scoring.estimates import Estimate
from stages.gapeval.shared.fitting.bootstrap import Floats, joint_shares
from stages.gapeval.shared.items import CATEGORIES

SUCC, UND, GEN, FAIL, GAP, DELTA = SCORES = ("succ", "und", "gen", "fail", "gap", "delta_theta")
"""Right on both sides, in words, as a picture, on neither, and the gap, in percent; Δθ in logits."""
OVERALL = "overall"
PLACES = (*CATEGORIES, OVERALL)
"""What a score is of: one category, or all of them together."""
Values = Mapping[tuple[str, str], Estimate]
"""What is known of one contestant, by place and score."""


def across_at(metrics: Mapping[str, float], start: str, place: str) -> dict[tuple[str, str], Estimate | None]:
    """Return the scores of the view across both sides in a place, from keys that begin so."""
    start = start if place == OVERALL else f"{start}{place}."
    return {(place, score): estimate(metrics, start + score) for score in SCORES}


def cells_of(values: Values, category: str) -> Floats | None:
    """Return the joint shares p11, p10, p01, p00 of a category, shape (4,); None where it has none."""
    right = [values.get((category, score)) for score in (SUCC, UND, GEN)]
    shares = [np.array(one.value / 100) for one in right if one is not None]
    return joint_shares(*shares) if len(shares) == len(right) else None


def estimate(metrics: Mapping[str, float], key: str) -> Estimate | None:
    """Return a value with its interval."""
    if key not in metrics:
        return None
    return Estimate(metrics[key], metrics.get(f"{key}_lo"), metrics.get(f"{key}_hi"), int(metrics.get(f"{key}_n", 0)))
