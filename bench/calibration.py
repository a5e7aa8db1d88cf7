"""Calibrations of a filter that errs: how often intervals of precision and recall hold the truth, and suggestions.

    python bench/calibration.py                      # 1,000 calibrations of each kind: minutes
    python bench/calibration.py --calibrations 10

A table has 200,000 rows with scores 0..10; rows below 6 are rejected. `2 % faulty`: the judge is blind to a fifth of
the faulty rows, which have the scores of good ones; `5 % faulty`: to three tenths; `knee`: a fifth of all rows score 4
to 7, where 93, 70, 40 and 20 % are faulty; `traps`: at every threshold up to 8 precision is .945, just below what is
wanted; `steps`: at every one up to 6 it is .949, and each finds half as many rows again as the one before, so that
luck at one tells little of the next. `halves` is what `gamut calibrate` does: half of the labels from below 6, exact
bounds joined, a threshold chosen and judged by folds. `by score` is what it did
before: as many labels of each score, Wilson's interval with Kish's effective size, the threshold with the highest
recall among the precise.

`precision` and `recall` are the shares of today's intervals that hold the truth, with `_least` those of the threshold
where they do so least often, with `_width` the median width; `suggests`, `below_precision` and `below_recall` shares of
all calibrations. Intervals of `halves` hold the truth in 94.6 to 100 %, and a suggestion with a lower precision than
wanted comes in at most 3.9 %; intervals of `by score` in 39.3 to 100 %, and such a suggestion in up to 89.5 %. Of 1,000
intervals three standard errors are 3 · √(.95 · .05 / 1,000) = 2.1 %.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.dataset.calibration.labels import BAD, GOOD, KINDS
from gamut.dataset.calibration.measures import Least, candidate, reaches_wanted
from gamut.dataset.calibration.operating_points import THRESHOLDS, Floats, Strata, counts_by_side, points_of, ratio
from gamut.dataset.calibration.sampling import FOLDS, Sample, split_count
from gamut.evaluation.scoring.statistics.coefficients import wilson_interval

NOW = 6
WANTED = {"": Least(0.95, 0.5), "_any_recall": Least(0.95, 0.0)}
"""What a suggestion needs: as in params.yaml; and without the recall, which takes most labels to be known."""
ROWS, LABELS = 200_000, (50, 200, 1_000, 5_000)
SEEN = np.array([5, 10, 15, 20, 20, 15, 10, 5, 0, 0, 0]) / 100
"""Scores of faulty rows of which the judge sees the fault."""
GOOD_ROWS = np.array([0, 0, 0, 0.005, 0.015, 0.06, 0.3, 3, 20, 40, 36.62]) / 100
KNEE = {4: 0.93, 5: 0.7, 6: 0.4, 7: 0.2}
"""How many of the rows with such a score are faulty."""


class Told(NamedTuple):
    """What calibrations tell: `precision` and `recall` as lower and upper bounds, (calibrations, 11), and what is
    suggested, -1 for nothing, by what is WANTED.
    """

    precision: tuple[Floats, Floats]
    recall: tuple[Floats, Floats]
    suggested: dict[str, NDArray[np.int64]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calibrations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"calibrations": options.calibrations}
    for number, (name, rows) in enumerate(worlds().items()):
        precision, recall = truth(rows)
        at = ", ".join(f"{t}: {precision[t]:.3f} {recall[t]:.3f}" for t in range(3, 9))
        print(f"{name}, {rows[BAD].sum() / rows.sum():.1%} faulty; precision and recall at {at}")
        for labels in LABELS:
            random = np.random.default_rng([options.seed, number, labels])
            for way, calibrated in {"halves": halves, "by score": by_score}.items():
                told = calibrated(rows, labels, options.calibrations, random)
                figures[f"{name}, {labels}, {way}"] = found = compared(told, precision, recall)
                print(f"  {labels:5,} labels, {way}: {found}", flush=True)
    print(json.dumps(figures))


def worlds() -> dict[str, Floats]:
    """Return tables, each as how many bad and good rows have each score, shape (2, 11)."""
    knee = np.zeros((2, len(THRESHOLDS)))
    knee[BAD, :4], knee[GOOD, 8:] = 0.05 * ROWS / 4, 0.75 * ROWS / 3
    for score, faulty in KNEE.items():
        knee[:, score] = np.array([faulty, 1 - faulty]) * 0.2 * ROWS / len(KNEE)
    traps = np.zeros((2, len(THRESHOLDS)))
    traps[:, :8], traps[:, 8:] = np.array([[0.945], [0.055]]) * 0.16 * ROWS / 8, np.array([[0], [0.84]]) * ROWS / 3
    found = 0.16 * ROWS / 1.5 ** np.arange(5, -1, -1)  # below 1 .. below 6
    steps = np.zeros((2, len(THRESHOLDS)))
    steps[:, :6], steps[GOOD, 8:] = np.array([[0.949], [0.051]]) * np.diff(found, prepend=0), 0.84 * ROWS / 3
    return {
        "2 % faulty": blind(0.02, 0.2),
        "5 % faulty": blind(0.05, 0.3),
        "knee": knee.round(),
        "traps": traps.round(),
        "steps": steps.round(),
    }


def blind(faulty: float, unseen: float) -> Floats:
    """Return a table of which a share is faulty, and a judge who does not see a share of the faulty."""
    bad = faulty * ROWS * ((1 - unseen) * SEEN + unseen * GOOD_ROWS)
    return np.array([bad, (1 - faulty) * ROWS * GOOD_ROWS]).round()


def truth(rows: Floats) -> tuple[Floats, Floats]:
    """Return the true precision and recall of all thresholds; of what finds nothing a precision of 1."""
    found, missed = counts_by_side(rows, rejects=True)
    return ratio(found[BAD], found.sum(axis=0), 1.0), found[BAD] / (found + missed)[BAD]


def compared(told: Told, precision: Floats, recall: Floats) -> dict[str, float]:
    """Return how often intervals hold the truth, how wide they are, and how often what is suggested is right."""
    found = {}
    for name, true, (low, high) in (("precision", precision, told.precision), ("recall", recall, told.recall)):
        holds = (low <= true + 1e-9) & (true <= high + 1e-9)
        found[name] = holds[:, NOW].mean()
        found[f"{name}_least"] = holds[:, 1:].mean(axis=0).min()
        found[f"{name}_width"] = np.median((high - low)[:, NOW])
    for name, least in WANTED.items():
        suggested = told.suggested[name]
        found[f"suggests{name}"] = (suggested >= 0).mean()
        wrong = (precision < least.precision)[suggested], (recall < least.recall)[suggested]
        found[f"below_precision{name}"], found[f"below_recall{name}"] = ((suggested >= 0) & one for one in wrong)
    return {name: round(float(np.mean(value)), 4) for name, value in found.items()}


def halves(
    rows: Floats,
    labels: int,
    calibrations: int,
    random: np.random.Generator,
    left: Callable[[Floats], Floats] = lambda counts: counts,
) -> Told:
    """Calibrate as `gamut calibrate` does, with half of the labels from below NOW; `left`: what is left of labels that
    are counted, (…, strata, kinds, scores), where some are left blank.
    """
    strata = np.array([np.arange(len(THRESHOLDS)) < NOW, np.arange(len(THRESHOLDS)) >= NOW]) * rows[:, None]  # 2, 2, 11
    sizes = strata.sum(axis=(0, 2))
    folds = np.zeros((FOLDS, calibrations, 2, len(KINDS), len(THRESHOLDS)))
    for stratum, drawn in enumerate(split_count(labels, *map(int, sizes))):
        cells = strata[:, stratum].astype(np.int64).ravel()
        rest = random.multivariate_hypergeometric(cells, drawn, calibrations).reshape(-1, 2, 11).astype(np.float64)
        for number, fold in enumerate(folds):
            fold[:, stratum, :2] = part(rest, len(range(number, drawn, FOLDS)), random)
            rest -= fold[:, stratum, :2]
    folds = left(folds)
    known = Strata(sizes, strata.sum(axis=0))
    points = points_of(folds.sum(axis=0), known, rejects=True)
    suggested = {name: np.full(calibrations, -1) for name in WANTED}
    for name, least in WANTED.items():
        for number in range(calibrations):
            found = candidate(Sample(known, folds[:, number]), NOW, True, least)
            if found is not None and reaches_wanted(found, least):
                suggested[name][number] = found.threshold
    bounds = (points.precision_low, points.precision_high), (points.recall_low, points.recall_high)
    return Told(*bounds, suggested)


def part(counts: Floats, size: int, random: np.random.Generator) -> Floats:
    """Return `size` of the labels that are counted by kind and score, shape (calibrations, 2, 11), drawn by lot."""
    flat = counts.reshape(len(counts), -1).astype(np.int64)
    taken, left, wanted = np.zeros_like(flat), flat.sum(axis=1), np.full(len(flat), size)
    for cell in range(flat.shape[1]):
        left -= flat[:, cell]
        taken[:, cell] = random.hypergeometric(flat[:, cell], left, wanted)
        wanted -= taken[:, cell]
    return taken.reshape(counts.shape).astype(np.float64)


def by_score(rows: Floats, labels: int, calibrations: int, random: np.random.Generator) -> Told:
    """Calibrate as it was done before: as many labels of each score as of any other."""
    sizes = rows.sum(axis=0).astype(np.int64)
    turns = next(n for n in range(labels + 1) if np.minimum(sizes, n).sum() >= labels or n == labels)
    drawn = np.minimum(sizes, turns)
    for score in np.flatnonzero(sizes >= turns)[::-1][: max(0, drawn.sum() - labels)]:  # the last turn is not whole
        drawn[score] -= 1
    bad = random.hypergeometric(rows[BAD].astype(np.int64), rows[GOOD].astype(np.int64), drawn, (calibrations, 11))
    weight = np.divide(sizes, drawn, out=np.zeros(len(sizes)), where=drawn > 0)
    found, missed = counts_by_side(bad * weight, rejects=True)
    alarms, _ = counts_by_side((drawn - bad) * weight, rejects=True)
    squares, squares_missed = counts_by_side(bad * weight**2, rejects=True)
    squares_alarms, _ = counts_by_side((drawn - bad) * weight**2, rejects=True)
    precision = wilson(found, alarms, squares + squares_alarms)
    recall = wilson(found, missed, squares + squares_missed)
    suggested = {name: np.full(calibrations, -1) for name in WANTED}
    for name, least in WANTED.items():
        reaching = (precision[0] >= least.precision) & (recall[0] >= least.recall) & (found > 0)
        best = np.where(reaching, found - 1e-9 * alarms, -np.inf)
        for number in np.flatnonzero(reaching.any(axis=1)):
            alike = np.flatnonzero(best[number] == best[number].max())
            suggested[name][number] = alike[(len(alike) - 1) // 2]
    return Told(precision[1:], recall[1:], suggested)


def wilson(part: Floats, rest: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Return shares of weighted rows with Wilson's intervals by Kish's effective number; of none 0, 0 and 1."""
    found = np.tile(np.array([0.0, 0.0, 1.0])[:, None, None], (1, *part.shape))
    for at in np.argwhere(squares > 0):
        whole = (part + rest)[tuple(at)]
        share, size = min(1.0, part[tuple(at)] / whole), whole**2 / squares[tuple(at)]
        found[(slice(None), *at)] = share, *wilson_interval(share * size, size)
    return found[0], found[1], found[2]


if __name__ == "__main__":
    main()
