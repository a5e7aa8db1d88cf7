"""Judges of known worth, validated: how many of those that see pass, and of those that do not fail.

    python bench/validation.py                            # 100 judges of each kind and number of items
    python bench/validation.py --judges 2

What judges there are says tests/evaluation/scoring/simulated_judges.py. A hundred items are what is drawn
(`running.controls.MOST_OF_A_KIND`), the most are those of a published edition. The last line is JSON: of each kind how
many passed, failed, and were not tried; and of honest ones who see a contestant's answers of a level of a tenth.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json

from tests.evaluation.scoring.simulated_judges import FORMS, JUDGES, verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", type=int, default=100)
    parser.add_argument("--items", type=int, nargs="+", default=[14, 56, 100, 1050])
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"judges": options.judges}
    for form in FORMS:
        cases = [(judge, items, None) for items in options.items for judge in JUDGES]
        for judge, items, level in [*cases, *(("honest", items, 0.1) for items in options.items)]:
            found = verdicts(form, judge, items, options.judges, options.seed, level)
            name = f"{form}, {judge}, {items} items" + (", poor answers" if level else "")
            figures[name] = {"passed": found[True], "failed": found[False], "not tried": found[None]}
            print(f"{name}: {figures[name]}", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
