"""A board: contestants in order of one reported value, with the ranks that each may have and groups of ties.

Each has its own average, over the items that it has scores of; ranks follow from pairs, each on the items of both. So
who fails where items are hard gains nothing in rank, and may stand above one with a better rank. Controls stand below,
without a rank: they show what the judge makes of pictures whose worth is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from stages.evaluation.defining.measures import Reported
from stages.evaluation.scoring.comparison import Difference, differences
from stages.evaluation.scoring.estimates import Estimate, estimates, flat, rounded, spread, values
from stages.evaluation.scoring.scores import coverage, score_matrix
from stages.evaluation.scoring.statistics.bootstrap import Scores, Weights
from stages.evaluation.scoring.statistics.ranks import Gap, RankInterval, better, rank_intervals, tie_groups
from stages.tables.columns import Row

NOT_ALL = "*"
"""Stands after the name of one whose coverage is below 1."""
NOTE = f"{NOT_ALL} not all scored: its average is over fewer items (or repeats)"


@dataclass(frozen=True)
class Standing:
    """One row of a board. `rank` and `tie_group` are None for controls, and with too few scores to rank by."""

    name: str
    estimates: Mapping[str, Estimate]
    coverage: float
    rank: RankInterval | None = None
    tie_group: int | None = None


@dataclass(frozen=True)
class Layout:
    """How a benchmark's scores lie: items and their strata, columns of their scores, what is reported, item weights."""

    items: Sequence[str]
    strata: NDArray[np.int64]
    columns: Sequence[tuple[str, str]]
    reported: Reported
    weights: Weights


def standing(name: str, rows: Sequence[Row], layout: Layout) -> Standing:
    """Return one row without a rank, from the scores of one side and judge."""
    matrix = score_matrix(rows, layout.items, layout.columns)
    return Standing(name, estimates(matrix, layout.strata, layout.weights, layout.reported), coverage(rows))


def ranked(scores: Mapping[str, Sequence[Row]], layout: Layout, by: str) -> list[Standing]:
    """Rank contestants, given by name with their scores of one side and judge: the highest value first, ties by name.

    Rank intervals and tie groups hold together with 95 % confidence (`statistics.ranks`). Whoever has fewer than two
    scores in a column of what is ranked `by` stands last without a rank.
    """
    rows = [standing(name, scores[name], layout) for name in sorted(scores)]
    able = [row for row in rows if by in row.estimates and row.estimates[by].low is not None]
    rest = [row for row in rows if row not in able]
    matrices = [score_matrix(scores[row.name], layout.items, layout.columns) for row in able]
    is_better = better(len(able), gaps(matrices, layout, by))
    own_values = np.array([row.estimates[by].value for row in able])
    ranks, groups = rank_intervals(is_better), tie_groups(own_values, is_better)
    placed = [replace(row, rank=ranks[n], tie_group=groups[n]) for n, row in enumerate(able)]
    return sorted(placed, key=lambda row: -row.estimates[by].value) + rest


def gaps(matrices: Sequence[Scores], layout: Layout, by: str) -> Iterator[Gap | None]:
    """Yield how far apart the two of every pair are, on the items that both have scores of; None where these are too
    few.

    In the order of `itertools.combinations`.
    """
    factors = layout.reported[by]
    for number, first in enumerate(matrices[:-1], start=1):
        apart = [first - second for second in matrices[number:]]
        spreads = [spread(pair, layout.strata, factors) for pair in apart]
        moved = layout.weights @ np.stack([one.moved for one in spreads], axis=1).astype(np.float32)
        for column, (pair, (_, freedom)) in enumerate(zip(apart, spreads, strict=True)):
            yield Gap(values(pair, {by: factors})[by], moved[:, column], freedom) if freedom else None


def over_base(
    variants: Mapping[str, str], scores: Mapping[str, Sequence[Row]], layout: Layout, by: str, seed: int
) -> dict[str, Difference]:
    """Return how much better each variant is than what it is a variant of, on the items that both have scores of."""
    found: dict[str, Difference] = {}
    for variant, base in variants.items():
        if variant in scores and base in scores:
            ours, theirs = (score_matrix(scores[name], layout.items, layout.columns) for name in (base, variant))
            reported = {by: layout.reported[by]}
            for one in differences(ours, theirs, layout.strata, layout.weights, reported, seed):
                found[variant] = one
    return found


def flat_standings(prefix: str, standings: Sequence[Standing], names: Sequence[str]) -> dict[str, float]:
    """Return a board under flat keys `<prefix><contestant>.<name>`, for the reported `names`, with
    ranks and coverage.
    """
    keys: dict[str, float] = {}
    for row in standings:
        start = f"{prefix}{row.name}."
        keys |= flat(start, {name: row.estimates[name] for name in names if name in row.estimates})
        if row.rank is not None and row.tie_group is not None:
            keys |= {f"{start}rank_best": row.rank.best, f"{start}rank_worst": row.rank.worst}
            keys[f"{start}tie_group"] = row.tie_group
        keys[f"{start}coverage"] = rounded(row.coverage)
    return keys


def table(title: str, standings: Sequence[Standing], names: Sequence[str]) -> Table:
    """Return a board for a person: ranks, the first of `names` with its interval, the others, and coverage."""
    note = None if all(map(is_whole, standings)) else NOTE
    shown = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    shown.add_column("rank", no_wrap=True)
    shown.add_column("contestant", overflow="fold")  # of what does not fit, a name is broken and no number
    for heading in (*names, "scored"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in standings:
        first, *others = (row.estimates.get(name) for name in names)
        cells = [with_interval(first), *("-" if found is None else f"{found.value:.1f}" for found in others)]
        shown.add_row(rank_in_words(row), marked(row, row.name), *cells, f"{row.coverage:.1%}")
    return shown


def is_whole(row: Standing) -> bool:
    """Return whether all that was to be scored has been."""
    return row.coverage == 1


def marked(row: Standing, name: str) -> str:
    """Return a row's name as it is shown, with a mark where not all was scored."""
    return name if is_whole(row) else name + NOT_ALL


def rank_in_words(row: Standing) -> str:
    """`1`, or `1-3` where the rank is not sure; empty without one."""
    if row.rank is None:
        return ""
    return str(row.rank.best) if row.rank.best == row.rank.worst else f"{row.rank.best}-{row.rank.worst}"


def with_interval(found: Estimate | None) -> str:
    """Return a value and its interval in words."""
    if found is None:
        return "-"
    return f"{found.value:.1f}" + (f" {found.low:.1f}–{found.high:.1f}" if found.low is not None else "")
