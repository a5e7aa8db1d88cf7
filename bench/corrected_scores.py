"""Boards seen by an observer that errs: how often intervals of corrected scores hold the truth, and how often raw ones.

    python bench/corrected_scores.py               # 1,000 boards for each rate of error: a minute
    python bench/corrected_scores.py --boards 10

A board has five contestants with true scores .15 to .95; of a share of their answers the observer says the other thing.
`own`: 300 answers without labels and 200 with, each contestant's own; `raw`: the same, not corrected. `uneven`: 80 of
100 hard answers have labels and 120 of 400 easy ones. `pooled`: 200 labels for the board, 40 beside 300 answers of each
contestant, corrected by the rates of all; `own fifth`: each by its own 40. `unlike`: an observer that errs 0 to 2 times
as often from contestant to contestant.

With errors of 5, 10 and 20 % `raw` intervals hold the truth in 60, 39 and 21 of 100, `own`, `uneven` and `pooled` in 94
to 96, `pooled, unlike` in 91, 81 and 67, each by its own 40 labels in 95 to 98. The last line is JSON: shares that hold
the truth, the least of them among true scores, the mean width. Of 5,000 intervals three standard errors are
3 · √(.95 · .05 / 5,000) = .9 %.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stages.evaluation.scoring.statistics.misclassification import (
    Estimate,
    Told,
    corrected,
    corrected_by_rates,
    error_rates,
)
from stages.evaluation.scoring.statistics.standard_error import Floats
from stages.evaluation.scoring.statistics.wilson import wilson_interval

ERRORS = (0.05, 0.1, 0.2)
SCORES = (0.15, 0.35, 0.55, 0.75, 0.95)
ANSWERS, LABELS = 300, 200
SIZES, HARD_LABELS, EASE = (100, 400), 80, np.array([0.6, 1.0])
"""Hard answers and easy ones, labels of hard ones, and how many of each are right by a contestant's score."""


NONE = Estimate(np.nan, np.nan, np.nan)
"""Where no score fits: it does not hold the truth, and has no width."""


class Found(NamedTuple):
    """An interval of a score, in which way it came about, and the score."""

    way: str
    estimate: Estimate | None
    score: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"boards": options.boards}
    for error in ERRORS:
        random = np.random.default_rng([options.seed, round(100 * error)])
        held, widths = defaultdict[str, list[list[bool]]](list), defaultdict[str, list[float]](list)
        for _ in range(options.boards):
            found = list(board(error, random))
            for way in dict.fromkeys(one.way for one in found):
                of_way = [(one.estimate or NONE, one.score) for one in found if one.way == way]
                held[way].append([low <= score <= high for (_, low, high), score in of_way])
                widths[way].extend(high - low for (_, low, high), _ in of_way)
        for way, of_boards in held.items():
            of_scores = np.mean(of_boards, axis=0)
            told = {"held": of_scores.mean(), "least": of_scores.min(), "width": np.nanmean(widths[way])}
            figures[f"{error:.0%}, {way}"] = told = {name: round(float(value), 4) for name, value in told.items()}
            print(f"{error:.0%}, {way}: {told}, by score {of_scores.round(3).tolist()}", flush=True)
    print(json.dumps(figures))


def board(error: float, random: np.random.Generator) -> Iterator[Found]:
    """Yield raw and corrected scores of a board, of labels of every kind."""
    for score in SCORES:
        own = seen(np.full(ANSWERS + LABELS, score), error, random)
        own.truth[LABELS:] = np.nan
        yield Found("raw", raw(own), score)
        yield Found("own", corrected(own), score)
        uneven = seen(np.repeat(score * EASE, SIZES), error, random)._replace(strata=np.repeat([0, 1], SIZES))
        uneven.truth[HARD_LABELS : SIZES[0]] = np.nan
        uneven.truth[SIZES[0] + LABELS - HARD_LABELS :] = np.nan
        yield Found("uneven", corrected(uneven), float(score * EASE @ SIZES / sum(SIZES)))
    for way, times in (("", np.ones(len(SCORES))), (", unlike", random.permutation(np.linspace(0, 2, len(SCORES))))):
        told = [
            seen(np.full(ANSWERS + LABELS // len(SCORES), score), error * time, random)
            for score, time in zip(SCORES, times, strict=True)
        ]
        for one in told:
            one.truth[LABELS // len(SCORES) :] = np.nan
        rates = error_rates(Told(*map(np.concatenate, zip(*told, strict=True))))
        for one, score in zip(told, SCORES, strict=True):
            yield Found(f"pooled{way}", corrected_by_rates(one.words[np.isnan(one.truth)], rates), score)
            yield Found(f"own fifth{way}", corrected(one), score)


def seen(chances: Floats, error: float, random: np.random.Generator) -> Told:
    """Return what is told of answers that are right with these chances, if all had labels."""
    truth = (random.random(len(chances)) < chances).astype(np.float64)
    wrong = random.random(len(chances)) < error
    return Told(np.abs(truth - wrong), truth, np.zeros(len(chances), np.int64))


def raw(told: Told) -> Estimate:
    """Return the score as the observer has it, with Wilson's interval."""
    ones = float(told.words.sum())
    return Estimate(ones / len(told.words), *wilson_interval(ones, len(told.words)))


if __name__ == "__main__":
    main()
