"""Reported values that are drawn from a posterior: fitted to one contestant's scores, and drawn from in the same draws.

The draws of the multipliers are those of all tests of a board (`statistics.stepdown`): contestants who answered the
same items move together, and a difference of two is drawn as the difference of their draws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Drawn, Scale
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.posterior import Posterior, of_draws
from stages.evaluation.scoring.statistics.stepdown import multipliers


def posterior_of(scores: Bounds, one: Drawn, seed: int) -> Posterior | None:
    """Return the posterior of a value, None where it is undefined."""
    return of_draws(draws_of(scores, one, seed), one.ends)


def posterior_apart(first: Bounds, second: Bounds, one: Drawn, seed: int) -> Posterior | None:
    """Return the posterior of the second's value less the first's, over the scores that both have; None where either is
    undefined.
    """
    ours, theirs = in_common(first, second)
    ends = None if one.ends is None else Scale(one.ends.lowest - one.ends.highest, one.ends.highest - one.ends.lowest)
    return of_draws(draws_of(theirs, one, seed) - draws_of(ours, one, seed), ends)


def in_common(first: Bounds, second: Bounds) -> tuple[Bounds, Bounds]:
    """Return the scores that both have."""
    apart = np.isnan(first.low) | np.isnan(second.low)
    ours, theirs = (Bounds(*(np.where(apart, np.nan, one) for one in each)) for each in (first, second))
    return ours, theirs


def counting(scores: Bounds) -> int:
    """Return how many items have a score."""
    return int((~np.isnan(scores.low)).any(axis=1).sum())


def draws_of(scores: Bounds, one: Drawn, seed: int) -> NDArray[np.float64]:
    """Return the draws of a value, shape (draws,); NaN where there is no score at all."""
    low, high = scores
    if np.isnan(low).all():
        return np.full(1, np.nan)
    return drawn(one.draws, np.shape(low), low.tobytes(), high.tobytes(), seed)


@lru_cache(maxsize=128)  # what a board asks of 20 contestants; every pair of them asks for the same again
def drawn(draws: Callable[..., Any], shape: tuple[int, ...], low: bytes, high: bytes, seed: int) -> NDArray[np.float64]:
    """Ask for the draws of a value; ValueError where they are not one for each draw of the multipliers."""
    drawn_together = multipliers(shape[0], seed)
    scores = (np.frombuffer(each, np.float64).reshape(shape) for each in (low, high))
    found = np.array(draws(*scores, drawn_together), np.float64)
    if found.shape != drawn_together.shape[1:]:
        raise ValueError(f"a drawn value has draws of shape {found.shape}, not {drawn_together.shape[1:]}")
    found.setflags(write=False)
    return found
