"""What a view that reports much takes: 110 values of 1,050 items on two sides, 3 contestants, 10,000 draws.

    python bench/reported.py
    python bench/reported.py --reported 20 --items 84

An item lies in three groups: all, one of 21 topics, one of 4 tasks; reported are a group's score on the one side, the
gap or the sum of both, and in every tenth place the ratio of both, a function of sums. 2 % of the scores are not
judged. Measured are all intervals, ranks by the first value, and the comparison of two contestants in 25 values, as
`gamut compare` does it. Seconds and peak memory stand in the last line, as JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import resource
import time

import numpy as np

from stages.evaluation.defining.measures import Column, Linear, OfSums, Reportable, Scale, View, ends_of
from stages.evaluation.scoring.board import Layout, gaps
from stages.evaluation.scoring.comparison import differences, together
from stages.evaluation.scoring.estimates import estimates
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.ranks import better, rank_intervals
from stages.evaluation.scoring.statistics.stepdown import DRAWS

TOPICS, TASKS, COMPARED = 21, 4, 25


def much(count: int, items: int) -> tuple[View, np.ndarray]:
    """A view across two sides that reports so much, and the groups of every item, shape (items, groups): all of them,
    a topic and a task.
    """
    groups = ["all", *(f"topic_{n}" for n in range(TOPICS)), *(f"task_{n}" for n in range(TASKS))]
    columns = [Column(group, side, "score") for group in groups for side in ("clear", "raw")]
    member = np.zeros((items, len(groups)), np.bool_)
    member[:, 0] = member[np.arange(items), 1 + np.arange(items) % TOPICS] = True
    member[np.arange(items), 1 + TOPICS + np.arange(items) * TASKS // items] = True
    reported: dict[str, Reportable] = {"overall": Linear(np.eye(len(columns))[0] + np.eye(len(columns))[1])}
    for number in range(1, count):
        clear = 2 * (number % len(groups))
        if number % 10 == 0:
            reported[f"ratio_{number}"] = ratio(clear)
        else:
            sign = (1, -1, 0)[number % 3]
            reported[f"value_{number}"] = Linear(np.eye(len(columns))[clear] + sign * np.eye(len(columns))[clear + 1])
    return View("across", ("clear", "raw"), columns, reported, ("overall",)), member


def ratio(clear: int) -> OfSums:
    """How much of the score on the one side there is on the other, over the items that have both."""

    def terms(scores: np.ndarray) -> np.ndarray:
        pair = scores[:, [clear, clear + 1]]
        return np.where(np.isnan(pair).any(axis=1, keepdims=True), 0, pair)

    return OfSums(terms, lambda sums: sums[..., 1] / sums[..., 0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reported", type=int, default=110)
    parser.add_argument("--contestants", type=int, default=3)
    parser.add_argument("--items", type=int, default=1050)
    options = parser.parse_args()
    items, chance = options.items, np.random.default_rng(0)
    view, member = much(options.reported, items)
    matrices = []
    for skill in np.linspace(4, 6, options.contestants):
        scores = np.clip(np.rint(skill + chance.normal(0, 2, (items, 2))), 1, 10)
        low, high = scores.copy(), scores.copy()
        unjudged = chance.random(scores.shape) < 0.02
        low[unjudged], high[unjudged] = 1, 10
        laid_out = [np.where(member[:, :, None], each[:, None, :], np.nan).reshape(items, -1) for each in (low, high)]
        matrices.append(Bounds(*laid_out))
    strata = np.arange(items) * TASKS // items
    started = time.perf_counter()
    layout = Layout([], strata, view, ends_of(view, {"score": Scale(1, 10)}), seed=1)
    found = [estimates(scores, strata, view.reported, layout.ends) for scores in matrices]
    ranks = rank_intervals(better(len(matrices), *gaps([scores.low for scores in matrices], layout)))
    compared = dict(list(view.reported.items())[:COMPARED])
    pairs = together(differences(matrices[0], matrices[1], strata, compared, layout.ends), seed=1)
    seconds = time.perf_counter() - started
    whole = sum(one.low is not None for estimated in found for one in estimated.values())
    print(f"{whole:,} intervals, {len(pairs)} differences with p, ranks {[tuple(rank) for rank in ranks]}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"reported": len(view.reported), "items": items, "contestants": len(matrices), "draws": DRAWS}
    print(json.dumps(figures | {"seconds": round(seconds, 2), "peak_mb": round(peak)}))


if __name__ == "__main__":
    main()
