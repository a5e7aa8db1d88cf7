"""Boards by a judge that errs, corrected by people: how often intervals hold the truth, and how wide they are.

    python bench/corrected_boards.py               # 1,000 boards for each number of labels: a quarter of an hour
    python bench/corrected_boards.py --boards 10 --labels 50 --worlds verdicts

A board has three contestants with 200 items in four strata, some easier than others, and two measures; 2 % of answers
are not there. `graded`: scores of 0 to 10. The judge is .5 to 2 points off, each time anew, otherwise in each
contestant, measure and stratum, and noisy by a point on top. `verdicts`: right or wrong, of which the judge turns round
2 to 15 %, otherwise in each contestant and measure, right ones and wrong ones. So many labels in all are drawn as
`gamut label` draws them; the truth is what all answers to such items are worth on average. `raw`: as the judge has it;
`corrected`; `labels`: by labels alone, the same estimate of a judge that says the same of all. Means: overall, of each
contestant; differences: of each two of them; ranks: all three intervals of ranks hold.

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

from gamut.evaluation.defining.measures import Scale, averages, ends_of
from gamut.evaluation.labelling.drawing import GivenAnswer, draw
from gamut.evaluation.scoring.board import Layout, pair_gaps
from gamut.evaluation.scoring.corrected import CorrectedMetric, CorrectedRanks, correct_metric, rank_corrected
from gamut.evaluation.scoring.prediction_powered import correct_scores
from gamut.evaluation.scoring.statistics.inference import interval
from gamut.tables.columns import Row

Floats = NDArray[np.float64]
SETTING, MEASURES = "en", ("alignment", "aesthetic")
WORLDS = {"graded": Scale(0, 10), "verdicts": Scale(0, 1)}
EASE, SIZES = {"text": -1.5, "style": 0.0, "entity": 0.5, "composition": 1.0}, (30, 40, 60, 70)
LEVELS = {"careful": 6.5, "average": 6.0, "hasty": 4.5}
"""What answers of contestants are worth, in points, to items of no ease."""
RIGHT = 3.5
"""Points above which an answer is right."""
ITEMS = [f"{stratum}-{n}" for stratum, size in zip(EASE, SIZES, strict=True) for n in range(size)]
STRATUM = {item: item.partition("-")[0] for item in ITEMS}
STRATA = np.repeat(np.arange(len(SIZES)), SIZES)
MISSING = 0.02
PAIRS = [*combinations(sorted(LEVELS), 2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=1_000)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=[*WORLDS])
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"boards": options.boards}
    for world in options.worlds:
        scale = WORLDS[world]
        scales = dict.fromkeys(MEASURES, scale)
        metric = averages(SETTING, tuple(EASE), scales)
        layout, true = Layout(ITEMS, STRATA, metric, ends_of(metric, scales), options.seed), worth(scale)
        for labels in options.labels:
            held, widths = defaultdict[str, list[bool]](list), defaultdict[str, list[float]](list)
            untold = 0
            for number in range(options.boards):
                rows = board(np.random.default_rng([options.seed, number]), labels, number, scale)
                right = correct_scores(rows, scales)
                told = {"corrected": right, "labels": correct_scores([silent(row) for row in rows], scales)}
                for way, by_name in told.items():
                    found = {name: correct_metric(own, layout) for name, own in by_name.items()}
                    note(held, widths, way, found, rank_corrected(found, layout), true)
                    untold += sum(way == "corrected" and one.values["overall"].value is None for one in found.values())
                note_raw(held, right, layout, true)
            shares = {name: float(np.mean(those)) for name, those in held.items()}
            for what in ("means", "differences"):
                both = (np.mean(widths[f"{way} {what}"]) for way in ("corrected", "labels"))
                shares[f"width of {what}"] = float(np.divide(*both))
            rounded = {name: round(one, 4) for name, one in shares.items()} | {"untold": untold}
            figures[f"{world}, {labels} labels"] = rounded
            print(f"{world}, {labels} labels: {rounded}", flush=True)
    print(json.dumps(figures))


def scores(random: np.random.Generator, sizes: Sequence[int], scale: Scale) -> Floats:
    """Return what answers are worth, of shape (contestants, measures, items): items are hard for all."""
    ease = np.repeat([*EASE.values()], sizes) + random.normal(0, 1, sum(sizes))
    levels = np.array([*LEVELS.values()])[:, None, None]
    points = levels + ease + random.normal(0, 1.5, (len(LEVELS), len(MEASURES), sum(sizes)))
    return np.clip(np.round(points * 2) / 2, *scale) if scale == WORLDS["graded"] else (points > RIGHT) * 1.0


def worth(scale: Scale) -> dict[str, float]:
    """Return what contestants are worth overall, 0..100, over very many answers, of which some are not there."""
    many = scores(np.random.default_rng(0), [250_000] * len(EASE), scale).mean(axis=(1, 2))
    return dict(zip(LEVELS, (100 / scale.highest * (1 - MISSING) * many).tolist(), strict=True))


def judged(random: np.random.Generator, truths: Floats, scale: Scale) -> Floats:
    """Return what the judge says."""
    if scale == WORLDS["graded"]:
        off = random.uniform(0.5, 2, (*truths.shape[:2], len(SIZES))) * random.choice([-1, 1], (len(LEVELS), 1, 1))
        return np.clip(np.round(truths + np.repeat(off, SIZES, axis=2) + random.normal(0, 1, truths.shape)), *scale)
    of_wrong, of_right = random.uniform(0.02, 0.15, (2, *truths.shape[:2], 1))
    return np.abs(truths - (random.random(truths.shape) < np.where(truths > 0, of_right, of_wrong)))


def board(random: np.random.Generator, labels: int, seed: int, scale: Scale) -> list[Row]:
    """Return all answers with what the judge says, and people of those that were drawn."""
    truths = scores(random, SIZES, scale)
    words = judged(random, truths, scale)
    there = random.random((len(LEVELS), len(ITEMS))) >= MISSING
    answers = [
        GivenAnswer(name, item, SETTING, 0, "")
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
            "setting": SETTING,
            "judge": "judge",
            "measure": measure,
            "value": float(words[who, what, place]) if is_there else None,
            "low": float(words[who, what, place]) if is_there else 0.0,
            "high": float(words[who, what, place]) if is_there else 0.0,
            "scored": int(is_there),
            "left_out": [] if is_there else ["answered.refused_generation"],
            "truth": float(truths[who, what, place]) if (name, item) in drawn else None,
        }
        for who, name in enumerate(LEVELS)
        for what, measure in enumerate(MEASURES)
        for place, (item, is_there) in enumerate(zip(ITEMS, there[who].tolist(), strict=True))
    ]


def silent(row: Row) -> Row:
    """Return a row of a judge that says the same of every answer."""
    return row | {"low": 0.0, "high": 0.0}


def note(
    held: dict[str, list[bool]],
    widths: dict[str, list[float]],
    way: str,
    found: dict[str, CorrectedMetric],
    order: CorrectedRanks,
    true: dict[str, float],
) -> None:
    """Note of each interval whether it holds the truth, and how wide it is."""
    for name, one in found.items():
        value = one.values["overall"].value
        if value is not None and value.low is not None and value.high is not None:
            held[f"{way} means"].append(value.low <= true[name] <= value.high)
            widths[f"{way} means"].append(value.high - value.low)
    for first, second, _, ends in order.gaps:
        if ends is not None:
            held[f"{way} differences"].append(ends.low <= true[first] - true[second] <= ends.high)
            widths[f"{way} differences"].append(ends.high - ends.low)
    places = {name: 1 + sum(true[name] < true[other] for other in order.ranks) for name in order.ranks}
    held[f"{way} ranks"].append(all(best <= places[name] <= worst for name, (best, worst) in order.ranks.items()))


def note_raw(held: dict[str, list[bool]], found: dict[str, list[Row]], layout: Layout, true: dict[str, float]) -> None:
    """Note the same of intervals as the judge has them."""
    for name, rows in found.items():
        _, low, high, _ = layout.estimates(rows)["overall"]
        held["raw means"].append(low is not None and high is not None and low <= true[name] <= high)
    known, _ = pair_gaps([layout.bounds(found[name]).low for name in sorted(found)], layout)
    for (first, second), gap in zip(PAIRS, known, strict=True):
        ends = None if gap is None else interval(gap)
        held["raw differences"].append(ends is not None and ends.low <= true[first] - true[second] <= ends.high)


if __name__ == "__main__":
    main()
