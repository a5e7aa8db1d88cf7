"""A board once more without items that leaked: every contestant's first value, with all items and without these."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.measures import ends_of
from stages.evaluation.defining.parameters import Params
from stages.evaluation.scoring.board import Layout, Standing, rank_in_words, ranked
from stages.evaluation.scoring.estimates import rounded
from stages.evaluation.scoring.scores import by_view_and_judge
from stages.tables.columns import Row
from stages.tables.reading import manifest_path, read_rows

Boards = dict[str, dict[str, dict[str, Any]]]
"""By `<view>, <judge>` and contestant: what ranks, with all items and without those that leaked."""


def boards(benchmark: Benchmark[Any, Any], params: Params, version: str, leaked: Collection[str]) -> Boards | str:
    """Return the boards of an edition with all items and without those that leaked; in words why there are none."""
    block = benchmark.block(params)
    if block.edition != version:
        return f"params.yaml measures edition {block.edition} of {benchmark.name}, not {version}"
    there = [name for name in params.contestants if manifest_path(benchmark.scores / name).exists()]
    if not there:
        return "no contestant has scores here: `dvc repro` measures them, `dvc pull` brings them"
    items, views = benchmark.items(params), benchmark.views_of(params)
    kept = [item for item in items if str(item.id) not in leaked]
    tables = {name: list(read_rows(benchmark.scores / name)) for name in there}
    scored = {name: by_view_and_judge(rows, views, benchmark.joint) for name, rows in tables.items()}
    found: Boards = {}
    for view in views:
        for judge in view.boards_by(block.judged_by):
            own = {name: placed[view.name, judge] for name, placed in scored.items() if (view.name, judge) in placed}
            sides = []
            for some in (items, kept):
                ids = [str(item.id) for item in some]
                layout = Layout(
                    ids,
                    benchmark.strata_of(some) if some else np.zeros(0, np.int64),
                    view,
                    ends_of(view, benchmark.measures),
                    params.seed,
                    block.judge.max_unjudged,
                    benchmark.joint,
                )
                sides.append(standings(own, layout, ids) if some else {})
            if own:
                found[f"{view.name}, {judge}"] = {
                    name: {
                        "value": view.shown[0],
                        "with": told(sides[0].get(name), view.shown[0]),
                        "without": told(sides[1].get(name), view.shown[0]),
                    }
                    for name in sides[0]
                }
    return found


def standings(own: Mapping[str, list[Row]], layout: Layout, ids: Collection[str]) -> dict[str, Standing]:
    known = frozenset(ids)
    rows = {name: [row for row in scores if row["item"] in known] for name, scores in own.items()}
    return {one.name: one for one in ranked(rows, layout)}


def told(standing: Standing | None, value: str) -> dict[str, Any] | None:
    """Return what ranks of one contestant, with its interval, number of items and rank; None where it has none."""
    if standing is None or value not in standing.estimates:
        return None
    estimate = standing.estimates[value]
    low, high = (None if end is None else rounded(end) for end in (estimate.low, estimate.high))
    return {
        "estimate": rounded(estimate.value),
        "low": low,
        "high": high,
        "items": estimate.n,
        "rank": rank_in_words(standing) or None,
    }
