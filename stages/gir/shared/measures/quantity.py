"""Quantity: a picture is right when it has just so many of everything, else worth nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from stages.gir.shared.measures.detections import Detections, nothing_missing, released_counts


def score(wanted: Mapping[str, int], seen: Detections) -> float:
    """Return 1 where there are as many boxes of each label as wanted, and of no other label any, else 0.

    Unlike `released`: what is wanted 0 times is right when it is not there. Boxes alone are counted, as a number that
    is merely stated shows nothing. Labels that were looked for beside the wanted ones are wanted 0 times, so that a cat
    among the ducks is not overlooked.
    """
    return float(seen.counts == Counter(wanted))


def released(wanted: Mapping[str, int], seen: Detections) -> float:
    """Return 1 where all counts of `released_counts` are as wanted and nothing is missing, else 0.

    So what is wanted 0 times can never be right: what is not there is missing, and what is there is too much.
    """
    counts = released_counts(wanted, seen)
    return float(counts == dict(wanted) and nothing_missing(counts, seen))
