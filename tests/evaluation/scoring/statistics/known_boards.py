"""Boards with known truth, no rendering: how often a 95 % interval holds the truth.

Items and contestants are drawn as a judge's scores fall: a latent quality of item, contestant and chance, rounded to
0..10 and cut at both ends, times ten, 3 % of them missing. The true means follow from the normal distribution.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from threadpoolctl import threadpool_limits

from stages.evaluation.defining.measures import Linear, OfSums, Reported
from stages.evaluation.scoring.estimates import estimates
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.bootstrap import item_weights

DRAWS, AT_ONCE = 2_000, 100
"""Fewer draws than boards have, to be quick: they cost up to 0.3 % of coverage."""
SKILLS = np.array([8.0, 6.5, 5.0])
SPREAD_OF_ITEMS, SPREAD_OF_CHANCE = 1.5, 1.5
MISSING = 0.03


def expected(quality: float) -> float:
    """The mean score of a quality: ten times the sum of P(score ≥ k) for k from 1 to 10."""
    spread = NormalDist(0, float(np.hypot(SPREAD_OF_ITEMS, SPREAD_OF_CHANCE)))
    return 10 * sum(1 - spread.cdf(k - 0.5 - quality) for k in range(1, 11))


@threadpool_limits.wrap(limits=1)  # threads that wait for each other over so small products can take thrice as long
def shares_covered(tracks: int, each: int, boards: int, seed: int) -> dict[str, float]:
    """How often intervals hold the truth: of each contestant's mean of track means, and the first two's difference."""
    strata = np.repeat(np.arange(tracks), each)
    weights = item_weights(np.arange(len(strata)), strata, DRAWS, seed)
    ease = np.linspace(-1, 1, tracks) if tracks > 1 else np.zeros(1)
    truth = [float(np.mean([expected(skill + easier) for easier in ease])) for skill in SKILLS]
    names = [*(f"skill {skill}" for skill in SKILLS), "difference"]
    true = dict(zip(names, [*truth, truth[0] - truth[1]], strict=True))
    # a column a track and name
    reported: Reported = {
        name: Linear(np.tile(np.arange(len(names)) == number, tracks) / tracks) for number, name in enumerate(names)
    }
    chance = np.random.default_rng(seed + 1)
    covered = dict.fromkeys(names, 0)
    for _ in range(boards // AT_ONCE):
        quality = chance.normal(ease[strata], SPREAD_OF_ITEMS, (AT_ONCE, len(strata))).T[:, :, None] + SKILLS
        scores = np.clip(np.rint(quality + chance.normal(0, SPREAD_OF_CHANCE, quality.shape)), 0, 10) * 10
        scores[chance.random(scores.shape) < MISSING] = np.nan
        for board in scores.transpose(1, 0, 2):
            columns = np.full((len(strata), tracks, len(names)), np.nan)
            columns[np.arange(len(strata)), strata] = np.column_stack([board, board[:, 0] - board[:, 1]])
            matrix = columns.reshape(len(strata), -1)
            found = estimates(Bounds(matrix, matrix), strata, weights, reported)
            for name, (_, low, high, _) in found.items():
                assert low is not None and high is not None
                covered[name] += low <= true[name] <= high
    return {name: count / boards for name, count in covered.items()}


RATIO, ACROSS = "ratio of two measures", "difference across sides"
MEANS = np.array([6.0, 4.0, 5.5, 5.0])
"""Of two measures on the first side and of one on each of two sides."""


@threadpool_limits.wrap(limits=1)
def shares_covered_otherwise(tracks: int, each: int, boards: int, seed: int) -> dict[str, float]:
    """How often intervals hold the truth of what is no mean of one side: a ratio of sums, a difference across sides.

    Items of unlike ease are drawn for every board. Columns: two measures, then one measure on two sides, all of one
    group; the second side lacks 3 % of the items.
    """
    strata = np.repeat(np.arange(tracks), each)
    weights = item_weights(np.arange(len(strata)), strata, DRAWS, seed)
    ease = np.linspace(-1, 1, tracks) if tracks > 1 else np.zeros(1)
    reported: Reported = {
        RATIO: OfSums(lambda scores: scores[:, :2], lambda sums: sums[..., 1] / sums[..., 0]),
        ACROSS: Linear(np.array([0.0, 0.0, 1.0, -1.0])),
    }
    expectations = [float(np.mean([expected(mean + easier) for easier in ease])) for mean in MEANS]
    true = {RATIO: expectations[1] / expectations[0], ACROSS: expectations[2] - expectations[3]}
    chance = np.random.default_rng(seed + 1)
    covered = dict.fromkeys(reported, 0)
    for _ in range(boards):
        quality = chance.normal(ease[strata], SPREAD_OF_ITEMS)[:, None] + MEANS
        scores = np.clip(np.rint(quality + chance.normal(0, SPREAD_OF_CHANCE, quality.shape)), 0, 10) * 10
        scores[chance.random(len(scores)) < MISSING, 3] = np.nan
        for name, (_, low, high, _) in estimates(Bounds(scores, scores), strata, weights, reported).items():
            assert low is not None and high is not None
            covered[name] += low <= true[name] <= high
    return {name: count / boards for name, count in covered.items()}
