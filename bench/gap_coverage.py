"""Models of known abilities on GapEval: how often intervals of Δθ and of the gap hold the truth, and who ranks first.

    python bench/gap_coverage.py                # 400 models a point, 6 of them against a Markov chain: an hour
    python bench/gap_coverage.py --models 1 --chains 1 --points 1 --boards 1

Sizes and samples are the published ones; samples of an item are independent, alike or the same
(tests/gapeval/fitting/known_models.py).
`grid`: how often the interval of Δθ holds the truth, of categories and of their mean, with sides right in .2 to .99 of
the samples; `width`: of the intervals of categories over those of a Markov chain's draws.
`equal`: sides alike; how often the interval of the gap holds 0.
`perfect`: its gap and where that ends, and its rank among four others.
`spoilt`: how often a model that answers a share of one side wrongly on purpose ranks anywhere higher than the same
model honest, on the same answers else. The last line is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from itertools import combinations_with_replacement

import numpy as np

from stages.evaluation.defining.measures import ends_of
from stages.evaluation.scoring.board import Layout, ranked
from stages.gapeval.shared.fitting import bootstrap
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.views import ACROSS, MEASURES, across
from tests.gapeval.fitting.known_models import LIKENESS, SAMPLES, SIZES, answered, cells_of, logit, reference

GRID = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99)
DRAWS = 2_000


def quantiles(draws, axis=-1):
    return np.quantile(draws, (0.025, 0.975), axis=axis)


def held(low, high, truth):
    return (low <= truth) & (truth <= high)


def grid(chance, values, models, chains, kind):
    points = {}
    for picture, text in combinations_with_replacement(values, 2):
        truth, cells = logit(text) - logit(picture), cells_of(text, picture)
        of_categories, of_mean, ours, chain = [], [], [], []
        for number in range(models):
            items = [answered(chance, cells, size, kind) for size in SIZES]
            apart = np.stack([bootstrap.delta_theta(drawn(chance, rows)) for rows in items])
            low, high = quantiles(apart)
            of_categories += held(low, high, truth).tolist()
            of_mean.append(held(*quantiles(apart.mean(axis=0)), truth))
            if number < chains:
                ours += (high - low).tolist()
                chain += [np.subtract(*quantiles(reference(chance, rows, kind))[::-1]) for rows in items]
        points[text, picture] = {
            "categories": round(float(np.mean(of_categories)), 4),
            "mean": round(float(np.mean(of_mean)), 4),
            "width": round(float(np.mean(ours) / np.mean(chain)), 3),
        }
        print(f"samples {kind}, right in text and as a picture {text}, {picture}: {points[text, picture]}", flush=True)
    shares = [[one["categories"], one["mean"]] for one in points.values()]
    widths = [one["width"] for one in points.values()]
    return {
        "least": float(np.min(shares)),
        "average": round(float(np.mean(shares)), 4),
        "width": round(float(np.mean(widths)), 3),
        "widest": max(widths),
    }


def drawn(chance, items):
    return bootstrap.draws(items, chance.standard_exponential((len(items), DRAWS)), chance)


def equal(chance, models):
    found = {}
    for share in (0.5, 0.7, 0.95, 1.0):
        cells = cells_of(np.float64(share), np.float64(share))
        own, mean = [], []
        for _ in range(models):
            draws = [drawn(chance, answered(chance, cells, items)) for items in SIZES]
            own += [np.quantile(bootstrap.gap_draws([one])[0], 0.025) == 0 for one in draws]
            mean.append(np.quantile(bootstrap.gap_draws(draws)[0], 0.025) == 0)
        found[str(share)] = {"categories": round(float(np.mean(own)), 4), "mean": round(float(np.mean(mean)), 4)}
        print(f"both sides right in {share}: the gap's interval holds 0: {found[str(share)]}", flush=True)
    return found


def rows_of(items):
    """Scores as the stage `score` writes them."""
    rows = []
    for category, of_items in zip(CATEGORIES, items, strict=True):
        for number, cells in enumerate(of_items):
            values = cells[0] + cells[1], cells[0] + cells[2], cells[0]
            for (side, measure), value in zip(ACROSS, values, strict=True):
                kind = {"item": f"{category}{number}", "stratum": category, "groups": [category], "side": side}
                told = {"value": value, "low": value, "high": value, "scored": SAMPLES, "left_out": []}
                rows.append(kind | {"judge": "judge", "measure": measure} | told)
    return rows


def layout():
    view = across()
    items = [f"{category}{number}" for category, size in zip(CATEGORIES, SIZES, strict=True) for number in range(size)]
    strata = np.repeat(range(len(SIZES)), SIZES)
    return Layout(items, strata, view, ends_of(view, MEASURES), seed=0)


def perfect(chance):
    right = [np.tile([1.0, 0, 0, 0], (size, 1)) for size in SIZES]
    others = {f"{text}, {picture}": [answered(chance, cells_of(text, picture), size) for size in SIZES]
              for text, picture in ((0.99, 0.99), (0.95, 0.9), (0.9, 0.6), (0.7, 0.7))}  # fmt: skip
    board = ranked({name: rows_of(counts) for name, counts in ({"perfect": right} | others).items()}, layout())
    place = [row.name for row in board].index("perfect")
    gap = board[place].estimates["gap"]
    found = {"gap": round(gap.value, 3), "to": round(gap.high, 1), "place": place + 1, "worst": board[place].rank.worst}
    print(f"a perfect model: {found}", flush=True)
    return found


def spoiled(chance, items, side, share):
    """The same shares, in which of so many right samples of a side the answer is wrong on purpose."""
    from_to = ((0, 2), (1, 3)) if side == "text" else ((0, 1), (2, 3))
    found = [rows.copy() for rows in items]
    for rows in found:
        for source, target in from_to:
            lost = chance.binomial(np.rint(SAMPLES * rows[:, source]).astype(int), share) / SAMPLES
            rows[:, source] -= lost
            rows[:, target] += lost
    return found


def spoilt(chance, boards):
    raised = tried = 0
    for _ in range(boards):
        shares = [(0.9, 0.6), (0.92, 0.74), (0.8, 0.75), (0.6, 0.55), (0.6, 0.8)]
        honest = {str(n): [answered(chance, cells_of(*one), size) for size in SIZES] for n, one in enumerate(shares)}
        before = {row.name: row.rank for row in ranked({name: rows_of(own) for name, own in honest.items()}, layout())}
        for side in ("text", "picture"):
            for share in (0.05, 0.2, 0.5):
                who = str(chance.integers(len(shares)))
                made = honest | {who: spoiled(chance, honest[who], side, share)}
                after = {row.name: row.rank for row in ranked({n: rows_of(own) for n, own in made.items()}, layout())}
                tried += 1
                raised += after[who].best < before[who].best or after[who].worst < before[who].worst
    found = {"tried": tried, "raised": raised}
    print(f"spoilt on purpose: {found}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=400)
    parser.add_argument("--chains", type=int, default=6, help="models a point that a Markov chain is run for")
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--points", type=int, default=len(GRID), help="how many values of the grid")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    values = GRID[-options.points :]
    figures = {
        "models": options.models,
        "grid": {kind: grid(chance, values, options.models, options.chains, kind) for kind in LIKENESS},
        "equal": equal(chance, options.models),
        "perfect": perfect(chance),
        "spoilt": spoilt(chance, options.boards),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
