"""The pages of comparisons: one a pair of contestants, with what `gamut compare` says of them and the items that decide
most first, and one from which a pair is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gamut.asking.progress import Pace
from gamut.evaluation.defining.measures import Linear, Metric
from gamut.evaluation.scoring.pairwise import (
    Comparison,
    Entrant,
    EntrantScores,
    comparisons,
    difference_values,
    item_contributions,
    most_moved_items,
    read_entrant_scores,
    scores_in_words,
)
from gamut.project.errors import UserError
from gamut.project.plain_text import signed_decimals
from gamut.report.benchmarks.results import Results, board_anchor, is_trusted
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import address, make_visible

MOST_ITEMS = 50
"""Items that a page names of each board."""
SURE_BELOW = 0.05
"""An adjusted p below it is no chance."""


class DecidingItem(NamedTuple):
    """An item that two differ in. `added`: what it makes of the difference; `scores`: in words, what counts of it."""

    item: str
    href: str
    added: str
    scores: str


class Section(NamedTuple):
    """Two in a metric by a judge. `furthest`: how far bars go to either side; `adds`: whether items add up."""

    anchor: str
    metric: Metric
    judge: str
    trusted: bool
    key: str
    differences: Sequence[dict[str, Any]]
    furthest: float
    adds: bool
    deciding: Sequence[DecidingItem]
    moving: int


class Pair(NamedTuple):
    """Two entrants; `ranks`: by metric and judge the difference in what ranks."""

    first: str
    second: str
    path: str
    ranks: dict[tuple[str, str], dict[str, Any]]


def write_comparisons(folder: Folder, results: Results) -> None:
    scored = [scores_or_why(results, Entrant(name)) for name in results.contestants]
    two = [*combinations(scored, 2)]
    pace, pairs = Pace(f"{results.name}.pages", len(two), "comparisons"), list[Pair]()
    for one in two:
        pairs.append(write_pair(folder, results, *one))
        pace.moved()
    there = {place for pair in pairs for place in pair.ranks}
    every = [(metric, judge) for metric in results.metrics for judge in metric.boards_by(results.judges)]
    boards = [(metric, judge) for metric, judge in every if (metric.name, judge) in there]
    write_page(
        folder,
        "comparisons.html",
        "comparisons.html",
        f"{results.benchmark.title}: comparisons",
        "comparisons",
        results=results,
        boards=boards,
        failed=[(metric.name, judge) for metric, judge in boards if not is_trusted(results.board, metric.name, judge)],
        pairs={(pair.first, pair.second): pair for pair in pairs},
        sure=SURE_BELOW,
    )


ScoredOrReason = EntrantScores | tuple[Entrant, str]
"""What an entrant scored, or why that is not known."""


def scores_or_why(results: Results, entrant: Entrant) -> ScoredOrReason:
    try:
        return read_entrant_scores(entrant, results.benchmark, results.params)
    except UserError as error:
        return entrant, str(error)


def write_pair(folder: Folder, results: Results, first: ScoredOrReason, second: ScoredOrReason) -> Pair:
    names = [str(known.entrant if isinstance(known, EntrantScores) else known[0]) for known in (first, second)]
    path = f"comparisons/{'--'.join(map(address, names))}.html"
    unknown = [known[1] for known in (first, second) if not isinstance(known, EntrantScores)]
    refused = [f"{results.benchmark.title}: not compared: {why}" for why in unknown]
    sections = []
    if isinstance(first, EntrantScores) and isinstance(second, EntrantScores):
        for one in comparisons(results.benchmark, results.metrics, first, second, results.params.seed):
            if isinstance(one, str):
                refused.append(one)
            else:
                sections.append(section_of(results, one, first, second))
    values = {"results": results, "names": names, "sections": sections, "refused": refused, "most": MOST_ITEMS}
    title = f"{' and '.join(names)}: {results.benchmark.title}"
    write_page(folder, path, "comparison.html", title, "comparisons", **values)
    ranks = {
        (section.metric.name, section.judge): section.differences[0] | {"key": section.key}
        for section in sections
        if section.differences[0]["name"] == section.metric.shown[0]
    }
    return Pair(names[0], names[1], path, ranks)


def section_of(results: Results, comparison: Comparison, first: EntrantScores, second: EntrantScores) -> Section:
    place = comparison.metric, comparison.judge
    metric = next(metric for metric in results.metrics if metric.name == comparison.metric)
    ends = [abs(end) for found in comparison.differences for end in (found.difference, found.low, found.high) if end]
    reported = metric.reported[comparison.differences[0].name]
    deciding = [
        DecidingItem(
            make_visible(moved.item),
            f"../items/{address(moved.item)}.html#{address(moved.setting)}",
            signed_decimals(moved.added, 3),
            scores_in_words(moved),
        )
        for moved in most_moved_items(metric, comparison, first.laid[place], second.laid[place], MOST_ITEMS)
    ]
    return Section(
        anchor=board_anchor(*place),
        metric=metric,
        judge=comparison.judge,
        trusted=comparison.trusted,
        key=f"{comparison.first}.{comparison.second}.{comparison.metric}.{comparison.judge}.",
        differences=[difference_values(found) for found in comparison.differences],
        furthest=max(ends, default=1.0),
        adds=isinstance(reported, Linear),
        deciding=deciding,
        moving=int(np.count_nonzero(item_contributions(comparison))),
    )
