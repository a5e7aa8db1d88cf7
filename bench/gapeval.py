"""What GapEval's board takes, from verdicts to ranks: 20 contestants, 646 items on two sides, 10 samples.

    python bench/gapeval.py
    python bench/gapeval.py --contestants 3 --items 24 --samples 2 --boards 2

Each sample is right or wrong on either side, more often on the same as chance has it; what is right on both follows,
and ranks; gaps are resampled beside it. 2 % of the answers are not there. Of boards of contestants that are all alike,
drawn with the same chance, it is counted on how many ranks say that two are not. Seconds of each step, peak
memory and that share, in percent, stand in the last line, as JSON.
"""

# ruff: noqa: E402 (it has to mend its path first)
from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import resource
import time

import numpy as np

from stages.evaluation.defining.measures import Place, View, ends_of
from stages.evaluation.scoring.board import Layout, over_base, ranked
from stages.evaluation.scoring.joining import joint_scores
from stages.evaluation.scoring.scores import by_view_and_judge, item_scores
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.putting import SIDES
from stages.gapeval.shared.views import JOINT, MEASURES, across
from stages.tables.columns import Row

FEW = 2
"""Samples of the boards of contestants that are alike."""


def answered(items: int, samples: int, skill: float, chance: np.random.Generator) -> tuple[list[Row], list[Row]]:
    """Answers and verdicts of one contestant: an item is as hard for everybody, on both sides."""
    hard = np.random.default_rng(0).normal(0, 1, items)
    right = hard[:, None, None] + chance.normal(0, 1, (items, samples, 2)) < skill
    there = chance.random(right.shape) >= 0.02
    answers, verdicts = list[Row](), list[Row]()
    for side, name in enumerate(SIDES):
        for item in range(items):
            for sample in range(samples):
                row = {"item": f"i{item}", "side": name, "sample": sample, "replies": [{}]}
                status = "ok" if there[item, sample, side] else "refused_generation"
                answers.append(row | {"status": status})
                if status == "ok":
                    value = float(right[item, sample, side])
                    verdicts.append(row | {"status": "ok", "question": "right", "value": value})
    return answers, verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contestants", type=int, default=20)
    parser.add_argument("--items", type=int, default=646)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--boards", type=int, default=50, help="of three contestants that are alike, 100 items")
    options = parser.parse_args()
    chance, seconds = np.random.default_rng(1), dict[str, float]()
    skills = np.linspace(-0.5, 0.5, options.contestants)
    said = {f"c{n}": answered(options.items, options.samples, skill, chance) for n, skill in enumerate(skills)}
    started = time.perf_counter()
    view = across()
    scores = {name: scored(*one, options.items, view) for name, one in said.items()}
    seconds["scores"] = time.perf_counter() - started
    layout, started = layout_of(options.items, view), time.perf_counter()
    rows = ranked(scores, layout)
    seconds["board"], started = time.perf_counter() - started, time.perf_counter()
    pairs = over_base(dict(zip([*scores][1:], scores, strict=False)), scores, layout)
    seconds["compared"] = time.perf_counter() - started
    for row in rows:
        succ, gap = (row.estimates[name].value for name in ("succ", "gap"))
        print(f"{row.name}: {succ:.1f}, gap {gap:.1f}, ranks {row.rank}, ties {row.tie_group}")
    layout = layout_of(100, view)
    parted = 0
    for _ in range(options.boards):
        alike = {name: scored(*answered(100, FEW, 0, chance), 100, view) for name in "abc"}
        parted += any(row.rank != (1, 3) for row in ranked(alike, layout))
    figures = {"contestants": options.contestants, "items": options.items, "samples": options.samples}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures |= {f"{name}_s": round(one, 2) for name, one in seconds.items()} | {"peak_mb": round(peak)}
    parted_share = round(100 * parted / max(1, options.boards), 1)
    print(json.dumps(figures | {"compared": len(pairs), "boards": options.boards, "parted_percent": parted_share}))


def scored(answers: list[Row], verdicts: list[Row], items: int, view: View) -> list[Row]:
    """Scores of one contestant in the view."""
    places = {f"i{n}": Place(group, (group,)) for n in range(items) for group in [CATEGORIES[n % len(CATEGORIES)]]}
    wanted = (places, lambda item, side: {"right": 1}, MEASURES)
    rows = item_scores(answers, {"judge": verdicts}, *wanted)
    rows += joint_scores(answers, {"judge": verdicts}, *wanted, JOINT)
    return by_view_and_judge(rows, [view], JOINT)["both_sides", "judge"]


def layout_of(items: int, view: View) -> Layout:
    strata = np.arange(items) % len(CATEGORIES)
    return Layout([f"i{n}" for n in range(items)], strata, view, ends_of(view, MEASURES), seed=1, joint=JOINT)


if __name__ == "__main__":
    main()
