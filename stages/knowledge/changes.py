"""What a training changed of what a model knows (arXiv 2602.02140, findings 4 and 5, figures 5 and 6): levels by
step, how much of a change crosses over to the other side, how many steps each side takes. Pure functions of the rows of
`measure`. Of those one kind says what a cosine can reach: `fact` is `reference` (step 0, side gen), its value the mean
cosine among an entity's own reference pictures.

The units are clusters: the two entities of an exchanged pair are one. What a checkpoint refused or failed counts as the
scale's lowest. What was not judged, or what the untrained model did not answer, does too, but intervals reach as far as
if it were the highest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from gamut.evaluation.defining.measures import Linear, Scale
from gamut.evaluation.scoring.estimates import Estimate, value_interval
from gamut.evaluation.scoring.statistics.inference import LEVEL, Floats, Interval
from gamut.tables.columns import Row, grouped

SIDES = ("und", "gen")
NEW, OLD, NEIGHBOUR, REFERENCE = "new", "old", "neighbour", "reference"
HELD_OUT = "held_out"
OUTCOMES = ("scored", "unanswered", "unjudged")
UNJUDGED = ("refused_judge", "parse_error", "transport_error")  # no checkpoint's failure
ENOUGH = 0.8  # of the way to a fact: so much is called learnt (figure 5)
ROUNDING = 1e-9
ByCluster = Mapping[str, Floats]
"""Of each cluster a value as it counts, at least and at most, shape (3,)."""


class Unsaid(Exception):
    """Why a number is not there, in words."""


class Change(NamedTuple):
    """How far each cluster came; `ends`: how far it can come."""

    of: ByCluster
    ends: Scale


class Kind(NamedTuple):
    """What answers were about, from which side, and whether their wordings were trained."""

    side: str
    fact: str
    wording: str


class Levels(NamedTuple):
    """`of`: of each cluster the mean over its entities, by kind and step. `counts`: how many answers are of which
    OUTCOMES. `compared`: sides whose values are cosines, not judgments.
    """

    steps: Sequence[int]
    of: Mapping[tuple[Kind, int], ByCluster]
    counts: Mapping[tuple[Kind, int], Counter[str]]
    compared: Sequence[str]

    @property
    def last(self) -> int:
        return self.steps[-1]

    def at(self, kind: Kind, step: int) -> ByCluster:
        return self.of.get((kind, step), {})


def levels_of(rows: Iterable[Row]) -> Levels:
    """From the rows of one cell. An entity is the mean of its answers."""
    rows = list(rows)
    steps, compared = sorted({row["step"] for row in rows}), ["gen"] if rows[0]["study"] == "inject" else []
    counts: dict[tuple[Kind, int], Counter[str]] = {}
    answers: dict[tuple[Kind, int], dict[tuple[str, str], list[Floats]]] = {}
    for row in rows:
        place = Kind(row["side"], row["fact"], row["wording"]), row["step"]
        outcome = "scored" if row["status"] == "ok" else OUTCOMES[1 + (row["status"] in UNJUDGED)]
        unknown = outcome == "unjudged" or row["step"] == steps[0]
        value = np.repeat(row["value"], 3) if outcome == "scored" else np.array([0.0, 0.0, unknown])
        counts.setdefault(place, Counter())[outcome] += 1
        answers.setdefault(place, {}).setdefault((row["cluster"], row["entity"]), []).append(value)
    found = dict[tuple[Kind, int], ByCluster]()
    for place, own in answers.items():
        clusters = grouped((cluster, np.mean(values, axis=0)) for (cluster, _), values in sorted(own.items()))
        found[place] = {cluster: np.mean(entities, axis=0) for cluster, entities in clusters.items()}
    return Levels(steps, found, counts, compared)


def by_cluster(rule: Callable[..., Floats], *found: ByCluster) -> dict[str, Floats]:
    """Apply a rule to the values of each cluster that all have."""
    return {name: rule(*(one[name] for one in found)) for name in sorted(set.intersection(*map(set, found)))}


def difference(last: Floats, first: Floats) -> Floats:
    return last - first[[0, 2, 1]]


def estimate(found: ByCluster, ends: Scale | None) -> Estimate | None:
    """Return the mean over clusters with its interval, None of fewer than two; None of no cluster."""
    if not found:
        return None
    own = np.array([*found.values()]).T
    low, high = intervals(own, ends)
    return Estimate(float(own[0].mean()), low and low.low, high and high.high, len(found))


def intervals(own: Floats, ends: Scale | None) -> Sequence[Interval | None]:
    """Return those of means over clusters at least and at most, shape (3, clusters)."""
    strata, mean = np.zeros(own.shape[1], np.int64), Linear(np.ones(1))
    return [value_interval(values[:, None], strata, mean, ends) for values in own[1:]]


def level(one: Levels, kind: Kind, step: int) -> Estimate | None:
    return estimate(one.at(kind, step), None if kind.side in one.compared else Scale(0, 1))


def damage(one: Levels, side: str) -> Estimate | None:
    """Return how far neighbours came from step 0 to the last checkpoint."""
    last, first = (one.at(Kind(side, NEIGHBOUR, HELD_OUT), step) for step in (one.last, one.steps[0]))
    if not first:
        raise Unsaid("there are no neighbours: whether all is answered with new facts nobody knows")
    return estimate(by_cluster(difference, last, first), ends_of_change(one, side, first))


def ends_of_change(one: Levels, side: str, first: ByCluster) -> Scale:
    """Return how far one can come from there. Of cosines too it is -1 to 1: else nothing could be said where none of
    them changed.
    """
    if side in one.compared:
        return Scale(-1, 1)
    return Scale(-max(own[2] for own in first.values()), 1 - min(own[1] for own in first.values()))


def ends_of_way(one: Levels, side: str) -> tuple[ByCluster, ByCluster]:
    """Return from where to where the new fact can come: from 0 to 1 where answers are judged, and from the cosine at
    step 0 to that among reference pictures.
    """
    first = one.at(Kind(side, NEW, HELD_OUT), one.steps[0])
    if side not in one.compared:
        return dict.fromkeys(first, np.zeros(3)), dict.fromkeys(first, np.ones(3))
    return first, next((level for (kind, _), level in one.of.items() if kind.fact == REFERENCE), {})


def progress(one: Levels, side: str) -> Change:
    """Return which share of the way to the new fact each cluster came on a side; Unsaid where there is no way.

    With cosines it is a ratio of means, of what clusters came and of their ways; a cluster's own is to the first order
    what it adds to that (the delta method), so that the mean over clusters is the ratio, and varies as it does.
    """
    first, last = (one.at(Kind(side, NEW, HELD_OUT), step) for step in (one.steps[0], one.last))
    ways = by_cluster(lambda goal, start: goal - start, *ends_of_way(one, side)[::-1])
    moved = by_cluster(lambda last, first, _: difference(last, first), last, first, ways)
    if not ways:
        raise Unsaid(f"{side}: there are no rows of references")
    if (mean := np.mean([way[0] for way in ways.values()])) <= 0:
        raise Unsaid(f"{side}: reference pictures are no nearer to each other than what step 0 painted is to them")
    share = np.mean([*moved.values()], axis=0) / mean
    came = by_cluster(lambda own, way: share + (own - share * way[0]) / mean, moved, ways)
    return Change(came, ends_of_change(one, side, first))


def mean_progress(one: Levels, side: str) -> Estimate | None:
    return estimate(*progress(one, side))


def transfer(one: Levels, trained: str) -> Estimate:
    """Return how far the other side came by how far the trained one did; Unsaid where that is not sure to have come."""
    own, other = (progress(one, side) for side in sorted(SIDES, key=lambda side: side != trained))
    return ratio(other, own, f"{trained}: it is not sure that the trained side itself came nearer to the new fact")


def ratio(numerator: Change, denominator: Change, why: str) -> Estimate:
    """Return a ratio of two mean changes over clusters; Unsaid `why` where the denominator is not above 0 for sure.

    Not by bootstrap: of few clusters its intervals are far too short, of none that differ they have no length. Those of
    Fieller (1954) are exact for normal means, and finite just where the denominator is sure; but they do not see what
    by chance befell no cluster. So they reach as far as either mean's own interval (inference.py) beside the other.
    """
    both = by_cluster(lambda one, other: np.stack([one, other]), numerator.of, denominator.of)
    above, below = np.array([*both.values()]).transpose(1, 2, 0)
    bounds = [
        zip(own[1:], intervals(own, ends), strict=True)
        for own, ends in ((above, numerator.ends), (below, denominator.ends))
    ]
    ends = list[float]()
    for (one, of_one), (other, of_other) in product(*bounds):
        if of_one is None or of_other is None or of_other.low <= 0:
            raise Unsaid(why)
        ends += [*fieller(one, other), *(end / other.mean() for end in of_one), *(one.mean() / end for end in of_other)]
    return Estimate(float(above[0].mean() / below[0].mean()), float(min(ends)), float(max(ends)), len(both))


def fieller(numerator: Floats, denominator: Floats) -> tuple[float, ...]:
    """`denominator`: with a mean that Student's t tells from 0."""
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    squared = float(stdtrit(len(numerator) - 1, (1 + LEVEL) / 2)) ** 2 / len(numerator)
    above, below = numerator.mean(), denominator.mean()
    (own, both), (_, other) = squared * np.cov(numerator, denominator)
    a, b, c = below**2 - other, above * below - both, above**2 - own
    return tuple((b + sign * sqrt(max(b * b - a * c, 0.0))) / a for sign in (-1, 1))


def beyond_enough(one: Levels, side: str, step: int) -> ByCluster:
    """Return how far beyond ENOUGH of the way each cluster is, below 0 where it is not there."""
    now, (start, goal) = one.at(Kind(side, NEW, HELD_OUT), step), ends_of_way(one, side)
    return by_cluster(lambda at, start, goal: difference(at, (1 - ENOUGH) * start + ENOUGH * goal), now, start, goal)


def steps_to_learn(one: Levels, side: str) -> list[int | None]:
    """Return the first checkpoint at which the mean has come far enough, that at which it may have, and that at which
    it has for sure; None: at none so far. Of few clusters that all know it is not sure that 80 % of all such would.

    Read off the curve and its intervals, as a median off a survival curve (Brookmeyer and Crowley 1982).
    """
    ends = Scale(-1, 1) if side in one.compared else Scale(-ENOUGH, 1 - ENOUGH)
    curve = [(step, estimate(beyond_enough(one, side, step), ends)) for step in one.steps]
    ways = ([(step, getattr(of, end, None)) for step, of in curve] for end in ("value", "high", "low"))
    return [next((step for step, far in way if far is not None and far >= -ROUNDING), None) for way in ways]
