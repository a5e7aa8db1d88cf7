"""What a large leaderboard's statistics take: 20 contestants, 700 items, 2 judges, 10,000 draws.

    python bench/statistics.py

Measured are the intervals of every contestant under every judge and overall, all pairwise differences, ranks and tie
groups; beside it the least that any bootstrap must do, one product of the weights with the scores. Seconds, peak
memory and the ratio of the two stand in the last line, as JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import json
import resource
import time

import numpy as np

from stages.evaluation.statistics.bootstrap import interval, item_weights, weighted_means
from stages.evaluation.statistics.ranks import better, rank_intervals, tie_groups

CONTESTANTS, TRACKS, ITEMS, JUDGES, DRAWS = 20, 7, 700, 2, 10_000


def board(chance: np.random.Generator) -> np.ndarray:
    """Scores 0..100 of shape (items, judges, contestants), 3 % of them missing."""
    skill = np.linspace(4, 8, CONTESTANTS)
    latent = skill + chance.normal(0, 2, (ITEMS, 1, 1)) + chance.normal(0, 1, (ITEMS, JUDGES, CONTESTANTS))
    scores = np.clip(np.rint(latent), 0, 10) * 10
    scores[chance.random(scores.shape) < 0.03] = np.nan
    return scores


def main() -> None:
    scores = board(np.random.default_rng(0))
    strata = np.repeat(np.arange(TRACKS), ITEMS // TRACKS)
    columns = scores.reshape(ITEMS, -1)
    started = time.perf_counter()
    weights = item_weights(np.arange(ITEMS), strata, DRAWS, seed=1)
    of_tracks = [weighted_means(columns[strata == track], weights[:, strata == track]) for track in range(TRACKS)]
    drawn = np.mean(of_tracks, axis=0).reshape(DRAWS, JUDGES, CONTESTANTS)
    overall = drawn.mean(axis=1)
    values = np.mean([np.nanmean(columns[strata == track], axis=0) for track in range(TRACKS)], axis=0)
    values = values.reshape(JUDGES, CONTESTANTS).mean(axis=0)
    per_track = ITEMS // TRACKS
    for contestant in range(CONTESTANTS):
        interval(overall[:, contestant], per_track)
        for judge in range(JUDGES):
            interval(drawn[:, judge, contestant], per_track)
        for track in of_tracks:
            interval(track[:, contestant], per_track)
    for first in range(CONTESTANTS):
        for second in range(first):
            interval(overall[:, first] - overall[:, second], per_track)
    is_better = better(values, overall, per_track)
    groups, ranks = tie_groups(values, is_better), rank_intervals(is_better)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.perf_counter()
    weights @ np.nan_to_num(columns).astype(np.float32)
    floor = time.perf_counter() - started
    print(f"best: rank {ranks[-1].best} to {ranks[-1].worst} of {CONTESTANTS}, {max(groups)} groups of ties")
    figures = {"seconds": round(seconds, 2), "floor_seconds": round(floor, 3), "ratio": round(seconds / floor, 1)}
    print(json.dumps(figures | {"peak_mb": round(peak)}))


if __name__ == "__main__":
    main()
