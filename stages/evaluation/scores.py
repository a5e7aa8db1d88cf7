"""From observations to scores of items: one row an item, side, judge and measure, and why some have no value.

No failure becomes a score: an item that was not answered, or an answer that was not judged, has a status instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stages.tables import Row

SCHEMA = pa.schema(
    [
        pa.field("item", pa.string()),
        pa.field("stratum", pa.string()),
        pa.field("side", pa.string()),
        pa.field("judge", pa.string()),
        pa.field("measure", pa.string()),
        pa.field("answered", pa.string()),
        pa.field("judged", pa.string()),
        pa.field("value", pa.float64()),
    ]
)
"""`answered`: the answer's status. `judged`: the status of its observation, null where there was nothing to observe.
`value`: the mean over samples, parts and repeats that have one; null where none has."""


def item_scores(
    answers: Iterable[Row],
    observations: Mapping[str, Iterable[Row]],
    strata: Mapping[str, str],
    measures: Sequence[str],
) -> list[Row]:
    """The scores of one contestant, in the order of its answers.

    `observations` by judge; their `question` names the measure. `strata` has the stratum of every item. Of several
    samples, parts or repeats those with a value count alike; a status other than `ok` is the first of those without.
    """
    answered: dict[tuple[str, str], list[str]] = {}
    for row in answers:
        answered.setdefault((row["side"], row["item"]), []).append(row["status"])
    found: list[Row] = []
    for judge, rows in observations.items():
        values: dict[tuple[str, str, str], list[float]] = {}
        failed: dict[tuple[str, str, str], str] = {}
        for row in rows:
            key = row["side"], row["item"], row["question"]
            if row["status"] == "ok":
                values.setdefault(key, []).append(row["value"])
            else:
                failed.setdefault(key, row["status"])
        for (side, item), statuses in answered.items():
            for measure in measures:
                key = side, item, measure
                value = fmean(values[key]) if key in values else None
                found.append(
                    {
                        "item": item,
                        "stratum": strata[item],
                        "side": side,
                        "judge": judge,
                        "measure": measure,
                        "answered": "ok" if "ok" in statuses else statuses[0],
                        "judged": "ok" if value is not None else failed.get(key),
                        "value": value,
                    }
                )
    return found


def by_side_and_judge(scores: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Scores by side and judge, in their order."""
    found: dict[tuple[str, str], list[Row]] = {}
    for score in scores:
        found.setdefault((score["side"], score["judge"]), []).append(score)
    return found


def coverage(scores: Sequence[Row]) -> float:
    """The share of scores that have a value, 0..1; of none at all 0."""
    return sum(score["value"] is not None for score in scores) / max(1, len(scores))


def left_out(scores: Iterable[Row]) -> dict[str, int]:
    """How many scores have no value: `answered.<status>` is the contestant's status, `judged.<status>` the judge's."""
    counts = Counter(
        f"judged.{score['judged']}" if score["answered"] == "ok" else f"answered.{score['answered']}"
        for score in scores
        if score["value"] is None
    )
    return dict(sorted(counts.items()))


def score_matrix(
    scores: Iterable[Row], items: Sequence[str], columns: Sequence[tuple[str, str]]
) -> NDArray[np.float64]:
    """Scores laid out as (items, columns), NaN where there is none; a column is a (stratum, measure)."""
    row_of = {item: number for number, item in enumerate(items)}
    column_of = {column: number for number, column in enumerate(columns)}
    matrix = np.full((len(items), len(columns)), np.nan)
    for score in scores:
        if score["value"] is not None:
            matrix[row_of[score["item"]], column_of[score["stratum"], score["measure"]]] = score["value"]
    return matrix
