"""What is right on both sides by a judge that errs, corrected by people: how often intervals hold the truth.

    python bench/corrected_joint.py                # 1,000 boards for each number of labels
    python bench/corrected_joint.py --boards 10 --labels 100

A board of GapEval has three contestants with 200 items in its four categories, some easier than others, on both sides
alike; 4 % of pictures and 1 % of texts are not there. The judge turns round 2 to 15 % of verdicts, otherwise in each
contestant and on each side, right ones and wrong ones. So many labels in all are drawn as `gamut label` draws them. The
truth is what all answers to such items are worth on average: right on both (`succ`), in words (`und`), as a picture
(`gen`), on neither (`fail`).

The last line is JSON: of each number of labels and value the share of intervals that hold the truth, the same of
differences of `succ` and of ranks by it, their mean width as a share of that by labels alone, and of how many values
nothing is told, having fewer than ten labels.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.bodies.correct import of_both
from stages.evaluation.defining.measures import Column, View, ends_of
from stages.evaluation.labelling.drawing import Given, draw
from stages.evaluation.scoring.board import Layout
from stages.evaluation.scoring.corrected import Ranked, Righted, ranked, righted
from stages.evaluation.scoring.joining import least
from stages.evaluation.scoring.labelled_scores import scores_put_right
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.judging import MEASURE
from stages.gapeval.shared.putting import SIDES
from stages.gapeval.shared.views import ACROSS, JOINT, MEASURES, shares
from stages.tables.columns import Row

Floats = NDArray[np.float64]
BOTH, VERDICT = JOINT[0], MEASURES[MEASURE]
EASE, SIZES = (-0.4, 0.0, 0.2, 0.4), (30, 40, 60, 70)
LEVELS = {"careful": (0.9, 0.5), "average": (0.7, 0.1), "hasty": (0.2, -0.6)}
"""How well contestants do in words and as pictures, to items of no ease."""
MISSING = (0.01, 0.04)
ITEMS = [f"{category}-{n}" for category, size in zip(CATEGORIES, SIZES, strict=True) for n in range(size)]
CATEGORY = {item: item.partition("-")[0] for item in ITEMS}
REPORTED = shares(CATEGORIES)
VIEW = View("gap", SIDES, [Column(one, *place) for one in CATEGORIES for place in ACROSS], REPORTED, tuple(REPORTED))
LAYOUT = Layout(ITEMS, np.repeat(np.arange(len(SIZES)), SIZES), VIEW, ends_of(VIEW, MEASURES), 0, joint=JOINT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=1_000)
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 200, 400])
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"boards": options.boards}
    true = worth()
    for labels in options.labels:
        held, widths = defaultdict[str, list[bool]](list), defaultdict[str, list[float]](list)
        untold = 0
        for number in range(options.boards):
            rows = board(np.random.default_rng([options.seed, number]), labels, number)
            for way, those in (("corrected", rows), ("labels", [row | {"low": 0.0, "high": 0.0} for row in rows])):
                found = {name: righted(own, LAYOUT) for name, own in scores_put_right(those, MEASURES).items()}
                note(held, widths, way, found, ranked(found, LAYOUT), true)
                untold += sum(one.value is None for own in found.values() for one in own.values.values())
        told = {name: round(float(np.mean(those)), 4) for name, those in held.items()}
        told |= {
            f"width of {name}": round(
                float(np.mean(widths[f"corrected {name}"]) / np.mean(widths[f"labels {name}"])), 4
            )
            for name in (*REPORTED, "differences")
            if widths[f"corrected {name}"] and widths[f"labels {name}"]
        }
        figures[f"{labels} labels"] = told | {"untold": untold}
        print(f"{labels} labels: {figures[f'{labels} labels']}", flush=True)
    print(json.dumps(figures))


def answers(random: np.random.Generator, sizes: Sequence[int]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return which answers are right, and which are there, of shape (contestants, sides, items): items are hard for
    all, on both sides.
    """
    ease = np.repeat(EASE, sizes) + random.normal(0, 0.7, sum(sizes))
    shape = len(LEVELS), len(SIDES), sum(sizes)
    right = np.array([*LEVELS.values()])[:, :, None] + ease + random.normal(0, 1, shape) > 0
    return right * 1.0, random.random(shape) >= np.array(MISSING)[:, None]


def worth() -> dict[str, dict[str, float]]:
    """Return what contestants are worth, 0..100, over very many items of each category."""
    right, there = answers(np.random.default_rng(0), [500_000] * len(SIZES))
    found = {}
    for name, (text, image) in zip(LEVELS, right * there, strict=True):
        both = (text * image).mean()
        values = {"succ": both, "und": text.mean(), "gen": image.mean(), "fail": 1 - text.mean() - image.mean() + both}
        found[name] = {key: float(100 * value) for key, value in values.items()}
    return found


def board(random: np.random.Generator, labels: int, seed: int) -> list[Row]:
    """Return all answers with what the judge says, and people of those that were drawn, then those of both sides."""
    right, there = answers(random, SIZES)
    of_wrong, of_right = random.uniform(0.02, 0.15, (2, *right.shape[:2], 1))
    words = np.abs(right - (random.random(right.shape) < np.where(right > 0, of_right, of_wrong)))
    given = [
        Given(name, item, side, 0, "")
        for who, name in enumerate(LEVELS)
        for at, side in enumerate(SIDES)
        for n, item in enumerate(ITEMS)
        if there[who, at, n]
    ]
    drawn = {(one.contestant, one.side, one.item) for one in draw(given, CATEGORY, 1, seed, labels)}
    rows = []
    for who, name in enumerate(LEVELS):
        for n, item in enumerate(ITEMS):
            is_there = there[who, :, n].tolist()
            said = [float(one) if own else None for one, own in zip(words[who, :, n], is_there, strict=True)]
            truth = [float(right[who, at, n]) if (name, side, item) in drawn else None for at, side in enumerate(SIDES)]
            for at, side in enumerate(SIDES):
                rows.append(row_of(name, item, side, MEASURE, said[at] or 0.0, is_there[at]) | {"truth": truth[at]})
            pool = " ".join([CATEGORY[item], *(side for side, own in zip(SIDES, is_there, strict=True) if own)])
            scales = VERDICT, VERDICT
            row = row_of(name, item, SIDES[-1], BOTH.measure, least(BOTH, said, scales), all(is_there))
            rows.append(row | {"pool": pool} | of_both(BOTH, is_there, truth, scales))
    return rows


def row_of(contestant: str, item: str, side: str, measure: str, value: float, is_there: bool) -> Row:
    """Return the score of an answer; of one that is missing the lowest."""
    return {
        "contestant": contestant,
        "item": item,
        "sample": 0,
        "stratum": CATEGORY[item],
        "pool": CATEGORY[item],
        "groups": [CATEGORY[item]],
        "side": side,
        "judge": "judge",
        "measure": measure,
        "value": value if is_there else None,
        "low": value,
        "high": value,
        "scored": int(is_there),
        "left_out": [] if is_there else ["answered.refused_generation"],
    }


def note(
    held: dict[str, list[bool]],
    widths: dict[str, list[float]],
    way: str,
    found: dict[str, Righted],
    order: Ranked,
    true: dict[str, dict[str, float]],
) -> None:
    """Note of each interval whether it holds the truth, and how wide it is."""
    for contestant, one in found.items():
        for name, (_, _, value, *_) in one.values.items():
            if value is not None and value.low is not None and value.high is not None:
                held[f"{way} {name}"].append(value.low <= true[contestant][name] <= value.high)
                widths[f"{way} {name}"].append(value.high - value.low)
    succ = {name: own["succ"] for name, own in true.items()}
    for first, second, _, ends in order.apart:
        if ends is not None:
            held[f"{way} differences"].append(ends.low <= succ[first] - succ[second] <= ends.high)
            widths[f"{way} differences"].append(ends.high - ends.low)
    if order.ranks:
        places = {name: 1 + sum(succ[name] < succ[other] for other in order.ranks) for name in order.ranks}
        held[f"{way} ranks"].append(all(best <= places[name] <= worst for name, (best, worst) in order.ranks.items()))


if __name__ == "__main__":
    main()
