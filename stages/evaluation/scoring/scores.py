"""From observations to scores of items: one row an item, side, judge and measure, and why observations are missing.

No failure becomes a score: what was not answered, or not judged, is counted by its status instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stages.tables.columns import Row

SCHEMA = pa.schema(
    [
        pa.field("item", pa.string()),
        pa.field("stratum", pa.string()),
        pa.field("side", pa.string()),
        pa.field("judge", pa.string()),
        pa.field("measure", pa.string()),
        pa.field("spec", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("scored", pa.int32()),
        pa.field("left_out", pa.list_(pa.string())),
    ]
)
"""`spec` is the room's to fill: what the value depends on besides the contestant, as one hash. `value`: the mean over
the samples, parts and repeats that have one, null where none has. `scored`: how many have one. `left_out`: why each of
the others has none, `answered.<the answer's status>` or `judged.<the observation's>`."""


def item_scores(
    answers: Iterable[Row],
    observations: Mapping[str, Iterable[Row]],
    strata: Mapping[str, str],
    measures: Sequence[str],
    repeats: int,
) -> list[Row]:
    """Return the scores of one contestant, in the order of its answers, all columns but `spec`.

    `observations` by judge; their `question` names the measure. `strata` has the stratum of every item. Every measure
    of an answer was to be observed `repeats` times; without an answer so many are left out, and those of an answer that
    have no row are `judged.not_asked`.
    """
    answered: dict[tuple[str, str], list[str]] = {}
    for row in answers:
        answered.setdefault((row["side"], row["item"]), []).append(row["status"])
    found: list[Row] = []
    for judge, rows in observations.items():
        values: dict[tuple[str, str, str], list[float]] = {}
        failed: dict[tuple[str, str, str], list[str]] = {}
        for row in rows:
            key = row["side"], row["item"], row["question"]
            if row["status"] == "ok":
                values.setdefault(key, []).append(row["value"])
            else:
                failed.setdefault(key, []).append(f"judged.{row['status']}")
        for (side, item), statuses in answered.items():
            unanswered = [f"answered.{status}" for status in statuses if status != "ok" for _ in range(repeats)]
            expected = repeats * statuses.count("ok")
            for measure in measures:
                scores, unjudged = values.get((side, item, measure), []), failed.get((side, item, measure), [])
                not_asked = ["judged.not_asked"] * (expected - len(scores) - len(unjudged))
                found.append(
                    {
                        "item": item,
                        "stratum": strata[item],
                        "side": side,
                        "judge": judge,
                        "measure": measure,
                        "value": fmean(scores) if scores else None,
                        "scored": len(scores),
                        "left_out": [*unanswered, *unjudged, *not_asked],
                    }
                )
    return found


def by_side_and_judge(scores: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return scores by side and judge, in their order."""
    found: dict[tuple[str, str], list[Row]] = {}
    for score in scores:
        found.setdefault((score["side"], score["judge"]), []).append(score)
    return found


def coverage(scores: Sequence[Row]) -> float:
    """Return the share of observations that have a value, 0..1; of none at all 0."""
    there = sum(score["scored"] for score in scores)
    return there / max(1, there + sum(len(score["left_out"]) for score in scores))


def left_out(scores: Iterable[Row]) -> dict[str, int]:
    """Return how many observations have no value: `answered.<status>` is the contestant's status, `judged.<status>` the
    judge's.
    """
    return dict(sorted(Counter(chain.from_iterable(score["left_out"] for score in scores)).items()))


def score_matrix(
    scores: Iterable[Row], items: Sequence[str], columns: Sequence[tuple[str, str]]
) -> NDArray[np.float64]:
    """Return scores laid out as (items, columns), NaN where there is none; a column is a (stratum, measure)."""
    row_of = {item: number for number, item in enumerate(items)}
    column_of = {column: number for number, column in enumerate(columns)}
    matrix = np.full((len(items), len(columns)), np.nan)
    for score in scores:
        if score["value"] is not None:
            matrix[row_of[score["item"]], column_of[score["stratum"], score["measure"]]] = score["value"]
    return matrix
