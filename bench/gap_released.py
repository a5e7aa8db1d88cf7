"""The released gap: what it takes, what moves it, and how far it is from the published table.

    python bench/gap_released.py                   # every model of the table: two minutes
    python bench/gap_released.py --models 1

Of each model: the gaps as released and as printed, their spread, and how far 20,000 steps, double precision, and starts
shifted by a millionth move a cell. The last line is JSON, in points of 100: the mean absolute difference between print
and what the released algorithm gives for the shares that follow from print, of cells and of models' gaps; the share of
printed cells inside the spread; the largest move of a cell and of a model's gap by each of the three; and seconds for a
model without and with its spread.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import time

import numpy as np

from stages.gapeval.shared.fitting.released import STARTS, STEPS, STOPS, gaps, released, spread
from tests.gapeval.fitting.table_2 import PRINTED, printed_gaps, shares_of

FURTHEST = STOPS[STOPS.index(STEPS) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=len(PRINTED), help="the last so many of the table")
    parser.add_argument("--steps", type=int, choices=FURTHEST, default=FURTHEST[-1], help="how far fits go on")
    options = parser.parse_args()
    names = list(PRINTED)[-options.models :]
    started = time.perf_counter()
    released(shares_of(names[-1]))
    alone = time.perf_counter() - started
    started = time.perf_counter()
    spread(shares_of(names[-1]))
    with_spread = time.perf_counter() - started

    shares, stops = np.stack([shares_of(name) for name in names]), [stop for stop in STOPS if stop <= options.steps]
    after = {
        precision: 100 * gaps(shares, precision, STARTS, tuple(stops)).reshape(len(stops), STARTS, *shares.shape[:2])
        for precision in (np.float32, np.float64)
    }
    at = stops.index(STEPS)
    as_released = after[np.float32][at, 0]
    others = {
        "steps": after[np.float32][-1, :1],
        "precision": after[np.float64][at, :1],
        "start": after[np.float32][at],
    }
    low, high = (np.min, np.max)
    ends = [end([end(of, axis=(0, 1)) for of in after.values()], axis=0) for end in (low, high)]
    printed, of_models = np.split(np.stack([printed_gaps(name) for name in names]), [4], axis=1)
    for number, name in enumerate(names):
        print(f"{name}: released {as_released[number].round(2).tolist()}, printed {printed[number].tolist()}")
        print(f"  spread {ends[0][number].round(2).tolist()} to {ends[1][number].round(2).tolist()}")
        for what, of in others.items():
            moved = [float(end(of[:, number] - as_released[number])) for end in (low, high)]
            print(f"  {what}: moves a cell by {moved[0]:+.2f} to {moved[1]:+.2f}", flush=True)
    figures = {
        "from_print": np.abs(as_released - printed).mean(),
        "from_print_model": np.abs(as_released.mean(axis=1) - of_models[:, 0]).mean(),
        "cells_of_print_in_spread": ((ends[0] <= printed) & (printed <= ends[1])).mean() * 100,
        "seconds": alone,
        "seconds_with_spread": with_spread,
    }
    for what, of in others.items():
        figures[f"{what}_cell"] = np.abs(of - as_released).max()
        figures[f"{what}_model"] = np.abs((of - as_released).mean(axis=-1)).max()
    print(json.dumps({"models": len(names)} | {key: round(float(value), 2) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
