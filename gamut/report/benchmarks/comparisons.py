"""The pages of comparisons: one a pair of contestants, with what `gamut compare` says of them and the items that decide
most first, and one from which a pair is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gamut.asking.progress import Pace
from gamut.evaluation.defining.measures import Linear, Metric, Scale, ends_of, words_of
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.pairwise import (
    Comparison,
    Entrant,
    EntrantScores,
    MovedItem,
    comparisons,
    difference_values,
    item_contributions,
    most_moved_items,
    read_entrant_scores,
)
from gamut.evaluation.scoring.verdicts import Verdict, board_verdicts
from gamut.project.errors import UserError
from gamut.project.files import csv_text
from gamut.project.plain_text import signed_decimals
from gamut.report.benchmarks.boards import boards
from gamut.report.benchmarks.index import Index, ShownAnswer, shown_answer
from gamut.report.benchmarks.results import Results, board_anchor
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import address, make_visible

MOST_ITEMS = 50
"""Items that a page names of each board."""
ITEM_COLUMNS = ("metric", "judge", "item", "setting", "first", "second", "adds", "scores")
"""Of the file beside a pair's page; `first` and `second`: both scores of the item in a setting, 0..100."""
SURE_BELOW = 0.05
"""An adjusted p below it is no chance."""


class DecidingItem(NamedTuple):
    """An item that two differ in. `added`: what it makes of the difference; `scores`: in words, what counts of it;
    `answers`: of both, a setting each.
    """

    item: str
    href: str
    added: str
    scores: Sequence[str]
    answers: Sequence[tuple[str, Sequence[ShownAnswer | None]]]


class Section(NamedTuple):
    """Two in a metric by a judge. `furthest`: how far bars go to either side; `ends`: of what values can be; `adds`:
    whether items add up.
    """

    anchor: str
    metric: Metric
    judge: str
    trusted: bool
    verdict: Verdict
    key: str
    differences: Sequence[dict[str, Any]]
    furthest: float
    ends: dict[str, Scale]
    adds: bool
    deciding: Sequence[DecidingItem]
    moving: int


class Pair(NamedTuple):
    """Two entrants; `ranks`: by metric and judge the difference in what ranks."""

    first: str
    second: str
    path: str
    ranks: dict[tuple[str, str], dict[str, Any]]


def write_comparisons(folder: Folder, results: Results, index: Index) -> None:
    scored = {name: scores_or_why(results, name) for name in results.contestants}
    two = [*combinations(scored, 2)]
    pace, pairs = Pace(f"{results.name}.pages", len(two), "comparisons"), list[Pair]()
    for names in two:
        pairs.append(write_pair(folder, results, index, names, [scored[name] for name in names]))
        pace.moved()
    there = {place for pair in pairs for place in pair.ranks}
    places = [board for board in boards(results) if (board.metric.name, board.judge) in there]
    write_page(
        folder,
        "comparisons.html",
        "comparisons.html",
        f"{results.benchmark.title}: comparisons",
        "comparisons",
        results=results,
        boards=places,
        pairs={(pair.first, pair.second): pair for pair in pairs},
        sure=SURE_BELOW,
    )


def scores_or_why(results: Results, contestant: str) -> EntrantScores | str:
    """Return what a contestant scored, or why that is not known."""
    try:
        return read_entrant_scores(Entrant(contestant), results.benchmark, results.params)
    except UserError as error:
        return str(error)


def write_pair(
    folder: Folder, results: Results, index: Index, names: tuple[str, str], scored: Sequence[EntrantScores | str]
) -> Pair:
    start = f"comparisons/{'--'.join(map(address, names))}"
    path = f"{start}.html"
    refused = [f"{results.benchmark.title}: not compared: {why}" for why in scored if isinstance(why, str)]
    sections, (first, second) = list[Section](), scored
    metrics = {metric.name: metric for metric in results.metrics}
    if not isinstance(first, str) and not isinstance(second, str):
        found = list(comparisons(results.benchmark, results.metrics, first, second, results.params.seed))
        refused += [one for one in found if isinstance(one, str)]
        there = [one for one in found if not isinstance(one, str)]
        for one, verdict in zip(there, board_verdicts(there, metrics, results.params.seed), strict=True):
            sections.append(section_of(results, index, metrics[one.metric], one, verdict, first, second))
    sections.sort(key=lambda section: [*metrics].index(section.metric.name))  # of one metric in the order of judges
    items = [
        (section.metric.name, section.judge, one.item, setting, *map(csv_score, both), one.added, ", ".join(one.scores))
        for section in sections
        for one in section.deciding
        for setting, both in one.answers[:1]
    ]
    if items:
        folder.write(f"{start}.csv", csv_text(ITEM_COLUMNS, items))
    values = {"results": results, "names": names, "sections": sections, "refused": refused, "items": f"{start}.csv"}
    title = f"{' and '.join(names)}: {results.benchmark.title}"
    write_page(folder, path, "comparison.html", title, "comparisons", **values)
    ranks = {
        (section.metric.name, section.judge): section.differences[0] | {"key": section.key}
        for section in sections
        if section.differences[0]["name"] == section.metric.shown[0]
    }
    return Pair(*names, path, ranks)


def csv_score(answer: ShownAnswer | None) -> float | str:
    return "" if answer is None or answer.score is None else round_value(answer.score)


def section_of(
    results: Results,
    index: Index,
    metric: Metric,
    comparison: Comparison,
    verdict: Verdict,
    first: EntrantScores,
    second: EntrantScores,
) -> Section:
    place = comparison.metric, comparison.judge
    ends = [abs(end) for found in comparison.differences for end in (found.difference, found.low, found.high) if end]
    reported = metric.reported[comparison.differences[0].name]
    names = first.entrant.contestant, second.entrant.contestant
    deciding = [
        deciding_item(results, index, metric, comparison.judge, names, results.places[moved.item], moved)
        for moved in most_moved_items(metric, comparison, first.laid[place], second.laid[place], MOST_ITEMS)
    ]
    return Section(
        anchor=board_anchor(*place),
        metric=metric,
        judge=comparison.judge,
        trusted=comparison.trusted,
        verdict=verdict,
        key=f"{comparison.first}.{comparison.second}.{comparison.metric}.{comparison.judge}.",
        differences=[difference_values(found) for found in comparison.differences],
        furthest=max(ends, default=1.0),
        ends=ends_of(metric, results.benchmark.measures),
        adds=isinstance(reported, Linear),
        deciding=deciding,
        moving=int(np.count_nonzero(item_contributions(comparison))),
    )


def deciding_item(
    results: Results, index: Index, metric: Metric, judge: str, names: Sequence[str], place: int, moved: MovedItem
) -> DecidingItem:
    by = judge if judge in results.judges else results.judges[0]
    answers = [
        (setting, [shown_answer(results, index, place, setting, by, name) for name in names])
        for setting in dict.fromkeys((moved.setting, *metric.settings))
    ]
    answers = [(setting, both) for setting, both in answers if any(both)]
    return DecidingItem(
        make_visible(moved.item),
        f"../items/{address(moved.item)}.html#{address(moved.setting)}",
        signed_decimals(moved.added, 3),
        [words_of_score(results, *one) for one in moved.scores],
        answers,
    )


def words_of_score(results: Results, name: str, ours: float, theirs: float) -> str:
    """Return the scores of both in a measure, with the highest that it can be; `name`: behind its setting, if any."""
    setting, _, measure = name.rpartition(" ")
    said = f"{results.setting_words(setting)}: {words_of(measure)}" if setting else words_of(measure)
    return f"{said} {ours:.4g} → {theirs:.4g} of {results.benchmark.measures[measure].highest:g}"
