"""What is told of GapEval's board beyond it: the released gap, and what the gap goes with (Table 3 and Fig. 7).

Contestants are the units, a handful: every correlation has an interval and its number, and fewer than four have none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from stages.evaluation.defining.boards import BOARDS, board_of, reason_of
from stages.evaluation.defining.parameters import TRIAL, Contestant
from stages.evaluation.scoring.estimates import Estimate, rounded
from stages.evaluation.scoring.statistics.correlation import (
    Scores,
    fisher_interval,
    pearson,
    spearman,
    spearman_interval,
)
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.fitting import released
from stages.gapeval.shared.fitting.bootstrap import Floats, joint_shares
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.parameters import Params
from stages.gapeval.shared.views import BOTH_SIDES
from stages.project.files import read_metrics, write_csv, write_json
from stages.project.stage import main

SUCC, UND, GEN, FAIL, GAP, DELTA = SCORES = ("succ", "und", "gen", "fail", "gap", "delta_theta")
"""Right on both sides, in words, as a picture, on neither, and the gap, in percent; Δθ in logits."""
OVERALL = "overall"
PLACES = (*CATEGORIES, OVERALL)
"""What a score is of: one category, or all of them together."""
Values = Mapping[tuple[str, str], Estimate]
"""What is known of one contestant, by place and score."""


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


SAID = f"{GAPEVAL.name}.report"
FEWEST = 4
"""Contestants: below, no correlation is told."""
STATISTICS: Mapping[str, tuple[Callable[[Scores, Scores], float], Callable[[float, int], tuple[float, float]]]]
STATISTICS = {"pearson": (pearson, fisher_interval), "spearman": (spearman, spearman_interval)}
RANKED, SCORED = ".rank_best", "_scored"
"""In a board's keys: who has a rank, and which value it is by."""
MAP = ("judge", "contestant", "category", UND, GEN, GAP)
"""The columns of gap_map.csv, which `dvc plots` draws (Fig. 3)."""
Board = Mapping[str, float]


class Related(NamedTuple):
    """What is told of so many contestants; empty where they are too few, without what is undefined."""

    n: int
    found: Mapping[str, Estimate]


def report(params: Params) -> None:
    judges, folder = params.gapeval.judges, GAPEVAL.metrics(params)
    board = read_metrics(folder / "board.json")
    values = {judge: values_by_contestant(params, judge) for judge in judges}
    write_csv(folder / "gap_map.csv", MAP, (point for judge in judges for point in points(judge, values[judge])))
    by_release = {f"{judge}.{key}": one for judge in judges for key, one in released_gaps(values[judge])}
    write_json(folder / "released.json", by_release)
    gaps_by = {judge: gaps(board, judge, params.contestants) for judge in judges}
    others = boards_of_others(params.contestants)
    found: dict[str, float] = {}
    for first, second in combinations(judges, 2):
        both = related(gaps_by[first], gaps_by[second])
        found |= told(f"judges.{first}.{second}", both)
        print(f"{SAID}: gaps by {first} and by {second}: {in_words(both)}")
    for judge in judges:
        if board.get(f"{BOTH_SIDES}.{judge}.{TRIAL}.passed") == 0:
            print(f"{SAID}: the gap by {judge}, which failed its trial, is held against no other board")
            continue
        for name, of_name in others.items():
            both = related(gaps_by[judge], of_name)
            found |= told(f"boards.{judge}.{name}", both)
            if both.n >= FEWEST:
                print(f"{SAID}: gap by {judge} with {name}: {in_words(both)}")
    write_json(folder / "relations.json", found)
    print(f"{SAID}: gap_map.csv, released.json and relations.json are in {folder}")


def values_by_contestant(params: Params, judge: str) -> dict[str, Values]:
    """Return of each contestant what a judge says across both sides."""
    found: dict[str, Values] = {}
    for name in params.contestants:
        path = GAPEVAL.metrics(params) / f"{name}.json"
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
    found = 100 * released.released(np.array([*whole.values()], np.float64))
    overall = found.mean(axis=1)
    for name, own, mean in zip(whole, found.tolist(), overall.tolist(), strict=True):
        yield from ((f"{name}.{category}", rounded(one)) for category, one in zip(CATEGORIES, own, strict=True))
        yield f"{name}.overall", rounded(mean)
        yield f"{name}.place", 1 + int((overall < mean).sum())


def gaps(board: Board, judge: str, contestants: Mapping[str, Contestant]) -> dict[str, float]:
    """Return overall gaps by a judge, without variants (not units of their own) and without whoever has no interval."""
    found = {name: estimate(board, f"{BOTH_SIDES}.{judge}.{name}.{GAP}") for name in contestants}
    return {
        name: one.value
        for name, one in found.items()
        if one is not None and one.low is not None and contestants[name].variant_of is None
    }


def boards_of_others(contestants: Collection[str]) -> dict[str, dict[str, float]]:
    """Return what ranks on every other board of the project."""
    others: dict[str, dict[str, float]] = {}
    for path in sorted(BOARDS.glob("*.json")):
        if path != board_of(GAPEVAL.name) and path != reason_of(path.name.partition(".")[0]):
            others |= ranking_values(read_metrics(path), contestants)
    return others


def ranking_values(board: Mapping[str, Any], contestants: Collection[str]) -> dict[str, dict[str, float]]:
    """Return by `<benchmark>.<edition>.<view>.<judge>.<value>` the value that ranks, of each contestant with a rank."""
    scored = [key.removesuffix(SCORED) for key in board if key.endswith(SCORED)]
    found: dict[str, dict[str, float]] = {}
    for start in (key.removesuffix(RANKED) for key in board if key.endswith(RANKED)):
        before, _, name = start.rpartition(".")
        for key in scored if name in contestants else ():
            if key.startswith(f"{start}.") and key in board:
                found.setdefault(before + key.removeprefix(start), {})[name] = float(board[key])
    return found


def related(first: Mapping[str, float], second: Mapping[str, float]) -> Related:
    both = [name for name in first if name in second]
    if len(both) < FEWEST:
        return Related(len(both), {})
    x, y = (np.array([values[name] for name in both], np.float64) for values in (first, second))
    found = {}
    for name, (statistic, interval) in STATISTICS.items():
        try:
            r = statistic(x, y)
        except ValueError:  # all alike on one side
            continue
        try:
            found[name] = Estimate(r, *interval(r, len(both)), len(both))
        except ValueError:  # an r of 1 or -1
            found[name] = Estimate(r, None, None, len(both))
    return Related(len(both), found)


def told(start: str, one: Related) -> dict[str, float]:
    """Return what is told under flat keys: how many contestants, each correlation, its ends."""
    ends = {
        f"{start}.{name}{end}": rounded(value)
        for name, found in one.found.items()
        for end, value in (("", found.value), ("_lo", found.low), ("_hi", found.high))
        if value is not None
    }
    return {f"{start}.contestants": one.n} | ends


def in_words(one: Related) -> str:
    if one.n < FEWEST:
        return f"not told of {one.n}, at least {FEWEST} contestants are wanted"
    if not one.found:
        return f"not told, all {one.n} contestants are alike in one of the two"
    said = [f"{name} {found.value:.2f}{ends_in_words(found)}" for name, found in one.found.items()]
    return f"{', '.join(said)}; {one.n} contestants"


def ends_in_words(found: Estimate) -> str:
    """Return the interval of a correlation in brackets, nothing where there is none."""
    return "" if found.low is None or found.high is None else f" ({found.low:.2f} to {found.high:.2f})"


if __name__ == "__main__":
    main("gapeval.report", report, Params)
