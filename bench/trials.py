"""Judges of known worth on trial: how many of those that see pass, and of those that do not fail.

    python bench/trials.py                            # 100 judges of each kind and number of items
    python bench/trials.py --judges 2

What judges there are says tests/evaluation/scoring/simulated_judges.py. The last line is JSON: of each kind how many
passed, failed, and were not tried; and of honest ones who see a contestant's answers of a level of 1 of 10.

All honest ones passed, and all that are deaf or blind failed. Of those that praise wins over 98 to 100 failed with 56
and 105 items, 18 with 14.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

from tests.evaluation.scoring.simulated_judges import KINDS, verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", type=int, default=100)
    parser.add_argument("--items", type=int, nargs="+", default=[14, 56, 105])
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    cases = [(kind, items, 7.0) for items in options.items for kind in KINDS]
    figures: dict[str, object] = {"judges": options.judges}
    for kind, items, level in [*cases, ("honest", options.items[-1], 1.0)]:
        found = verdicts(kind, items, options.judges, options.seed, level)
        name = f"{kind}, {items} items, answers of {level:g}"
        figures[name] = {"passed": found[True], "failed": found[False], "not tried": found[None]}
        print(f"{name}: {figures[name]}", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
