"""What a large leaderboard's statistics take: 20 contestants, 700 items, 2 judges, 10,000 draws.

    python bench/statistics.py
    python bench/statistics.py --contestants 3 --items 70

Measured are the intervals of every contestant under every judge, in every track and overall, all pairwise differences
with theirs, each on the items that both were asked, ranks and tie groups; beside it the least that any bootstrap
must do, one product of the draws with the scores. Seconds, peak memory and the ratio of the two stand in the last
line, as JSON.
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

from gamut.evaluation.defining.measures import Column, Linear, Metric, Reportable, Scale, ends_of
from gamut.evaluation.scoring.board import Layout, pair_gaps
from gamut.evaluation.scoring.estimates import estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import p_value
from gamut.evaluation.scoring.statistics.ranks import DRAWS, better_pairs, multipliers, rank_intervals, tie_groups

TRACKS, JUDGES = 7, 2
COLUMNS = [Column(f"track_{track}", "en", f"judge_{judge}") for track in range(TRACKS) for judge in range(JUDGES)]


def scores(contestants: int, strata: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Scores 0..10 of shape (contestants, items, columns), 3 % of them missing, others in everybody's."""
    items = len(strata)
    skill = np.linspace(4, 8, contestants)[:, None, None]
    latent = skill + chance.normal(0, 2, (items, 1)) + chance.normal(0, 1, (contestants, items, JUDGES))
    given = np.clip(np.rint(latent), 0, 10)
    given[chance.random(given.shape) < 0.03] = np.nan
    matrices = np.full((contestants, items, TRACKS, JUDGES), np.nan)
    matrices[:, np.arange(items), strata] = given
    return matrices.reshape(contestants, items, -1)


def mean_of(*names: str) -> Linear:
    """The mean over all columns with these names, times ten."""
    counting = np.array([set(names) <= {*column} for column in COLUMNS])
    return Linear(counting * (10 / counting.sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contestants", type=int, default=20)
    parser.add_argument("--items", type=int, default=700, help=f"as many in each of {TRACKS} tracks")
    options = parser.parse_args()
    contestants, strata = options.contestants, np.repeat(np.arange(TRACKS), options.items // TRACKS)
    matrices = list(scores(contestants, strata, np.random.default_rng(0)))
    names = dict.fromkeys(name for column in COLUMNS for name in column)
    reported: dict[str, Reportable] = {"overall": mean_of()} | {name: mean_of(name) for name in names if name != "en"}
    started = time.perf_counter()
    metric = Metric("en", ("en",), COLUMNS, reported, ("overall",))
    layout = Layout(
        [], strata, metric, ends_of(metric, {f"judge_{judge}": Scale(0, 10) for judge in range(JUDGES)}), seed=1
    )
    found = [estimates(Bounds(matrix, matrix), strata, reported, layout.ends) for matrix in matrices]
    apart, moves = pair_gaps(matrices, layout)
    sure = sum(p_value(one) < 0.05 for one in apart if one is not None)
    is_better = better_pairs(contestants, apart, moves)
    values = np.array([one["overall"].value for one in found])
    groups, ranks = tie_groups(values, is_better), rank_intervals(is_better)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    columns = np.concatenate(
        [np.nansum(matrix.reshape(len(strata), TRACKS, JUDGES), axis=1) for matrix in matrices], axis=1
    )
    started = time.perf_counter()
    columns.T.astype(np.float32) @ multipliers(len(strata), 1)
    floor = time.perf_counter() - started
    print(f"best: rank {ranks[-1].best} to {ranks[-1].worst} of {contestants}, {max(groups)} groups of ties")
    print(f"{sure} of {len(apart)} pairs differ, each taken alone; {is_better.sum()} all together; {DRAWS:,} draws")
    figures = {"seconds": round(seconds, 2), "floor_seconds": round(floor, 3), "ratio": round(seconds / floor, 1)}
    print(json.dumps(figures | {"peak_mb": round(peak)}))


if __name__ == "__main__":
    main()
