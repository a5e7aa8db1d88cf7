"""Boards with known truth, no rendering: how often intervals and ranks hold what they say (bench/coverage.py has more).

Scores are drawn in two ways. *Graded*: a latent quality of item, contestant and chance, rounded to 0..10 and cut at
both ends. *Faulty*: 10, or 9 or 10 by chance, but for a share of faults, which are anything from 0 to 9. Both times
ten; a share of them is missing at random, but two in each track of each contestant. The value is the mean of track
means, whose truth is calculated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from gamut.evaluation.defining.measures import Column, Linear, Metric, Scale
from gamut.evaluation.scoring.board import Layout, pair_gaps
from gamut.evaluation.scoring.comparison import differences
from gamut.evaluation.scoring.estimates import estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.ranks import better_pairs, rank_intervals

SKILLS = (8.0, 6.5, 5.0)
SPREAD_OF_ITEMS, SPREAD_OF_CHANCE = 1.5, 1.5
FAULTS = {"2 % faulty": 0.02, "5 % faulty": 0.05, "5 % faulty, else 9 or 10": 0.05}
WAVERING = "5 % faulty, else 9 or 10"
"""Faults leave 0 to 90 points, 45 on average."""
Tracks = Sequence[int]
"""How many items each track has."""


def expected(quality: float) -> float:
    """The mean score of a quality: ten times the sum of P(score ≥ k) for k from 1 to 10."""
    spread = NormalDist(0, float(np.hypot(SPREAD_OF_ITEMS, SPREAD_OF_CHANCE)))
    return 10 * sum(1 - spread.cdf(k - 0.5 - quality) for k in range(1, 11))


def ease_of(tracks: Tracks) -> np.ndarray:
    return np.linspace(-1, 1, len(tracks)) if len(tracks) > 1 else np.zeros(1)


def strata_of(tracks: Tracks) -> np.ndarray:
    return np.repeat(np.arange(len(tracks)), tracks)


def graded(tracks: Tracks, skills: Sequence[float], chance: np.random.Generator) -> np.ndarray:
    """Scores of shape (contestants, items)."""
    strata = strata_of(tracks)
    quality = chance.normal(ease_of(tracks)[strata], SPREAD_OF_ITEMS) + np.array(skills)[:, None]
    return np.clip(np.rint(quality + chance.normal(0, SPREAD_OF_CHANCE, quality.shape)), 0, 10) * 10


def faulty(kind: str, tracks: Tracks, skills: Sequence[float], chance: np.random.Generator) -> np.ndarray:
    """Scores of shape (contestants, items), all contestants alike."""
    size = len(skills), sum(tracks)
    right = 100.0 - 10 * chance.integers(0, 2, size) if kind == WAVERING else np.full(size, 100.0)
    return np.where(chance.random(size) < FAULTS[kind], chance.integers(0, 10, size) * 10.0, right)


def true_faulty(kind: str) -> float:
    return FAULTS[kind] * 45 + (1 - FAULTS[kind]) * (95 if kind == WAVERING else 100)


def true_mean(tracks: Tracks, skill: float) -> float:
    return float(np.mean([expected(skill + easier) for easier in ease_of(tracks)]))


def with_gaps(scores: np.ndarray, tracks: Tracks, missing: float, chance: np.random.Generator) -> np.ndarray:
    """Scores of shape (contestants, items) of which some are missing, but never the first two of a track."""
    first = np.concatenate([np.arange(each) < 2 for each in tracks])
    return np.where((chance.random(scores.shape) < missing) & ~first, np.nan, scores)


def layout_of(tracks: Tracks) -> Layout:
    """A column a track, and the mean of their means."""
    columns = [Column(f"track_{track}", "en", "fit") for track in range(len(tracks))]
    metric = Metric("en", ("en",), columns, {"overall": Linear(np.full(len(tracks), 1 / len(tracks)))}, ("overall",))
    return Layout([], strata_of(tracks), metric, {"overall": Scale(0, 100)}, seed=0)


def in_columns(scores: np.ndarray, tracks: Tracks) -> np.ndarray:
    """Scores of one contestant, shape (items,), as a matrix of items and columns."""
    strata = strata_of(tracks)
    return np.where(strata[:, None] == np.arange(len(tracks)), scores[:, None], np.nan)


class Held(NamedTuple):
    """On which share of boards intervals held the truth: of the best contestant's value, and of a difference between
    equals (faulty) or from the next best (`graded`).
    """

    value: float
    difference: float


@threadpool_limits.wrap(limits=1)  # threads that wait for each other over so small products can take thrice as long
def held(kind: str, tracks: Tracks, missing: float, boards: int, seed: int) -> Held:
    """How often intervals hold."""
    draw, chance, layout, count = DRAWN[kind], np.random.default_rng(seed), layout_of(tracks), np.zeros(2)
    best, next_best = (
        [true_mean(tracks, skill) for skill in SKILLS[:2]] if kind == "graded" else [true_faulty(kind)] * 2
    )
    for _ in range(boards):
        scores = with_gaps(draw(tracks, SKILLS[:2], chance), tracks, missing, chance)
        first, second = (Bounds(one, one) for one in (in_columns(of_one, tracks) for of_one in scores))
        own = estimates(first, layout.strata, layout.metric.reported, layout.ends)["overall"]
        [apart] = differences(first, second, layout.strata, layout.metric.reported, layout.ends)
        assert own.low is not None and own.high is not None and apart.low is not None and apart.high is not None
        count += [own.low <= best <= own.high, apart.low <= next_best - best <= apart.high]
    return Held(*(count / boards).tolist())


DRAWN: dict[str, Callable[[Tracks, Sequence[float], np.random.Generator], np.ndarray]] = {
    "graded": graded,
    **{kind: partial(faulty, kind) for kind in FAULTS},
}


@threadpool_limits.wrap(limits=1)
def joint_ranks_held(kind: str, tracks: Tracks, contestants: int, missing: float, boards: int, seed: int) -> float:
    """How often no rank interval leaves out the truth, of contestants that are all alike: the hardest case."""
    draw, chance, layout, count = DRAWN[kind], np.random.default_rng(seed), layout_of(tracks), 0
    for _ in range(boards):
        scores = with_gaps(draw(tracks, [SKILLS[1]] * contestants, chance), tracks, missing, chance)
        is_better = better_pairs(contestants, *pair_gaps([in_columns(one, tracks) for one in scores], layout))
        count += all(one == (1, contestants) for one in rank_intervals(is_better))
    return count / boards
