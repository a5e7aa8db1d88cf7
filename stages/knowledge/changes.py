"""What a training changed of what a model knows (arXiv 2602.02140, findings 4 and 5, figures 5 and 6): levels by
step, how much of a change crosses over to the other side, how many steps each side takes. Pure functions of the rows of
`measure`. Of those one kind says what a cosine can reach: `fact` is `reference` (step 0, side gen), its value the mean
cosine among an entity's own reference pictures.

The units are clusters: the two entities of an exchanged pair are one. What a checkpoint refused, failed or left out
counts as the scale's lowest. What was not judged does too, but intervals reach as far as if it were the highest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import comb, fsum, inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from gamut.evaluation.defining.measures import Linear, Scale
from gamut.evaluation.scoring.estimates import Estimate, value_interval
from gamut.evaluation.scoring.statistics.inference import LEVEL, Floats, Interval, cut_to_ends
from gamut.tables.columns import Row, grouped

SIDES = ("und", "gen")
NEW, OLD, NEIGHBOUR, REFERENCE = "new", "old", "neighbour", "reference"
HELD_OUT = "held_out"
OUTCOMES = ("scored", "unanswered", "unjudged")
UNJUDGED = ("refused_judge", "parse_error", "transport_error")  # no checkpoint's failure
ENOUGH = 0.8  # of the way to a fact: so much is called learnt (figure 5)
ROUNDING = 1e-9
ByCluster = Mapping[str, Floats]
"""Of each cluster a value as it counts, at least and at most, and the ends of what it can be, shape (5,)."""


class Unsaid(Exception):
    """Why a number is not there, in words."""


class Kind(NamedTuple):
    """What answers were about, from which side, and whether their wordings were trained."""

    side: str
    fact: str
    wording: str


class Measured(NamedTuple):
    """`levels`: of each cluster the mean over its entities, by kind and step. `counts`: how many answers are of which
    OUTCOMES. `compared`: sides whose values are cosines, not judgments.
    """

    steps: Sequence[int]
    levels: Mapping[tuple[Kind, int], ByCluster]
    counts: Mapping[tuple[Kind, int], Counter[str]]
    compared: Sequence[str]

    @property
    def last(self) -> int:
        return self.steps[-1]

    def at(self, kind: Kind, step: int) -> ByCluster:
        return self.levels.get((kind, step), {})


def measured(rows: Iterable[Row]) -> Measured:
    """From the rows of one cell, in any order. An entity is the mean of its answers, of as many as it has at the step
    where it has most.
    """
    rows = list(rows)
    steps, compared = sorted({row["step"] for row in rows}), ["gen"] if rows and rows[0]["study"] == "inject" else []
    counts: dict[tuple[Kind, int], Counter[str]] = {}
    given: dict[tuple[Kind, str, str], dict[int, list[Floats]]] = {}
    for row in rows:
        kind = Kind(row["side"], row["fact"], row["wording"])
        outcome = "scored" if row["status"] == "ok" else OUTCOMES[1 + (row["status"] in UNJUDGED)]
        value = np.repeat(row["value"], 3) if outcome == "scored" else np.array([0.0, 0.0, outcome == "unjudged"])
        counts.setdefault((kind, row["step"]), Counter())[outcome] += 1
        given.setdefault((kind, row["cluster"], row["entity"]), {}).setdefault(row["step"], []).append(value)
    entities = grouped(
        ((kind, step, cluster), mean_of(by_step.get(step, []), max(map(len, by_step.values()))))
        for (kind, cluster, _), by_step in given.items()
        for step in (steps[:1] if kind.fact == REFERENCE else steps)
    )
    levels: dict[tuple[Kind, int], dict[str, Floats]] = {}
    for (kind, step, cluster), values in sorted(entities.items(), key=lambda one: one[0]):
        ends = (-inf, inf) if kind.side in compared else (0.0, 1.0)
        levels.setdefault((kind, step), {})[cluster] = np.append(mean_of(values, len(values)), ends)
    return Measured(steps, levels, counts, compared)


def mean_of(values: Sequence[Floats], count: int) -> Floats:
    """Return the mean of `count`, of which those that are not there are 0; exact sums, so that no order tells."""
    return np.array([fsum(value[end] for value in values) / count for end in range(3)])


def by_cluster(rule: Callable[..., Floats], *found: ByCluster) -> dict[str, Floats]:
    """Apply a rule to the values of each cluster that all have."""
    return {name: rule(*(one[name] for one in found)) for name in sorted(set.intersection(*map(set, found)))}


def difference(last: Floats, first: Floats) -> Floats:
    return bounded(last - first[[0, 2, 1, 2, 1]])


def bounded(found: Floats) -> Floats:
    """Of cosines too a difference ends at -1 and 1: else nothing could be said where none of them changed."""
    return np.append(found[:3], np.clip(found[3:], -1, 1))


def columns(found: ByCluster) -> Floats:
    """Shape (5, clusters)."""
    return np.array([*found.values()]).reshape(-1, 5).T


def estimate(found: ByCluster) -> Estimate | None:
    """Return the mean over clusters with its interval, None of fewer than two; None of no cluster."""
    own = columns(found)
    low, high = intervals(own) if found else (None, None)
    return Estimate(float(own[0].mean()), low and low.low, high and high.high, len(found)) if found else None


def intervals(own: Floats) -> Sequence[Interval | None]:
    """Return those of means over clusters at least and at most. What has no ends can be anything."""
    ends = Scale(float(own[3].min()), float(own[4].max()))
    strata, mean, known = np.zeros(own.shape[1], np.int64), Linear(np.ones(1)), ends if isfinite(ends.lowest) else None
    return [value_interval(values[:, None], strata, mean, known) for values in own[1:3]]


def level(one: Measured, kind: Kind, step: int) -> Estimate | None:
    return estimate(one.at(kind, step))


def change(one: Measured, kind: Kind) -> Estimate | None:
    """Return how far a level came from step 0 to the last checkpoint: of neighbours, the damage."""
    return estimate(by_cluster(difference, *(one.at(kind, step) for step in (one.last, one.steps[0]))))


def ends_of_way(one: Measured, side: str) -> tuple[ByCluster, ByCluster]:
    """Return from where to where the new fact can come: from 0 to 1 where answers are judged, and from the cosine at
    step 0 to that among reference pictures.
    """
    first = one.at(Kind(side, NEW, HELD_OUT), one.steps[0])
    if side not in one.compared:
        return {name: np.zeros(5) for name in first}, {name: np.ones(5) for name in first}
    return first, next((level for (kind, _), level in one.levels.items() if kind.fact == REFERENCE), {})


def progress(one: Measured, side: str) -> ByCluster:
    """Return which share of the way to the new fact each cluster came on a side; Unsaid where there is no way.

    With cosines it is a ratio of means, of what clusters came and of their ways; a cluster's own is to the first order
    what it adds to that (the delta method), so that the mean over clusters is the ratio, and varies as it does.
    """
    first, last = (one.at(Kind(side, NEW, HELD_OUT), step) for step in (one.steps[0], one.last))
    whole = by_cluster(difference, *ends_of_way(one, side)[::-1])
    moved = by_cluster(lambda last, first, _: difference(last, first), last, first, whole)
    if not moved:
        raise Unsaid(f"{side}: there are no rows of {'references' if first else 'the new fact'}")
    if (mean := columns(whole)[0].mean()) <= 0:
        raise Unsaid(f"{side}: reference pictures are no nearer to each other than what step 0 painted is to them")
    share = columns(moved)[[0, 1, 2, 0, 0]].mean(axis=1) / mean
    return by_cluster(lambda own, way: bounded(share + (own - share * way[0]) / mean), moved, whole)


def mean_progress(one: Measured, side: str) -> Estimate | None:
    return estimate(progress(one, side))


def transfer(one: Measured, trained: str) -> Estimate:
    """Return how far the other side came by how far the trained one did; Unsaid where that is not sure to have come."""
    own, other = (progress(one, side) for side in sorted(SIDES, key=lambda side: side != trained))
    return ratio(other, own, f"{trained}: it is not sure that the trained side itself came nearer to the new fact")


def share(one: Measured, side: str) -> Estimate:
    """Return the share of a side in what both came."""
    both = [progress(one, side) for side in SIDES]
    whole = by_cluster(lambda und, gen: und + gen, *both)
    return ratio(both[SIDES.index(side)], whole, "it is not sure that both sides together came nearer", Scale(0, 1))


def ratio(numerator: ByCluster, denominator: ByCluster, why: str, scale: Scale | None = None) -> Estimate:
    """Return a ratio of two means over clusters; Unsaid `why` where the denominator is not above 0 for sure.

    Not by bootstrap: of few clusters its intervals are far too short, of none that differ they have no length. Those of
    Fieller (1954) are exact for normal means, and finite just where the denominator is sure; but they do not see what
    by chance befell no cluster. So they reach as far as either mean's own interval (inference.py) beside the other.
    """
    both = by_cluster(lambda one, other: np.stack([one, other]), numerator, denominator)
    above, below = np.array([*both.values()]).transpose(1, 2, 0)
    bounds = [*product(zip(above[1:3], intervals(above), strict=True), zip(below[1:3], intervals(below), strict=True))]
    ends = list[float]()
    for (one, of_one), (other, of_other) in bounds:
        if of_one is None or of_other is None or of_other.low <= 0:
            raise Unsaid(why)
        ends += [*fieller(one, other), *(end / other.mean() for end in of_one), *(one.mean() / end for end in of_other)]
    value = float(above[0].mean() / below[0].mean())
    return Estimate(value, *cut_to_ends(scale, value, float(min(ends)), float(max(ends))), len(both))


def fieller(numerator: Floats, denominator: Floats) -> tuple[float, ...]:
    """`denominator`: with a mean that Student's t tells from 0."""
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    squared = float(stdtrit(len(numerator) - 1, (1 + LEVEL) / 2)) ** 2 / len(numerator)
    above, below = numerator.mean(), denominator.mean()
    (own, both), (_, other) = squared * np.cov(numerator, denominator)
    a, b, c = below**2 - other, above * below - both, above**2 - own
    return tuple((b + sign * sqrt(max(b * b - a * c, 0.0))) / a for sign in (-1, 1))


def beyond_enough(one: Measured, side: str, step: int) -> ByCluster:
    """Return how far beyond ENOUGH of the way each cluster is, below 0 where it is not there."""
    start, goal = ends_of_way(one, side)
    now = one.at(Kind(side, NEW, HELD_OUT), step)
    return by_cluster(lambda at, start, goal: difference(at, (1 - ENOUGH) * start + ENOUGH * goal), now, start, goal)


def steps_to_learn(one: Measured, side: str) -> list[int | None]:
    """Return the first checkpoint at which the mean has come far enough, that at which it may have, and that at which
    it has for sure; None: at none so far. Of few clusters that all know it is not sure that 80 % of all such would.

    Read off the curve and its intervals, as a median off a survival curve (Brookmeyer and Crowley 1982).
    """
    curve = [(step, estimate(beyond_enough(one, side, step))) for step in one.steps]
    ends = ([(step, getattr(of, end, None)) for step, of in curve] for end in ("value", "high", "low"))
    return [next((step for step, far in way if far is not None and far >= -ROUNDING), None) for way in ends]


def steps_of_clusters(one: Measured, side: str) -> dict[str, float]:
    """Return the first checkpoint at which each cluster by itself has come far enough; inf: at none."""
    far = [(step, name, way[0]) for step in one.steps for name, way in beyond_enough(one, side, step).items()]
    steps = grouped((name, step if way >= -ROUNDING else inf) for step, name, way in far)
    return {name: min(found) for name, found in steps.items()}


def step_ratio(und: Measured, gen: Measured) -> Estimate | None:
    """Return the steps of painting by those of seeing in the middle cluster, each compared with itself, with the sign
    test's interval of a median (six clusters at least). inf: beyond all, or unknown; None of no cluster.

    Where one side never comes there the ratio is beyond all, where neither does, or one was there at step 0, any.
    """
    first, second = steps_of_clusters(und, "und"), steps_of_clusters(gen, "gen")
    pairs = [(first[name], second[name]) for name in sorted(first.keys() & second.keys())]
    ends = [(0.0, inf) if one == other == inf or 0 in (one, other) else (other / one,) * 2 for one, other in pairs]
    if not ends:
        return None
    (lows, highs), count = (sorted(end) for end in zip(*ends, strict=True)), len(ends)
    tails = (sum(comb(count, k) for k in range(rank)) / 2**count for rank in range(1, count // 2 + 1))
    rank = sum(tail <= (1 - LEVEL) / 2 for tail in tails)
    low, high = (lows[rank - 1], highs[-rank]) if rank else (None, None)
    value = float(np.median(lows)) if np.median(lows) == np.median(highs) else inf
    return Estimate(value, low, high, count)
