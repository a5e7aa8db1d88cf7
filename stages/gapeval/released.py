"""GapEval's gap as the released code reckons it, and the points of its map of gaps (Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gamut.evaluation.scoring.estimates import rounded
from gamut.project.files import read_metrics, write_csv, write_json
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.fitting import released as fitted
from stages.gapeval.shared.fitting.bootstrap import joint_shares
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.metrics import BOTH_SETTINGS
from stages.gapeval.shared.parameters import Params

UND, GEN, GAP = "und", "gen", "gap"
SHARES = ("succ", UND, GEN)
"""Shares right in both settings, in words, as a picture, in percent."""
MAP_COLUMNS = ("judge", "contestant", "category", UND, GEN, GAP)
"""The columns of gap_map.csv, which `dvc plots` draws (Fig. 3)."""
Values = Mapping[tuple[str, str], float]
"""What is known of one contestant, by category and score."""


def released(params: Params) -> None:
    judges, folder = params.gapeval.judges, GAPEVAL.metrics_folder(params)
    values = {judge: values_by_contestant(params, judge) for judge in judges}
    write_csv(
        folder / "gap_map.csv", MAP_COLUMNS, (point for judge in judges for point in map_points(judge, values[judge]))
    )
    by_release = {f"{judge}.{key}": one for judge in judges for key, one in released_gaps(values[judge])}
    write_json(folder / "released.json", by_release)
    print(f"{GAPEVAL.name}.board: gap_map.csv and released.json are in {folder}")


def values_by_contestant(params: Params, judge: str) -> dict[str, Values]:
    """Return of each contestant what a judge says across both settings."""
    values: dict[str, Values] = {}
    for name in params.gapeval.contestants:
        path = GAPEVAL.metrics_of(params, name)
        metrics = read_metrics(path, beside=str) if path.exists() else {}
        keys = {(of, score): f"{BOTH_SETTINGS}.{judge}.{of}.{score}" for of in CATEGORIES for score in (*SHARES, GAP)}
        values[name] = {place: metrics[key] for place, key in keys.items() if key in metrics}
    return values


def map_points(judge: str, by_contestant: Mapping[str, Values]) -> Iterator[tuple[object, ...]]:
    """Yield a row of MAP for each contestant and category with both scores and a gap."""
    for name, values in by_contestant.items():
        for category in CATEGORIES:
            own = [values[category, score] for score in (UND, GEN, GAP) if (category, score) in values]
            if len(own) == 3:
                yield judge, name, category, *own


def released_gaps(by_contestant: Mapping[str, Values]) -> Iterator[tuple[str, float]]:
    """Yield released gaps, 0..100, by category and `overall`, and the `place`: the paper ranks the lowest first.

    Who has no score in some category is left out.
    """
    needed = [(category, score) for category in CATEGORIES for score in SHARES]
    complete = {name: values for name, values in by_contestant.items() if values.keys() >= {*needed}}
    if not complete:
        return
    shares = np.array([[values[place] for place in needed] for values in complete.values()]) / 100
    both, text, picture = np.moveaxis(shares.reshape(len(complete), len(CATEGORIES), len(SHARES)), -1, 0)
    gaps = 100 * fitted.released_gap(joint_shares(both, text, picture))
    overall = gaps.mean(axis=1)
    for name, own, mean in zip(complete, gaps.tolist(), overall.tolist(), strict=True):
        yield from ((f"{name}.{category}", rounded(one)) for category, one in zip(CATEGORIES, own, strict=True))
        yield f"{name}.overall", rounded(mean)
        yield f"{name}.place", 1 + int((overall < mean).sum())
