"""Labels left blank for what they would say: how often corrected intervals hold the truth, and what is suggested then.

    python bench/blanks.py                         # 300 boards and calibrations a way: a quarter of an hour
    python bench/blanks.py --boards 3 --calibrations 20

Boards, judges and 200 labels a board are those of bench/corrected_boards.py; ways to leave some of them blank: `bad`,
all that are worth less than 4 of 10, or wrong; `bad of one`, the same of the best contestant alone; `good of one`, what
is not bad of the worst; `half`, by lot. `means`, `differences` and `ranks` are shares of intervals that hold the truth,
`width` is the mean width of means beside that where nothing is left blank, and `means_by_chance` the share that held
it if what is blank were left out, as if chance had left it. Of 300 boards each means hold in .960 to 1.000 where some
are blank (.942 and .954 where none are), differences in .969 to 1.000, ranks in all; by chance .081 to .943 do.

Calibrations are those of bench/calibration.py by 400 labels, in its tables and in one where .845 of what is rejected
is faulty (`poor`): `against`, blank where a label speaks against today's threshold; `half`, by lot. `by_chance` has the
shares suggested and wrong if what is blank were left out. Of 300 each `against` suggests as often as all labels do,
and as often wrongly (in no table but `steps` and, where no recall is asked for, `traps` and `2 % faulty`: .003 to .01);
by chance it always suggests, in five of six tables wrongly. The last line is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from bench.calibration import NOW, ROWS, compared, halves, truth, worlds
from bench.corrected_boards import EASE, ITEMS, LEVELS, MEASURES, SIDE, STRATA, WORLDS, board, note, worth
from stages.dataset.calibration.bounds import Floats
from stages.dataset.calibration.labels import BAD, BLANK, GOOD
from stages.dataset.calibration.operating_points import THRESHOLDS
from stages.evaluation.defining.measures import Scale, averages, ends_of
from stages.evaluation.scoring.board import Layout
from stages.evaluation.scoring.corrected import ranked, righted
from stages.evaluation.scoring.labelled_scores import at_both_ends, scores_put_right
from stages.tables.columns import Row

LABELS, ROW_LABELS = 200, 400
WRONG = "below_precision_any_recall"
BEST, WORST = max(LEVELS, key=lambda name: LEVELS[name]), min(LEVELS, key=lambda name: LEVELS[name])
SKIPS: dict[str, Callable[[str, bool, float], bool]] = {
    "none": lambda name, bad, lot: False,
    "bad": lambda name, bad, lot: bad,
    "bad of one": lambda name, bad, lot: bad and name == BEST,
    "good of one": lambda name, bad, lot: not bad and name == WORST,
    "half": lambda name, bad, lot: lot < 0.5,
}
"""Whether a label is left blank, by the contestant, whether the answer is bad, and a lot."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--calibrations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    figures: dict[str, object] = {"boards": options.boards, "calibrations": options.calibrations}
    for world, scale in WORLDS.items():
        true, whole = worth(scale), None
        for way in SKIPS:
            found = of_boards(scale, true, way, options.boards, options.seed)
            whole = whole or found["width"]
            found["width"] /= whole
            figures[f"{world}, {way}"] = told = {name: round(one, 4) for name, one in found.items()}
            print(f"{world}, {way}: {told}", flush=True)
    for number, (world, rows) in enumerate((worlds() | {"poor": poor()}).items()):
        for way in ("none", "against", "half"):
            known, by_chance = (
                of_calibrations(rows, way, as_blank, options.calibrations, [options.seed, number])
                for as_blank in (True, False)
            )
            by_chance = {name: by_chance[name] for name in ("precision", "suggests_any_recall", WRONG)}
            figures[f"{world}, {way}"] = told = known | {"by_chance": by_chance}
            print(f"{world}, {way}: {told}", flush=True)
    print(json.dumps(figures))


def of_boards(scale: Scale, true: dict[str, float], way: str, boards: int, seed: int) -> dict[str, float]:
    """Return how often intervals hold the truth, and how wide they are, where labels are left blank."""
    scales = dict.fromkeys(MEASURES, scale)
    view = averages(SIDE, tuple(EASE), scales)
    layout = Layout(ITEMS, STRATA, view, ends_of(view, scales), seed)
    held, widths = defaultdict[str, list[bool]](list), defaultdict[str, list[float]](list)
    for number in range(boards):
        rows = board(np.random.default_rng([seed, number]), LABELS, number, scale)
        random = np.random.default_rng([seed, number, 1])
        rows = [skipped(row, way, scale, random.random()) for row in rows]
        without = [row | {"blank": None} for row in rows]
        for told, of_way in (("by_chance", [without]), ("blank", at_both_ends(rows))):
            right, *ends = (scores_put_right(one, scales) for one in of_way)
            found = {name: righted(own, layout, (), [one[name] for one in ends]) for name, own in right.items()}
            note(held, widths, told, found, ranked(found, layout), true)
    shares = {name: float(np.mean(held[f"blank {name}"])) for name in ("means", "differences", "ranks")}
    return shares | {
        "width": float(np.mean(widths["blank means"])),
        "means_by_chance": float(np.mean(held["by_chance means"])),
    }


def skipped(row: Row, way: str, scale: Scale, lot: float) -> Row:
    """Return an answer whose label may be left blank."""
    bad = row["truth"] is not None and row["truth"] < 0.4 * scale.highest
    if row["truth"] is None or not SKIPS[way](row["contestant"], bad, lot):
        return row
    return row | {"truth": None, "blank": scale}


def of_calibrations(rows: Floats, way: str, as_blank: bool, count: int, seed: list[int]) -> dict[str, float]:
    """Return how often bounds hold the truth and suggestions are right, where labels are left blank."""
    random = np.random.default_rng(seed)
    told = halves(rows, ROW_LABELS, count, random, partial(left, way=way, random=random, as_blank=as_blank))
    return compared(told, *truth(rows))


def poor() -> Floats:
    """Return a table of which today's threshold rejects 10 %, of which .845 are faulty, and overlooks 1 %."""
    rows = np.zeros((2, len(THRESHOLDS)))
    rows[BAD, :NOW], rows[GOOD, :NOW] = 0.0845 * ROWS / NOW, 0.0155 * ROWS / NOW
    rows[BAD, NOW:], rows[GOOD, NOW:] = 0.01 * ROWS / 5, 0.89 * ROWS / 5
    return rows.round()


def left(counts: Floats, way: str, random: np.random.Generator, as_blank: bool) -> Floats:
    """Return counted labels, (…, strata, kinds, scores), without those that are left blank: `as_blank` counts these."""
    gone = np.zeros_like(counts)
    if way == "against":
        gone[..., 0, GOOD, :], gone[..., 1, BAD, :] = counts[..., 0, GOOD, :], counts[..., 1, BAD, :]
    elif way == "half":
        gone = random.binomial(counts.astype(np.int64), 0.5).astype(np.float64)
    found = counts - gone
    if as_blank:
        found[..., BLANK, :] += gone.sum(axis=-2)
    return found


if __name__ == "__main__":
    main()
