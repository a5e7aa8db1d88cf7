"""Judges of known worth, on controls of one contestant's answers in seven tracks, scored 0 to 10 for fit and looks.

Answers have 7 on average, of fit with a standard deviation of 2.5 over items, of looks with 1.5. A blank has nothing;
another item's answer has 1 of fit and looks as good; a coarse or a small picture is a little worse; praise changes
nothing. A judge says so, a point too kindly and with a standard deviation of 1.5, in whole points (`honest`); it adds a
point for praise (`vain`); to it another item's answer fits as well as any (`deaf`); or it says anything (`blind`).
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np

from stages.evaluation.defining.measures import Scale, averages, ends_of
from stages.evaluation.scoring.board import Layout
from stages.evaluation.scoring.trial import Evidence, tried
from stages.tables.columns import Row

KINDS = ("honest", "vain", "deaf", "blind")
TRACKS = [f"track{n}" for n in range(7)]
SCALES = {"fit": Scale(0, 10), "looks": Scale(0, 10)}
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


@lru_cache(maxsize=1)
def layout(items: int) -> Layout:
    """Items by turns in each track, and the average over tracks and axes."""
    strata = np.arange(items) % len(TRACKS)
    names = [f"item{n}" for n in range(items)]
    view = averages("en", TRACKS, SCALES)
    return Layout(names, strata, view, ends_of(view, SCALES), seed=0)


def verdicts(kind: str, items: int, judges: int, seed: int, level: float = 7.0) -> Counter[bool | None]:
    """How many judges of a kind passed, failed, or (None) were not tried, by a contestant's answers of a level."""
    chance, found = np.random.default_rng(seed), Counter[bool | None]()
    where = layout(items)

    def rows(fit: Floats, looks: Floats) -> list[Row]:
        scores = []
        for measure, truth in (("fit", fit), ("looks", looks)):
            said = np.clip(np.round(truth + 1 + chance.normal(0, 1.5, items)), 0, 10)
            if kind == "blind":
                said = chance.integers(0, 11, items).astype(np.float64)
            scores += [
                {"item": item, "groups": [TRACKS[track]], "side": "en", "measure": measure}
                | dict.fromkeys(("value", "low", "high"), float(value))
                for item, track, value in zip(where.items, where.strata, said, strict=True)
            ]
        return scores

    for _ in range(judges):
        fit, looks = (np.clip(chance.normal(level, spread, items), 0, 10) for spread in (2.5, 1.5))
        nothing, praise = np.zeros(items), kind == "vain"
        other = np.clip(chance.normal(1, 1, items), 0, 10)
        spoilt = {
            "blank": (nothing, nothing),
            "mismatched": (chance.permutation(fit) if kind == "deaf" else other, looks),
            "jpeg_20": (fit - 0.3, looks - 0.5),
            "half_size": (fit - 0.1, looks - 0.2),
            "score_10": (fit + praise, looks + praise),
        }
        answered = rows(fit, looks)
        evidence = [Evidence(name, name, "one", rows(*truth), answered) for name, truth in spoilt.items()]
        found[tried(evidence, where, SCALES, "judge", {}, ()).passed] += 1
    return found
