"""Boards with known variance components: whether they are found again, with scores missing.

    python bench/variance_components.py               # 500 boards of each layout
    python bench/variance_components.py --boards 10

How they are drawn says tests/evaluation/scoring/statistics/simulated_scores.py. The last line is JSON: of each layout
the mean estimate of each source over the known variance, estimates below 0 counted as 0, and the mean variance of a
mean that follows over how far means do vary. Of 500 boards of four layouts estimates are .97 to 1.03 of what is known.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

import numpy as np

from stages.evaluation.scoring.statistics.variance_components import levels, means, variance_components
from tests.evaluation.scoring.statistics.simulated_scores import KNOWN, simulated

LAYOUTS = [(7, 2, 4, 2, 0.1), (14, 2, 4, 2, 0.3), (25, 3, 2, 1, 0.0), (25, 1, 4, 3, 0.1)]
"""Items in each of four strata, samples, judges, repeats, and the share of scores that is missing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures = {}
    for items, samples, judges, repeats, missing in LAYOUTS:
        scores, design = simulated(options.boards, options.seed, items, samples, judges, repeats, missing)
        split = variance_components(scores, design)
        estimates = np.maximum(split.components, 0).mean(axis=1)
        known = [sum(KNOWN[name] for name in names) for names in split.sources]
        found = {"+".join(s): round(float(e / k), 3) for s, e, k in zip(split.sources, estimates, known, strict=True)}
        of_items = means(means(scores, levels(design.group, design.stratum)), np.repeat(np.arange(3), 4))
        found["variance of a mean"] = round(float(split.of_mean.sum(axis=0).mean() / of_items.var(axis=1).mean()), 3)
        name = f"{items} items x {samples} samples x {judges} judges x {repeats} repeats, {missing:.0%} missing"
        print(f"{name}: {found}", flush=True)
        figures[name] = found
    print(json.dumps({"boards": options.boards} | figures))


if __name__ == "__main__":
    main()
