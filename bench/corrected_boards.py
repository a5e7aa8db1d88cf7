"""Boards by a judge that errs, corrected by people: how often intervals hold the truth, and how wide they are.

    python bench/corrected_boards.py               # 1,000 boards for each number of labels: some minutes
    python bench/corrected_boards.py --boards 10 --labels 50

A board has three contestants with 200 items in four strata, some easier than others, and two measures of 0 to 10. The
judge is .5 to 2 points off, each time anew, otherwise in each contestant, measure and stratum, and noisy by a point on
top; 2 % of answers are not there. So many labels in all are drawn as `gamut label` draws them; the truth is what all
answers to such items are worth on average. `raw`: as the judge has it; `corrected`; `labels`: by labels alone, the same
estimate of a judge that says the same of all. Means: overall, of each contestant; differences: of each two of them;
ranks: all three intervals of ranks hold.

The last line is JSON: of each number of labels the share of intervals that hold the truth, their mean width as a share
of that by labels alone, and of how many contestants nothing is told, having fewer than ten labels.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.labelling.drawing import Given, draw
from stages.evaluation.defining.measures import Scale, averages, ends_of
from stages.evaluation.scoring.board import Layout, gaps
from stages.evaluation.scoring.corrected import Ranked, Righted, ranked, righted, scores_put_right
from stages.evaluation.scoring.statistics.inference import interval
from stages.tables.columns import Row

Floats = NDArray[np.float64]
SIDE, MEASURES = "en", {"alignment": Scale(0, 10), "aesthetic": Scale(0, 10)}
EASE, SIZES = {"text": -1.5, "style": 0.0, "entity": 0.5, "composition": 1.0}, (30, 40, 60, 70)
LEVELS = {"careful": 6.5, "average": 6.0, "hasty": 4.5}
"""What answers of contestants are worth, in points, to items of no ease."""
VIEW = averages(SIDE, tuple(EASE), MEASURES)
ITEMS = [f"{stratum}-{n}" for stratum, size in zip(EASE, SIZES, strict=True) for n in range(size)]
STRATUM = {item: item.partition("-")[0] for item in ITEMS}
STRATA = np.repeat(np.arange(len(SIZES)), SIZES)
MISSING = 0.02
PAIRS = [*combinations(sorted(LEVELS), 2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=1_000)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    layout = Layout(ITEMS, STRATA, VIEW, ends_of(VIEW, MEASURES), options.seed)
    true = worth()
    figures: dict[str, object] = {"boards": options.boards}
    for labels in options.labels:
        held, widths = defaultdict[str, list[bool]](list), defaultdict[str, list[float]](list)
        untold = 0
        for number in range(options.boards):
            rows = board(np.random.default_rng([options.seed, number]), labels, number)
            told = {"corrected": people(rows, layout), "labels": people([silent(row) for row in rows], layout)}
            untold += sum(one.values["overall"].value is None for one in told["corrected"][0].values())
            for way, (of_each, order) in told.items():
                note(held, widths, way, of_each, order, true)
            note_raw(held, told["corrected"][0], layout, true)
        found: dict[str, float] = {name: float(np.mean(those)) for name, those in held.items()}
        for what in ("means", "differences"):
            found[f"width of {what}"] = float(np.mean(widths[f"corrected {what}"]) / np.mean(widths[f"labels {what}"]))
        figures[f"{labels} labels"] = found = {name: round(one, 4) for name, one in found.items()} | {"untold": untold}
        print(f"{labels} labels: {found}", flush=True)
    print(json.dumps(figures))


def scores(random: np.random.Generator, sizes: Sequence[int]) -> Floats:
    """Return what answers are worth, of shape (contestants, measures, items): items are hard for all."""
    ease = np.repeat([*EASE.values()], sizes) + random.normal(0, 1, sum(sizes))
    levels = np.array([*LEVELS.values()])[:, None, None]
    spread = random.normal(0, 1.5, (len(LEVELS), len(MEASURES), sum(sizes)))
    return np.clip(np.round((levels + ease + spread) * 2) / 2, 0, 10)


def worth() -> dict[str, float]:
    """Return what contestants are worth overall, 0..100, over very many answers, of which some are not there."""
    many = scores(np.random.default_rng(0), [250_000] * len(EASE))
    return dict(zip(LEVELS, (10 * (1 - MISSING) * many.mean(axis=(1, 2))).tolist(), strict=True))


def board(random: np.random.Generator, labels: int, seed: int) -> list[Row]:
    """Return all answers with what the judge says, and people of those that were drawn."""
    truths = scores(random, SIZES)
    shape = len(LEVELS), len(MEASURES), len(SIZES)
    off = random.uniform(0.5, 2, shape) * random.choice([-1, 1], (len(LEVELS), 1, 1))
    words = np.clip(np.round(truths + np.repeat(off, SIZES, axis=2) + random.normal(0, 1, truths.shape)), 0, 10)
    there = random.random((len(LEVELS), len(ITEMS))) >= MISSING
    answers = [
        Given(name, item, SIDE, 0, "")
        for name, of_name in zip(LEVELS, there, strict=True)
        for item, is_there in zip(ITEMS, of_name, strict=True)
        if is_there
    ]
    drawn = {(one.contestant, one.item) for one in draw(answers, STRATUM, 1, seed, labels)}
    return [
        {
            "contestant": name,
            "item": item,
            "sample": 0,
            "stratum": STRATUM[item],
            "pool": STRATUM[item],
            "groups": [STRATUM[item]],
            "side": SIDE,
            "judge": "judge",
            "measure": measure,
            "value": float(words[who, what, place]) if is_there else None,
            "low": float(words[who, what, place]) if is_there else 0.0,
            "high": float(words[who, what, place]) if is_there else 0.0,
            "scored": int(is_there),
            "left_out": [] if is_there else ["answered.refused"],
            "truth": float(truths[who, what, place]) if (name, item) in drawn else None,
        }
        for who, name in enumerate(LEVELS)
        for what, measure in enumerate(MEASURES)
        for place, (item, is_there) in enumerate(zip(ITEMS, there[who].tolist(), strict=True))
    ]


def silent(row: Row) -> Row:
    """Return a row of a judge that says the same of every answer."""
    return row | {"low": 0.0, "high": 0.0}


def people(rows: Sequence[Row], layout: Layout) -> tuple[dict[str, Righted], Ranked]:
    """Return values and ranks by people and judge."""
    found = {name: righted(own, layout) for name, own in scores_put_right(rows, MEASURES).items()}
    return found, ranked(found, layout)


def note(
    held: dict[str, list[bool]],
    widths: dict[str, list[float]],
    way: str,
    found: dict[str, Righted],
    order: Ranked,
    true: dict[str, float],
) -> None:
    """Note of each interval whether it holds the truth, and how wide it is."""
    for name, one in found.items():
        value = one.values["overall"].value
        if value is not None and value.low is not None and value.high is not None:
            held[f"{way} means"].append(value.low <= true[name] <= value.high)
            widths[f"{way} means"].append(value.high - value.low)
    for first, second, _, ends in order.apart:
        if ends is not None:
            held[f"{way} differences"].append(ends.low <= true[first] - true[second] <= ends.high)
            widths[f"{way} differences"].append(ends.high - ends.low)
    places = {name: 1 + sum(true[name] < true[other] for other in order.ranks) for name in order.ranks}
    held[f"{way} ranks"].append(all(best <= places[name] <= worst for name, (best, worst) in order.ranks.items()))


def note_raw(held: dict[str, list[bool]], found: dict[str, Righted], layout: Layout, true: dict[str, float]) -> None:
    """Note the same of intervals as the judge has them."""
    for name, one in found.items():
        _, low, high, _ = one.values["overall"].raw
        held["raw means"].append(low is not None and high is not None and low <= true[name] <= high)
    known, _ = gaps([found[name].raw for name in sorted(found)], layout)
    for (first, second), gap in zip(PAIRS, known, strict=True):
        ends = None if gap is None else interval(gap)
        held["raw differences"].append(ends is not None and ends.low <= true[first] - true[second] <= ends.high)


if __name__ == "__main__":
    main()
