"""What a contestant gains by hiding its worst 30 %: boards of 20 equals, on which one of them does.

    python bench/hiding.py                            # 25 boards, four ways of hiding
    python bench/hiding.py --boards 2 --contestants 5 --items 40

How they are drawn says tests/evaluation/scoring/boards_of_equals.py. One gains where its best or worst possible rank,
its place or its group of ties is better than with all answers shown; to have no rank is no gain. The last line is JSON:
of each way, on how many boards it gained, had no rank, and had the highest mean of what was scored, by which it stood
first while refusals were left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

from tests.evaluation.scoring.boards_of_equals import WAYS, hiding


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=25)
    parser.add_argument("--contestants", type=int, default=20)
    parser.add_argument("--items", type=int, default=100)
    options = parser.parse_args()
    figures = {}
    for way in WAYS:
        found = hiding(way, range(options.boards), options.contestants, options.items)
        print(f"{way}: {found}", flush=True)
        figures[way] = found._asdict()
    print(json.dumps({"boards": options.boards} | figures))


if __name__ == "__main__":
    main()
