"""What is reported of GapEval: each side by itself, and across both the shares of samples that are right, and the gap.

Samples are joined across the sides before anything is averaged. Ranks rest on the identified gap alone, lowest first.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import (
    Column,
    Drawn,
    Joint,
    Linear,
    OfSums,
    Reportable,
    Scale,
    Summed,
    View,
    averages,
)
from stages.evaluation.running.checklists import VERDICTS
from stages.gapeval.shared.fitting.gaps import columns, gaps, normal_numbers, tied
from stages.gapeval.shared.items import CATEGORIES, Category
from stages.gapeval.shared.judging import MEASURE
from stages.gapeval.shared.parameters import GapEval
from stages.gapeval.shared.putting import SIDES

Floats = NDArray[np.float64]
UND, GEN = SIDES
CELLS = ("both", "text_only", "image_only", "neither")
"""Joint measures of one sample, in the order of p11, p10, p01, p00."""
JOINT = (
    Joint("both", (UND, GEN), (MEASURE, MEASURE), lambda text, image: text * image),
    Joint("text_only", (UND, GEN), (MEASURE, MEASURE), lambda text, image: text * (1 - image)),
    Joint("image_only", (UND, GEN), (MEASURE, MEASURE), lambda text, image: (1 - text) * image),
    Joint("neither", (UND, GEN), (MEASURE, MEASURE), lambda text, image: (1 - text) * (1 - image)),
)
JUDGED = {MEASURE: VERDICTS}
MEASURES = JUDGED | dict.fromkeys(CELLS, VERDICTS)
PERCENT = Scale(0, 100)
ACROSS = ((UND, MEASURE), (GEN, MEASURE), *((GEN, cell) for cell in CELLS))
"""Side and measure of the columns of each category in the view of the gap."""
KEPT = 24
"""Contestants, or pairs of them on their common items, whose draws are at hand: each has five values of one fit."""
Draws = Callable[[Floats, Floats, Floats], Floats]


def views(block: GapEval) -> list[View]:
    """Return the view of the gap, and that of each side, in which contestants of one side stand too."""
    return [across(block.answer.samples), *(of_side(side) for side in SIDES)]


def of_side(side: str) -> View:
    """Return the view of one side: how much of it is right, 0..100, and of each category; overall is their mean."""
    view = averages(side, CATEGORIES, JUDGED)
    return view._replace(shown=("overall", *CATEGORIES), profile=CATEGORIES)


def across(samples: int) -> View:
    """Return the view across both sides: of every category and overall `gap`, and the shares of samples right on both
    (`succ`), in words (`und`), as a picture (`gen`) and on neither (`fail`), all 0..100; overall is the mean of the
    categories.
    """
    fitted = of_one_fit(samples)
    reported: dict[str, Reportable] = {"gap": Drawn(overall(fitted), PERCENT)}
    reported |= shares(CATEGORIES)
    for place, category in enumerate(CATEGORIES):
        reported[f"{category}.gap"] = Drawn(of_category(fitted, place), PERCENT)
        reported |= {f"{category}.{name}": one for name, one in shares((category,)).items()}
    laid = [Column(category, side, measure) for category in CATEGORIES for side, measure in ACROSS]
    profile = tuple(f"{category}.gap" for category in CATEGORIES)
    shown = ("gap", "succ", "und", "gen", "fail", *profile)
    return View("gap", SIDES, laid, reported, shown, profile, paired=False, lower_is_better=True)


def shares(among: Sequence[Category]) -> dict[str, Summed]:
    """Return the shares of samples that are right and wrong, the mean over some categories."""

    def mean_of(side: str, measure: str) -> Linear:
        counts = [c in among and one == (side, measure) for c in CATEGORIES for one in ACROSS]
        return Linear(np.array(counts) * (100 / len(among)))

    found: dict[str, Summed] = {"succ": mean_of(GEN, "both"), "und": mean_of(UND, MEASURE)}
    found |= {"gen": mean_of(GEN, MEASURE), "fail": failing([CATEGORIES.index(category) for category in among])}
    return found


def failing(places: Sequence[int]) -> OfSums:
    """Return the share of samples that are right on neither side; what is missing is not right."""

    def terms(scores: Floats) -> Floats:
        text, image, both = (scores[:, [len(ACROSS) * place + k for place in places]] for k in range(3))
        there: NDArray[np.bool_] = ~np.isnan(text + image + both)
        found = np.stack([np.where(there, 1 - text - image + both, 0), there], axis=-1).reshape(len(scores), -1)
        return np.where(there.any(axis=1, keepdims=True), found, np.nan)

    def value(sums: Floats) -> Floats:
        pairs = sums.reshape(*sums.shape[:-1], len(places), 2)
        found: Floats = 100 * (pairs[..., 0] / pairs[..., 1]).mean(axis=-1)
        return found

    signs = {(UND, MEASURE): -1.0, (GEN, MEASURE): -1.0, (GEN, "both"): 1.0}
    slopes = [signs.get(one, 0.0) * (place in places) for place in range(len(CATEGORIES)) for one in ACROSS]
    return OfSums(terms, value, PERCENT, slopes=np.array(slopes) * (100 / len(places)))


def overall(fitted: Draws) -> Draws:
    """Return what draws the mean gap of all categories, where all have items."""
    return lambda low, high, normal: fitted(low, high, normal).mean(axis=1)


def of_category(fitted: Draws, place: int) -> Draws:
    """Return what draws the gap of the category in this place."""
    return lambda low, high, normal: fitted(low, high, normal)[:, place]


def of_one_fit(samples: int) -> Draws:
    """Return what draws the gaps, 0..100, of all categories, shape (draws, categories), NaN for one without items; a
    fit is kept for the values that share it.
    """
    kept: deque[tuple[tuple[bytes, bytes, bytes], Floats]] = deque(maxlen=KEPT)
    # no dict: entries of one would be told as part of what this function does (`source_of`), unlike after every fit

    def fitted(low: Floats, high: Floats, normal: Floats) -> Floats:
        key = (low.tobytes(), high.tobytes(), normal[:, :2].tobytes())
        for known, found in kept:
            if known == key:
                return found
        kept.append((key, drawn(low, high, normal, samples)))
        return kept[-1][1]

    return fitted


def drawn(low: Floats, high: Floats, normal: Floats, samples: int) -> Floats:
    """Return draws of the gaps of all categories, 0..100."""
    width, found = len(ACROSS), np.full((normal.shape[1], len(CATEGORIES)), np.nan)
    own = [slice(width * place, width * (place + 1)) for place in range(len(CATEGORIES))]
    asked = [~np.isnan(low[:, one]).any(axis=1) for one in own]
    there = [place for place, items in enumerate(asked) if items.any()]
    if not there:
        return found
    rows = [joint_shares(low[asked[place], own[place]], high[asked[place], own[place]]) for place in there]
    seed = zlib.crc32(b"".join(np.sort(each, axis=0).tobytes() for each in rows))
    numbers = normal_numbers(len(there), seed)[: normal.shape[1]]
    assert numbers.shape == (normal.shape[1], columns(len(there)))
    together = tied([each[:, :4] for each in rows], [normal[asked[place]] for place in there], numbers)
    found[:, there] = 100 * gaps(rows, samples, together)
    return found


def joint_shares(low: Floats, high: Floats) -> Floats:
    """Return of items the nine shares of their samples that `fitting.gaps` wants, shape (items, 9), from the least and
    the most that their scores can be, (items, columns of a category).

    What a joint measure can be beyond what it is at least tells what is missing: "text only" may still hold where text
    is right without a picture, the picture wrong without a text, or nothing is there.
    """
    text, image, *cells = low.T
    both, text_only, image_only, _ = cells
    room = (high - low).T[2:]
    text_right, image_right = text - both - text_only, image - both - image_only
    nothing = room[0] - text_right - image_right
    image_wrong = room[1] - text_right - nothing
    text_wrong = room[3] - image_wrong - nothing
    found = np.stack([*cells, text_right, text_wrong, image_right, image_wrong, nothing], axis=1)
    return np.where(np.abs(found) < 1e-12, 0, np.clip(found, 0, 1))
