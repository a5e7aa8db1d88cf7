"""Boards with known truth, no rendering: how often a 95 % interval holds the truth.

    python bench/coverage.py                          # 2,000 boards of each layout
    python bench/coverage.py --boards 100

How they are drawn says tests/evaluation/scoring/statistics/known_boards.py. The last line is JSON: of each layout the
share of boards whose interval holds the truth, for every contestant's mean of track means and the first two's
difference; and for what is no mean of one side, a ratio of sums and a difference across sides. Of 2,000 boards three
standard errors are 3 · √(.95 · .05 / 2,000) = 1.5 %.

Of 20,000 boards, with the 10,000 draws that boards have, all sixteen shares of means were 94.8 to 95.2 %. Of 2,000 as
they are here the ratio had 94.2 to 95.5 %, the difference across sides 94.2 to 95.2 %. Of fewer items without gaps:
94.5 to 95.0 % of 20 in one track, 94.3 to 95.0 % of 10, and 95.1 to 95.8 % of 3 or 4 in each of seven tracks. It does
not hold of 5 alone (88.7 to 93.4 %) and of 2 in each of seven tracks (91.3 to 92.8 %): draws of so few do not reach as
far as the truth may lie.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

from tests.evaluation.scoring.statistics.known_boards import AT_ONCE, shares_covered, shares_covered_otherwise

LAYOUTS = [(1, 100), (7, 8), (7, 14), (7, 100)]
"""Tracks, and items in each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=2_000, help=f"a multiple of {AT_ONCE}")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures = {}
    for tracks, each in LAYOUTS:
        found = shares_covered(tracks, each, options.boards, options.seed)
        found |= shares_covered_otherwise(tracks, each, options.boards, options.seed)
        print(f"{tracks} tracks of {each} items: {found}", flush=True)
        figures[f"{tracks} x {each}"] = {name: round(share, 4) for name, share in found.items()}
    print(json.dumps({"boards": options.boards} | figures))


if __name__ == "__main__":
    main()
