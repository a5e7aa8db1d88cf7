"""Boards with known truth, no rendering: how often intervals, ranks and what is called detectable hold what they say.

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

from stages.evaluation.defining.measures import Column, Linear, OfSums, Scale, View
from stages.evaluation.scoring.board import Layout, gaps
from stages.evaluation.scoring.comparison import differences, together
from stages.evaluation.scoring.estimates import estimates
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.inference import LEVEL
from stages.evaluation.scoring.statistics.ranks import better, rank_intervals

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
    view = View("en", ("en",), columns, {"overall": Linear(np.full(len(tracks), 1 / len(tracks)))}, ("overall",))
    return Layout([], strata_of(tracks), view, {"overall": Scale(0, 100)}, seed=0)


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
        own = estimates(first, layout.strata, layout.view.reported, layout.ends)["overall"]
        [apart] = differences(first, second, layout.strata, layout.view.reported, layout.ends)
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
        is_better = better(contestants, *gaps([in_columns(one, tracks) for one in scores], layout))
        count += all(one == (1, contestants) for one in rank_intervals(is_better))
    return count / boards


@threadpool_limits.wrap(limits=1)
def found_of_detectable(tracks: Tracks, boards: int, seed: int) -> float:
    """How often a true difference is found that is as large as what boards call detectable, as it is shown.

    That is: the mean of track means together with all tracks, p adjusted for all.
    A first quarter as many boards tell how large that is on average; the second contestant is then better by so much.
    """
    chance, layout = np.random.default_rng(seed), layout_of(tracks)
    names = [f"track_{track}" for track in range(len(tracks))]
    reported = dict(layout.view.reported) | {
        name: Linear(np.arange(len(tracks)) == track) for track, name in enumerate(names)
    }
    ends = dict.fromkeys(reported, Scale(-1e6, 1e6))

    def compared(better_by: float) -> tuple[float, float]:
        item = chance.normal(50, 15, sum(tracks))
        first, second = (item + chance.normal(better, 15, sum(tracks)) for better in (0, better_by))
        both = (Bounds(one, one) for one in (in_columns(first, tracks), in_columns(second, tracks)))
        overall, *_ = together(differences(*both, layout.strata, reported, ends), seed=0)
        assert overall.detectable is not None
        return overall.detectable, overall.p_adjusted

    large = float(np.mean([compared(0)[0] for _ in range(boards // 4)]))
    return sum(compared(large)[1] <= 1 - LEVEL for _ in range(boards)) / boards


RATIO, ACROSS = "ratio of two measures", "difference across sides"
MEANS = np.array([6.0, 4.0, 5.5, 5.0])
"""Of two measures on the first side and of one on each of two sides."""


@threadpool_limits.wrap(limits=1)
def held_otherwise(tracks: Tracks, boards: int, seed: int) -> dict[str, float]:
    """How often intervals hold the truth of what is no mean of one side: a ratio of sums, a difference across sides.

    Items of unlike ease are drawn for every board. Columns: two measures, then one measure on two sides, all of one
    group; the second side lacks 3 % of the items.
    """
    strata, ease = strata_of(tracks), ease_of(tracks)
    reported = {
        RATIO: OfSums(lambda scores: scores[:, :2], lambda sums: sums[..., 1] / sums[..., 0]),
        ACROSS: Linear(np.array([0.0, 0.0, 1.0, -1.0])),
    }
    expectations = [float(np.average([expected(mean + easier) for easier in ease], weights=tracks)) for mean in MEANS]
    true = {RATIO: expectations[1] / expectations[0], ACROSS: expectations[2] - expectations[3]}
    chance, covered = np.random.default_rng(seed + 1), dict.fromkeys(reported, 0)
    for _ in range(boards):
        quality = chance.normal(ease[strata], SPREAD_OF_ITEMS)[:, None] + MEANS
        scores = np.clip(np.rint(quality + chance.normal(0, SPREAD_OF_CHANCE, quality.shape)), 0, 10) * 10
        scores[chance.random(len(scores)) < 0.03, 3] = np.nan
        for name, (_, low, high, _) in estimates(Bounds(scores, scores), strata, reported, {}).items():
            assert low is not None and high is not None
            covered[name] += low <= true[name] <= high
    return {name: count / boards for name, count in covered.items()}
