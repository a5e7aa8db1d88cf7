"""Boards with known truth, no rendering: how often intervals, ranks and what is called detectable hold what they say.

    python bench/coverage.py             # 2,000 boards a line, 4,000 of what is detectable: half an hour
    python bench/coverage.py --boards 20 --only 56

How boards are drawn says tests/evaluation/scoring/statistics/known_boards.py. The last line is JSON. Of 2,000 boards
three standard errors are 3 · √(.95 · .05 / 2,000) = 1.5 %. Ranks and adjusted p have 2,000 draws here, to be quick.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

import numpy as np
from threadpoolctl import threadpool_limits

from gamut.evaluation.defining.measures import Linear, OfSums, Scale
from gamut.evaluation.scoring.comparison import adjust_together, differences
from gamut.evaluation.scoring.estimates import estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics import ranks
from gamut.evaluation.scoring.statistics.inference import LEVEL
from tests.evaluation.scoring.statistics.known_boards import (
    FAULTS,
    SPREAD_OF_CHANCE,
    SPREAD_OF_ITEMS,
    Tracks,
    ease_of,
    expected,
    held,
    in_columns,
    joint_ranks_held,
    layout_of,
    strata_of,
)

LAYOUTS = {
    "56 in tracks of 8": [8] * 7,
    "98 in tracks of 14": [14] * 7,
    "100 in one track": [100],
    "103 in tracks of 40 to 3": [40, 25, 15, 10, 6, 4, 3],
    "700 in tracks of 100": [100] * 7,
    "700 in tracks of 280 to 10": [280, 175, 105, 70, 42, 18, 10],
}
MISSING = (0.0, 0.1, 0.3)
CONTESTANTS = {("graded", 0.0): (2, 5, 20), ("graded", 0.3): (2, 5)}
CONTESTANTS |= {("2 % faulty", missing): (2, 5) for missing in (0.0, 0.3)}


@threadpool_limits.wrap(limits=1)
def found_of_detectable(tracks: Tracks, boards: int, seed: int) -> float:
    """How often a true difference is found that is as large as what boards call detectable, as it is shown.

    That is: the mean of track means together with all tracks, p adjusted for all.
    A first quarter as many boards tell how large that is on average; the second contestant is then better by so much.
    """
    chance, layout = np.random.default_rng(seed), layout_of(tracks)
    names = [f"track_{track}" for track in range(len(tracks))]
    reported = dict(layout.metric.reported) | {
        name: Linear(np.arange(len(tracks)) == track) for track, name in enumerate(names)
    }
    ends = dict.fromkeys(reported, Scale(-1e6, 1e6))

    def compared(better_by: float) -> tuple[float, float]:
        item = chance.normal(50, 15, sum(tracks))
        first, second = (item + chance.normal(better, 15, sum(tracks)) for better in (0, better_by))
        both = (Bounds(one, one) for one in (in_columns(first, tracks), in_columns(second, tracks)))
        overall, *_ = adjust_together(differences(*both, layout.strata, reported, ends), seed=0)
        assert overall.detectable is not None
        return overall.detectable, overall.p_adjusted

    large = float(np.mean([compared(0)[0] for _ in range(boards // 4)]))
    return sum(compared(large)[1] <= 1 - LEVEL for _ in range(boards)) / boards


RATIO, ACROSS = "ratio of two measures", "difference across settings"
MEANS = np.array([6.0, 4.0, 5.5, 5.0])
"""Of two measures in the first setting and of one in each of two settings."""


@threadpool_limits.wrap(limits=1)
def held_otherwise(tracks: Tracks, boards: int, seed: int) -> dict[str, float]:
    """How often intervals hold the truth of what is no mean of one setting: a ratio of sums, a difference across
    settings.

    Items of unlike ease are drawn for every board. Columns: two measures, then one measure in two settings, all of one
    group; the second setting lacks 3 % of the items.
    """
    strata, ease = strata_of(tracks), ease_of(tracks)
    reported = {
        RATIO: OfSums(lambda scores: scores[:, :2], lambda sums: sums[..., 1] / sums[..., 0]),
        ACROSS: Linear(np.array([0.0, 0.0, 1.0, -1.0])),
    }
    expectations = [float(np.average([expected(mean + easier) for easier in ease], weights=tracks)) for mean in MEANS]
    true = {RATIO: expectations[1] / expectations[0], ACROSS: expectations[2] - expectations[3]}
    chance, covered = np.random.default_rng(seed + 1), dict.fromkeys(reported, 0)
    for _ in range(boards):
        quality = chance.normal(ease[strata], SPREAD_OF_ITEMS)[:, None] + MEANS
        scores = np.clip(np.rint(quality + chance.normal(0, SPREAD_OF_CHANCE, quality.shape)), 0, 10) * 10
        scores[chance.random(len(scores)) < 0.03, 3] = np.nan
        for name, (_, low, high, _) in estimates(Bounds(scores, scores), strata, reported, {}).items():
            assert low is not None and high is not None
            covered[name] += low <= true[name] <= high
    return {name: count / boards for name, count in covered.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", default="", help="layouts whose name begins so")
    options = parser.parse_args()
    boards, seed, figures = options.boards, options.seed, dict[str, object]()
    ranks.DRAWS = 2_000

    def tell(name: str, **found: float) -> None:
        figures[name] = {key: round(share, 4) for key, share in found.items()}
        print(f"{name}: {figures[name]}", flush=True)

    for layout, tracks in LAYOUTS.items():
        if layout.startswith(options.only):
            for kind in ("graded", *FAULTS):
                for missing in MISSING:
                    start = f"{layout}, {kind}, {missing:.0%} missing"
                    tell(start, **held(kind, tracks, missing, boards, seed)._asdict())
                    for contestants in CONTESTANTS.get((kind, missing), ()):
                        share = joint_ranks_held(kind, tracks, contestants, missing, boards, seed)
                        tell(f"{start}, ranks of {contestants}", held=share)
            tell(f"{layout}, other values", **held_otherwise(tracks, boards, seed))
            tell(f"{layout}, detectable", found=found_of_detectable(tracks, 2 * boards, seed))
    print(json.dumps({"boards": boards} | figures))


if __name__ == "__main__":
    main()
