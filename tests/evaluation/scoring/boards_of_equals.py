"""Boards of equals, on which one hides its worst answers: what it gains by that.

All contestants are equally good; every board has items and luck of its own. One hides those of its answers that would
have the lowest scores: leaves them out, refuses them, delivers pictures that cannot be read, or such that the judge
cannot score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamut.evaluation.defining.measures import Place, Scale, averages, ends_of
from gamut.evaluation.scoring.board import Layout, Standing, rank_contestants
from gamut.evaluation.scoring.scores import item_scores
from gamut.tables.columns import Row

HIDDEN = 0.3
WAYS = {"missing": "missing_output", "refused": "refused_generation", "corrupt": "parse_error", "unjudged": "ok"}
"""The status of a hidden answer; where it is there, it is the judge who cannot score it."""
MEASURES = {"fit": Scale(0, 10)}
METRIC = averages("en", ("all",), MEASURES)


def rows_of(quality: np.ndarray, way: str | None) -> list[Row]:
    """The scores of one contestant, of whose answers the worst are hidden in some way."""
    items = [f"item{number}" for number in range(len(quality))]
    worst = np.argsort(quality, kind="stable")[: round(HIDDEN * len(quality))] if way else []
    hidden = {items[number] for number in worst}
    answers = [
        {"item": item, "setting": "en", "sample": 0, "replies": [{}]}
        | {"status": WAYS[way] if way and item in hidden else "ok"}
        for item in items
    ]
    observed = [
        {"item": item, "setting": "en", "sample": 0, "question": "fit"}
        | ({"value": None, "status": "refused_judge"} if item in hidden else {"value": float(value), "status": "ok"})
        for item, value in zip(items, quality, strict=True)
        if way in (None, "unjudged") or item not in hidden
    ]
    places = {item: Place("all", ("all",)) for item in items}
    return item_scores(answers, {"judge": observed}, places, lambda item, setting: {"fit": 1}, MEASURES)


def gained(before: Sequence[Standing], after: Sequence[Standing], name: str) -> bool:
    """Whether one stands better than before, by its best rank, its place or its group of ties."""
    places = []
    for board in (before, after):
        place, row = next((place, row) for place, row in enumerate(board) if row.name == name)
        places.append((row.rank, place, row.tie_group))
    (rank, place, group), (new_rank, new_place, new_group) = places
    assert rank is not None and group is not None
    if new_rank is None or new_group is None:
        return False
    return new_rank.best < rank.best or new_rank.worst < rank.worst or new_place < place or new_group < group


class Found(NamedTuple):
    """Of one way of hiding: on how many boards the hider gained, had no rank, and had the highest mean of what was
    scored, by which it stood first when refusals were left out.
    """

    gained: int
    unranked: int
    first_of_scored: int


def hiding(way: str, boards: Sequence[int], contestants: int, items: int) -> Found:
    """Let one hide its worst answers in some way, on boards of these seeds."""
    strata = np.zeros(items, np.int64)
    layout = Layout([f"item{n}" for n in range(items)], strata, METRIC, ends_of(METRIC, MEASURES), seed=0)
    found = np.zeros(3, int)
    for seed in boards:
        chance = np.random.default_rng(seed)
        quality = chance.normal(6, 1.5, items) + chance.normal(0, 1.5, (contestants, items))
        everybody = np.clip(np.rint(quality), 0, 10)
        shown = {f"equal_{n}": rows_of(one, None) for n, one in enumerate(everybody)}
        after = rank_contestants(shown | {"equal_0": rows_of(everybody[0], way)}, layout)
        hider = next(row for row in after if row.name == "equal_0")
        best = max(row.scored or 0 for row in after)
        found += [gained(rank_contestants(shown, layout), after, "equal_0"), hider.rank is None, hider.scored == best]
    return Found(*found.tolist())
