"""Scores put right: what one judge says of all answers, by what people say of some, answer by answer and then by item.

Labels are drawn within pools, in a setting in a stratum, whoever gave the answer: its chance is the share of its pool
that was drawn, also what was left blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.scores import JUDGED, NOT_ASKED
from gamut.evaluation.scoring.statistics.prediction_powered import correct_values, slope_of, unseen_share
from gamut.tables.columns import Row

NO_LABELS: Row = {"beyond": 0.0, "less": 0.0, "labels": 0, "there": 0, "missed": 0.0}
"""What labels add to the score of an answer that is not there."""


def blanks_at_both_ends(answers: Sequence[Row]) -> list[Sequence[Row]]:
    """Return answers as people labelled them and, where some are `blank`, with these at their least, then at their
    most.
    """
    if not any(row.get("blank") for row in answers):
        return [answers]
    ends = ([row | {"truth": row["blank"][end]} if row.get("blank") else row for row in answers] for end in (0, 1))
    return [answers, *ends]


def scores_put_right(answers: Iterable[Row], scales: Mapping[str, Scale]) -> dict[str, list[Row]]:
    """Return the scores by item of each contestant, put right, from all answers that one judge looked at, in any order.

    `answers`: a row an answer and measure with `contestant`, `sample`, the `pool` in which it could be drawn, `truth`
    and `blank`; of a joint score `tellable`. `right` stands for an item's truth (`put_right`); `beyond`, `less`: what
    labels add to that; `missed`: how far judge and people may differ, in points, where they never did.
    """
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(answers, key=lambda one: (one["contestant"], one["item"], one["setting"], one["sample"])):
        alike.setdefault((row["setting"], row["measure"]), []).append(row)
    of_item: dict[tuple[str, str, str, str], list[Row]] = {}
    for (setting, measure), rows in alike.items():
        for row, more in zip(rows, correct_measure(rows, scales[measure]), strict=True):
            of_item.setdefault((row["contestant"], row["item"], setting, measure), []).append(row | more)
    found: dict[str, list[Row]] = {}
    for (contestant, *_), rows in of_item.items():
        found.setdefault(contestant, []).append(merge_answers(rows))
    return found


def correct_measure(rows: Sequence[Row], scale: Scale) -> list[Row]:
    """Return what is put right of answers in one setting in one measure; the slope is that of all contestants."""
    there = np.array([row.get("tellable", can_be_judged(row)) for row in rows], np.bool_)
    told = [row["truth"] if own else None for row, own in zip(rows, there, strict=True)]
    truth = np.array([np.nan if one is None else one for one in told], np.float64)
    words = np.array([np.nan if row["low"] is None else row["low"] for row in rows], np.float64)
    pools, names = (np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("pool", "contestant"))
    labelled = there & ~np.isnan(truth)
    drawn = labelled | there & np.array([bool(row.get("blank")) for row in rows], np.bool_)
    chances = (np.bincount(pools, drawn) / np.maximum(1, np.bincount(pools, there)))[pools]
    drawable = there & (np.bincount(pools, labelled) > 0)[pools]
    found = [NO_LABELS | {"right": None if own else row["low"]} for row, own in zip(rows, there, strict=True)]
    if not drawable.any():
        return found
    slope = slope_of(words[drawable], truth[drawable], chances[drawable], names[drawable])
    for name in np.unique(names):
        own = np.flatnonzero(drawable & (names == name))
        if np.isnan(truth[own]).all():
            continue
        made = correct_values(words[own], truth[own], chances[own], slope)
        missed = unseen_share(words[own], truth[own], slope) * (scale.highest - scale.lowest)
        for place, right, beyond, less in zip(own, *(one.tolist() for one in made), strict=True):
            found[place] = {"right": right, "beyond": beyond, "less": less, "missed": missed, "there": 1}
            found[place]["labels"] = int(labelled[place])
    return found


def can_be_judged(row: Row) -> bool:
    """Return whether an answer has something that can be judged in the measure, whether or not somebody did."""
    return row["scored"] > 0 or any(why.startswith(JUDGED) for why in row["left_out"])


def merge_answers(rows: Sequence[Row]) -> Row:
    """Return the score of an item from those of its answers, each by how many judgments were expected of it."""
    counts = [row["scored"] + len(row["left_out"]) - row["left_out"].count(NOT_ASKED) for row in rows]
    counting = [(row, count / sum(counts)) for row, count in zip(rows, counts, strict=True) if count]

    def mean(name: str) -> float | None:
        values = [row[name] for row, _ in counting]
        return None if not values or None in values else sum(share * row[name] for row, share in counting)

    found = {name: mean(name) for name in ("low", "high", "right", "beyond", "less")}
    found |= {name: sum(row[name] for row in rows) for name in ("labels", "there", "scored")}
    left_out = [why for row in rows for why in row["left_out"]]
    return rows[0] | found | {"left_out": left_out, "missed": max(row["missed"] for row in rows)}
