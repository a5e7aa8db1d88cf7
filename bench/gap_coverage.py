"""Models of known gaps: how often the intervals of what is identified hold the truth, and signs are right.

    python bench/gap_coverage.py                 # 2,000 models a line, 500 with a rare side: seven minutes
    python bench/gap_coverage.py --models 20 --only dirichlet

How models are drawn from the stated prior, and how items make their samples alike, says
tests/gapeval/fitting/known_models.py. The last line is JSON. Of a rare side, below 2 % right or wrong, those categories
alone are counted that have one. `small`: as many items and samples as the embedded world's edition has.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

from tests.gapeval.fitting.known_models import shares_held

KINDS = ("independent", "dirichlet", "parts", "difficulty")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", default="", choices=("", *KINDS), help="one way in which samples are alike")
    options = parser.parse_args()
    figures = {}
    for kind in [options.only] if options.only else KINDS:
        for name, part, settings in (
            ("published sizes", 1, {}),
            ("a rare side", 4, {"rare": True}),
            ("small", 4, {"sizes": (6, 6, 6, 6), "samples": 3}),
        ):
            found = shares_held(kind, max(options.models // part, 1), options.seed, **settings)
            figures[f"{kind}, {name}"] = {key: round(float(share), 4) for key, share in found.items()}
            print(f"{kind}, {name}: {figures[f'{kind}, {name}']}", flush=True)
    print(json.dumps({"models": options.models} | figures))


if __name__ == "__main__":
    main()
