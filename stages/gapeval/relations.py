"""What GapEval's gap correlates with: the gaps by another judge, and ranking values on other boards (Table 3 and Fig.
7).

The units are contestants, only a few: every correlation has an interval and a number, with fewer than four none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from gamut.evaluation.boards.rank import pair_estimate
from gamut.evaluation.defining.parameters import VALIDATION, Contestant
from gamut.evaluation.scoring.estimates import Estimate, round_value
from gamut.evaluation.scoring.statistics.coefficients import fisher_interval, pearson, spearman, spearman_interval
from gamut.pipeline.entries import Entry, uncached_output
from gamut.project.files import read_metrics, write_json
from gamut.project.pipeline import BENCHMARKS, PIPELINE
from gamut.project.places import BOARDS, RELATIONS, reason_of
from gamut.project.stage import main
from stages.gapeval.shared.benchmark import GAPEVAL, Params
from stages.gapeval.shared.metrics import BOTH_SETTINGS

FILE = RELATIONS / "gapeval.json"
ENTRY = Entry(
    "relations",
    "stages.gapeval.relations",
    data=["datasets/boards", "metrics/gapeval/${gapeval.edition}"],
    params=["contestants", "gapeval.contestants", "gapeval.edition", "gapeval.judges"],
    outs=[uncached_output(str(FILE))],
    remark="A stage of its own, since it reads the boards of others",
)
LABEL = f"{GAPEVAL.name}.relations"
FEWEST = 4
"""Least number of contestants for a correlation."""
STATISTICS = {"pearson": (pearson, fisher_interval), "spearman": (spearman, spearman_interval)}
RANK_SUFFIX, SCORED_SUFFIX = ".rank_best", "_scored"
"""In a board's keys: which contestant has a rank, and by which value."""
Board = Mapping[str, float]


class Relation(NamedTuple):
    """Correlations over `n` contestants. None if there are too few. Undefined ones are left out."""

    n: int
    estimates: Mapping[str, Estimate]


def relations(params: Params) -> None:
    judges, folder = params.gapeval.judges, GAPEVAL.metrics_folder(params)
    board = read_metrics(folder / "board.json")
    measured = GAPEVAL.contestants(params)
    gaps_by = {judge: gaps(board, judge, measured) for judge in judges}
    others = boards_of_others(measured)
    values: dict[str, float] = {}
    for first, second in combinations(judges, 2):
        both = relate(gaps_by[first], gaps_by[second])
        values |= flat_values(f"judges.{first}.{second}", both)
        print(f"{LABEL}: gaps by {first} and {second}: {relation_text(both)}")
    for judge in judges:
        if board.get(f"{BOTH_SETTINGS}.{judge}.{VALIDATION}.passed") == 0:
            print(f"{LABEL}: the gap by {judge} is compared with no other board: {judge} failed its validation")
            continue
        for name, of_name in others.items():
            both = relate(gaps_by[judge], of_name)
            values |= flat_values(f"boards.{judge}.{name}", both)
            if both.n >= FEWEST:
                print(f"{LABEL}: gap by {judge} with {name}: {relation_text(both)}")
    write_json(FILE, values)
    print(f"{LABEL}: written into {FILE}")


def gaps(board: Board, judge: str, contestants: Mapping[str, Contestant]) -> dict[str, float]:
    """Return overall gaps by a judge, of contestants whose gap has an interval. Variants are not separate units."""
    keys = {name: f"{BOTH_SETTINGS}.{judge}.{name}.gap" for name, one in contestants.items() if one.variant_of is None}
    return {name: board[key] for name, key in keys.items() if key in board and f"{key}_lo" in board}


def boards_of_others(contestants: Collection[str]) -> dict[str, dict[str, float]]:
    """Return the ranking values of all other boards of the project. Boards of removed benchmarks are skipped."""
    others: dict[str, dict[str, float]] = {}
    for path in sorted(BOARDS.glob("*.json")):
        name = path.name.partition(".")[0]
        if name != GAPEVAL.name and path != reason_of(name) and (BENCHMARKS / name / PIPELINE).exists():
            others |= ranking_values(read_metrics(path), contestants)
    return others


def ranking_values(board: Mapping[str, Any], contestants: Collection[str]) -> dict[str, dict[str, float]]:
    """Return by `<benchmark>.<edition>.<metric>.<judge>.<value>` the ranking value of each contestant with a rank."""
    scored = [key.removesuffix(SCORED_SUFFIX) for key in board if key.endswith(SCORED_SUFFIX)]
    ranking: dict[str, dict[str, float]] = {}
    for start in (key.removesuffix(RANK_SUFFIX) for key in board if key.endswith(RANK_SUFFIX)):
        before, _, name = start.rpartition(".")
        for key in scored if name in contestants else ():
            if key.startswith(f"{start}.") and key in board:
                ranking.setdefault(before + key.removeprefix(start), {})[name] = float(board[key])
    return ranking


def relate(first: Mapping[str, float], second: Mapping[str, float]) -> Relation:
    both = [(first[name], second[name]) for name in first if name in second]
    if len(both) < FEWEST:
        return Relation(len(both), {})
    estimates = {name: pair_estimate(both, *how) for name, how in STATISTICS.items()}
    return Relation(len(both), {name: one for name, one in estimates.items() if one is not None})


def flat_values(start: str, relation: Relation) -> dict[str, float]:
    """Return flat keys of metrics: the number of contestants, each correlation, and its ends."""
    ends = {
        f"{start}.{name}{end}": round_value(value)
        for name, estimate in relation.estimates.items()
        for end, value in (("", estimate.value), ("_lo", estimate.low), ("_hi", estimate.high))
        if value is not None
    }
    return {f"{start}.contestants": relation.n} | ends


def relation_text(relation: Relation) -> str:
    if relation.n < FEWEST:
        return f"not reported for {relation.n}, at least {FEWEST} contestants are expected"
    if not relation.estimates:
        return f"not reported, all {relation.n} contestants are equal in one of the two"
    estimates = [f"{name} {one.value:.2f}{interval_text(one)}" for name, one in relation.estimates.items()]
    return f"{', '.join(estimates)}; {relation.n} contestants"


def interval_text(estimate: Estimate) -> str:
    return "" if estimate.low is None or estimate.high is None else f" ({estimate.low:.2f} to {estimate.high:.2f})"


if __name__ == "__main__":
    main("gapeval.relations", relations, Params, record=ENTRY.values(BENCHMARKS / GAPEVAL.name / PIPELINE))
