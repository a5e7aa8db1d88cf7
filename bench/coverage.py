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

from stages.evaluation.scoring.statistics import ranks
from tests.evaluation.scoring.statistics.known_boards import (
    FAULTS,
    found_of_detectable,
    held,
    held_otherwise,
    joint_ranks_held,
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
