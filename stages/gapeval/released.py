"""GapEval's gap as the released code reckons it, and the points of its map of gaps (Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from stages.evaluation.scoring.estimates import Estimate, rounded
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.fitting import released as fitted
from stages.gapeval.shared.fitting.bootstrap import Floats, joint_shares
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.parameters import Params
from stages.gapeval.shared.views import BOTH_SIDES
from stages.project.files import read_metrics, write_csv, write_json

SUCC, UND, GEN, FAIL, GAP, DELTA = SCORES = ("succ", "und", "gen", "fail", "gap", "delta_theta")
"""Right on both sides, in words, as a picture, on neither, and the gap, in percent; Δθ in logits."""
OVERALL = "overall"
PLACES = (*CATEGORIES, OVERALL)
"""What a score is of: one category, or all of them together."""
Values = Mapping[tuple[str, str], Estimate]
"""What is known of one contestant, by place and score."""
MAP = ("judge", "contestant", "category", UND, GEN, GAP)
"""The columns of gap_map.csv, which `dvc plots` draws (Fig. 3)."""


def released(params: Params) -> None:
    judges, folder = params.gapeval.judges, GAPEVAL.metrics(params)
    values = {judge: values_by_contestant(params, judge) for judge in judges}
    write_csv(folder / "gap_map.csv", MAP, (point for judge in judges for point in points(judge, values[judge])))
    by_release = {f"{judge}.{key}": one for judge in judges for key, one in released_gaps(values[judge])}
    write_json(folder / "released.json", by_release)
    print(f"{GAPEVAL.name}.board: gap_map.csv and released.json are in {folder}")


def values_by_contestant(params: Params, judge: str) -> dict[str, Values]:
    """Return of each contestant what a judge says across both sides."""
    found: dict[str, Values] = {}
    for name in params.gapeval.contestants:
        path = GAPEVAL.metrics_of(params, name)
        metrics = read_metrics(path, beside=str) if path.exists() else {}
        both = [across_at(metrics, f"{BOTH_SIDES}.{judge}.", place) for place in PLACES]
        found[name] = {key: one for place in both for key, one in place.items() if one is not None}
    return found


def points(judge: str, by_contestant: Mapping[str, Values]) -> Iterator[tuple[object, ...]]:
    """Yield a row of MAP for each contestant and category with both scores and a gap."""
    for name, values in by_contestant.items():
        for category in CATEGORIES:
            own = [values[category, score].value for score in (UND, GEN, GAP) if (category, score) in values]
            if len(own) == 3:
                yield judge, name, category, *own


def released_gaps(by_contestant: Mapping[str, Values]) -> Iterator[tuple[str, float]]:
    """Yield released gaps, 0..100, by category and `overall`, and the `place`: the paper ranks the lowest first."""
    cells = {name: [cells_of(values, category) for category in CATEGORIES] for name, values in by_contestant.items()}
    whole = {name: own for name, own in cells.items() if all(one is not None for one in own)}
    if not whole:
        return
    found = 100 * fitted.released(np.array([*whole.values()], np.float64))
    overall = found.mean(axis=1)
    for name, own, mean in zip(whole, found.tolist(), overall.tolist(), strict=True):
        yield from ((f"{name}.{category}", rounded(one)) for category, one in zip(CATEGORIES, own, strict=True))
        yield f"{name}.overall", rounded(mean)
        yield f"{name}.place", 1 + int((overall < mean).sum())


def across_at(metrics: Mapping[str, float], start: str, place: str) -> dict[tuple[str, str], Estimate | None]:
    start = start if place == OVERALL else f"{start}{place}."
    return {(place, score): estimate(metrics, start + score) for score in SCORES}


def cells_of(values: Values, category: str) -> Floats | None:
    """Return the joint shares p11, p10, p01, p00 of a category, shape (4,); None where it has none."""
    right = [values.get((category, score)) for score in (SUCC, UND, GEN)]
    shares = [np.array(one.value / 100) for one in right if one is not None]
    return joint_shares(*shares) if len(shares) == len(right) else None


def estimate(metrics: Mapping[str, float], key: str) -> Estimate | None:
    if key not in metrics:
        return None
    return Estimate(metrics[key], metrics.get(f"{key}_lo"), metrics.get(f"{key}_hi"), int(metrics.get(f"{key}_n", 0)))
