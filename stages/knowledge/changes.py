"""How a training changed a model's knowledge (arXiv 2602.02140, findings 4 and 5, figures 5 and 6): levels by step, how
much of a change transfers to the other side, how many steps each side needs. Pure functions of the rows of `measure`.
One kind of row gives the range of a cosine: `fact` is `reference` (step 0, side gen), and its value is the mean cosine
among an entity's own reference pictures.

The units are clusters: the two entities of an exchanged pair are one. An answer that a checkpoint refused or failed
counts as the scale's lowest. So does one that was not judged; if these are more than a few, no number is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import sqrt
from statistics import fmean
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
UNJUDGED = ("refused_judge", "parse_error", "transport_error")  # failures that no checkpoint caused
MOST_UNKNOWN = 0.05  # of answers: with more of them no number is given
ENOUGH = 0.8  # of the way to a fact, from which on it counts as learnt (figure 5)
ROUNDING = 1e-9
ByCluster = Mapping[str, float]


class Unsaid(Exception):
    """Why a number is missing, in words."""


class Change(NamedTuple):
    """How much each cluster changed. `ends`: the possible range."""

    of: ByCluster
    ends: Scale


class Kind(NamedTuple):
    """What answers were about, from which side, and whether their wordings were trained."""

    side: str
    fact: str
    wording: str


class Levels(NamedTuple):
    """`of`: the mean of each cluster over its entities, by kind and step. `counts`: how many answers have which of
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
        """Unsaid if too many answers are unknown: not judged, or missing at step 0 if that would make the way longer,
        or damage smaller.
        """
        counts = self.counts.get((kind, step), Counter())
        flatters = step == self.steps[0] and (kind.fact == NEIGHBOUR or kind.side in self.compared)
        unknown = counts["unjudged"] + (counts["unanswered"] if flatters else 0)
        if unknown > MOST_UNKNOWN * counts.total():
            raise Unsaid(f"{kind.side}: of step {step} {unknown} of {counts.total()} answers are missing or not judged")
        return self.of.get((kind, step), {})


def levels_of(rows: Iterable[Row]) -> Levels:
    """Return the levels from the rows of one cell. An entity has the mean of its answers."""
    rows = list(rows)
    steps, compared = sorted({row["step"] for row in rows}), ["gen"] if rows[0]["study"] == "inject" else []
    counts: dict[tuple[Kind, int], Counter[str]] = {}
    answers: dict[tuple[Kind, int], dict[tuple[str, str], list[float]]] = {}
    for row in rows:
        place = Kind(row["side"], row["fact"], row["wording"]), row["step"]
        outcome = "scored" if row["status"] == "ok" else OUTCOMES[1 + (row["status"] in UNJUDGED)]
        counts.setdefault(place, Counter())[outcome] += 1
        of_entity = answers.setdefault(place, {}).setdefault((row["cluster"], row["entity"]), [])
        of_entity.append(row["value"] if outcome == "scored" else 0.0)
    found = dict[tuple[Kind, int], ByCluster]()
    for place, own in answers.items():
        clusters = grouped((cluster, fmean(values)) for (cluster, _), values in sorted(own.items()))
        found[place] = {cluster: fmean(entities) for cluster, entities in clusters.items()}
    return Levels(steps, found, counts, compared)


def estimate(found: ByCluster, ends: Scale | None) -> Estimate | None:
    """Return the mean over clusters with its interval, None with fewer than two. None without a cluster."""
    if not found:
        return None
    values = np.array([*found.values()])
    low, high = interval_of_mean(values, ends) or (None, None)
    return Estimate(float(values.mean()), low, high, len(found))


def interval_of_mean(values: Floats, ends: Scale | None) -> Interval | None:
    return value_interval(values[:, None], np.zeros(len(values), np.int64), Linear(np.ones(1)), ends)


def level(one: Levels, kind: Kind, step: int) -> Estimate | None:
    return estimate(one.at(kind, step), None if kind.side in one.compared else Scale(0, 1))


def damage(one: Levels, side: str) -> Estimate | None:
    """Return how far neighbours moved from step 0 to the last checkpoint."""
    first, last = (one.at(Kind(side, NEIGHBOUR, HELD_OUT), step) for step in (one.steps[0], one.last))
    if not first:
        raise Unsaid("there are no neighbours, so it is unknown whether new facts replace others")
    return estimate({name: last[name] - first[name] for name in first}, ends_of_change(one, side, first))


def ends_of_change(one: Levels, side: str, first: ByCluster) -> Scale:
    """Return the possible range of a change. For cosines it is -1 to 1 too: else there would be no interval if none
    changed.
    """
    return Scale(-1, 1) if side in one.compared else Scale(-max(first.values()), 1 - min(first.values()))


def ends_of_way(one: Levels, side: str) -> tuple[ByCluster, ByCluster]:
    """Return the start and end of the way to the new fact: 0 and 1 if answers are judged, else the cosine at step 0 and
    that among reference pictures. Unsaid if there is no way.
    """
    start = one.at(Kind(side, NEW, HELD_OUT), one.steps[0])
    if side not in one.compared:
        return dict.fromkeys(start, 0.0), dict.fromkeys(start, 1.0)
    goal = next((level for (kind, _), level in one.of.items() if kind.fact == REFERENCE), {})
    start = {name: start[name] for name in goal}
    if not goal:
        raise Unsaid(f"{side}: there are no rows of references")
    if fmean(goal.values()) <= fmean(start.values()):
        raise Unsaid(f"{side}: reference pictures are not nearer to each other than to the paintings of step 0")
    return start, goal


def progress(one: Levels, side: str) -> Change:
    """Return the share of the way to the new fact that each cluster moved, on a side.

    With cosines it is a ratio of means: of the clusters' movements and of their ways. A cluster's own value is its
    first-order contribution to the ratio (the delta method). So the mean over clusters is the ratio, and varies as it
    does.
    """
    start, goal = ends_of_way(one, side)
    first, last = (one.at(Kind(side, NEW, HELD_OUT), step) for step in (one.steps[0], one.last))
    ways = {name: goal[name] - start[name] for name in goal}
    moved = {name: last[name] - first[name] for name in goal}
    mean = fmean(ways.values())
    share = fmean(moved.values()) / mean
    came = {name: share + (moved[name] - share * ways[name]) / mean for name in goal}
    return Change(came, ends_of_change(one, side, first))


def mean_progress(one: Levels, side: str) -> Estimate | None:
    return estimate(*progress(one, side))


def transfer(one: Levels, trained: str) -> Estimate:
    """Return the other side's movement relative to the trained one's; Unsaid if that is not significant."""
    own, other = (progress(one, side) for side in sorted(SIDES, key=lambda side: side != trained))
    return ratio(other, own, f"{trained}: the trained side itself did not significantly move to the new fact")


def ratio(numerator: Change, denominator: Change, why: str) -> Estimate:
    """Return a ratio of two mean changes over clusters. Unsaid `why` unless the denominator is significantly above 0.

    A bootstrap does not work: for few clusters its intervals are far too short, for equal ones they have no length. The
    intervals of Fieller (1954) are exact for normal means, and finite only if the denominator is significant. They
    ignore events that by chance happened in no cluster. So they reach at least as far as each mean's own interval
    (inference.py) with the other mean.
    """
    names = sorted(numerator.of.keys() & denominator.of.keys())
    above, below = (np.array([one.of[name] for name in names]) for one in (numerator, denominator))
    of_above, of_below = interval_of_mean(above, numerator.ends), interval_of_mean(below, denominator.ends)
    if of_above is None or of_below is None or of_below.low <= 0:
        raise Unsaid(why)
    alone = [*(end / below.mean() for end in of_above), *(above.mean() / end for end in of_below)]
    ends = [float(end) for end in (*fieller(above, below), *alone)]
    return Estimate(float(above.mean() / below.mean()), min(ends), max(ends), len(names))


def fieller(numerator: Floats, denominator: Floats) -> tuple[float, ...]:
    """Return Fieller's interval. `denominator`: its mean differs from 0 by Student's t."""
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    squared = float(stdtrit(len(numerator) - 1, (1 + LEVEL) / 2)) ** 2 / len(numerator)
    above, below = numerator.mean(), denominator.mean()
    (own, both), (_, other) = squared * np.cov(numerator, denominator)
    a, b, c = below**2 - other, above * below - both, above**2 - own
    return tuple((b + sign * sqrt(max(b * b - a * c, 0.0))) / a for sign in (-1, 1))


def beyond_enough(one: Levels, side: str, step: int) -> ByCluster:
    """Return how far beyond ENOUGH of the way each cluster is; below 0 if it is not there yet."""
    now, (start, goal) = one.at(Kind(side, NEW, HELD_OUT), step), ends_of_way(one, side)
    return {name: now[name] - (1 - ENOUGH) * start[name] - ENOUGH * goal[name] for name in goal}


def steps_to_learn(one: Levels, side: str) -> list[int | None]:
    """Return the first checkpoint at which the mean moved far enough, at which it may have, and at which it certainly
    has. None if at none so far. With few clusters, even if all know the fact, it is not certain that 80 % would.

    Read from the curve and its intervals, as a median from a survival curve (Brookmeyer and Crowley 1982).
    """
    ends = Scale(-1, 1) if side in one.compared else Scale(-ENOUGH, 1 - ENOUGH)
    curve = list[tuple[int, Estimate | None]]()
    for step in one.steps:
        with suppress(Unsaid):
            curve.append((step, estimate(beyond_enough(one, side, step), ends)))
    ways = ([(step, getattr(of, end, None)) for step, of in curve] for end in ("value", "high", "low"))
    return [next((step for step, far in way if far is not None and far >= -ROUNDING), None) for way in ways]
