"""How the gap goes together, over contestants, with the gap by another judge and with other benchmarks' boards.

Table 3 and Fig. 7 of the paper. Contestants are the units, of which there are a handful: every correlation has an
interval and its number, and fewer than four have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from stages.evaluation.defining.parameters import Contestant
from stages.evaluation.scoring.estimates import Estimate, rounded
from stages.evaluation.scoring.statistics.correlation import Scores, fisher_interval, pearson
from stages.evaluation.scoring.statistics.rank_correlation import spearman, spearman_interval
from stages.project.model_kinds import Model, OpenAIModel, Weights

FEWEST = 4
"""Contestants: below, nothing is told."""
STATISTICS: Mapping[str, tuple[Callable[[Scores, Scores], float], Callable[[float, int], tuple[float, float]]]]
STATISTICS = {"pearson": (pearson, fisher_interval), "spearman": (spearman, spearman_interval)}
RANKED, SCORED = ".rank_best", "_scored"
"""In a board's keys: who has a rank, and which value it is by."""


class Related(NamedTuple):
    """What is told of so many contestants; empty where they are too few, without what is undefined."""

    n: int
    found: Mapping[str, Estimate]


def related(first: Mapping[str, float], second: Mapping[str, float]) -> Related:
    """Return how two values go together over the contestants that have both: Pearson's and Spearman's correlation."""
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


def preference(apart: Mapping[str, float], kin: Collection[str], others: Collection[str]) -> Estimate | None:
    """Return how much further apart two judges are on models of the first one's family than on others, in points of the
    gap: below 0 the first favours its own. `apart`: the gap by the first less that by the second; `n`: models of the
    family.

    The interval is Student's of a difference of two means with one variance, which is all that a family of one model
    allows. None without one of the family, and with fewer than FEWEST models in all.
    """
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    own, rest = (np.array([apart[name] for name in names if name in apart]) for names in (kin, others))
    degrees = len(own) + len(rest) - 2
    if not len(own) or not len(rest) or degrees + 2 < FEWEST:
        return None
    value = float(own.mean() - rest.mean())
    squares = float(((own - own.mean()) ** 2).sum() + ((rest - rest.mean()) ** 2).sum())
    if not squares:
        return Estimate(value, None, None, len(own))
    half = -float(stdtrit(degrees, 0.025)) * sqrt(squares / degrees * (1 / len(own) + 1 / len(rest)))
    return Estimate(value, value - half, value + half, len(own))


def families(models: Iterable[Model]) -> frozenset[str]:
    """Return by what a model's family is known: the organisation in its id, and the letters its own name begins with;
    `google/gemini-3-flash` has google and gemini, `gpt-image-1` has gpt. Empty without an id: nobody knows.

    Two that have one of these in common count as one family. It is a guess: what it makes of whom is printed.
    """
    found = set()
    for model in models:
        if isinstance(model, OpenAIModel | Weights):
            *organisation, name = model.id.lower().split("/")
            found |= {*organisation[-1:], *re.findall(r"^[a-z]+", name)}
    return frozenset(found)


def families_of(contestant: Contestant) -> frozenset[str]:
    """Return by what the family of a contestant is known, of a pair both models'."""
    if contestant.model is not None:
        return families([contestant.model])
    return families([] if contestant.models is None else [contestant.models.text, contestant.models.image])


def kin_and_others(
    judge: frozenset[str], other: frozenset[str], contestants: Mapping[str, frozenset[str]]
) -> tuple[list[str], list[str]]:
    """Return who is of a judge's family and not of the other judge's, and who is of neither; whose family nobody knows
    is in none of the two, and nobody is where that of a judge is not known.
    """
    if not judge or not other:
        return [], []
    kin = [name for name, own in contestants.items() if own & judge and not own & other]
    others = [name for name, own in contestants.items() if own and not own & judge and not own & other]
    return kin, others


def ranking_values(board: Mapping[str, Any], contestants: Collection[str]) -> dict[str, dict[str, float]]:
    """Return of each view and judge of another benchmark's board the value that ranks, by contestant, of those who have
    a rank; under `<benchmark>.<edition>.<view>.<judge>.<value>`.
    """
    scored = [key.removesuffix(SCORED) for key in board if key.endswith(SCORED)]
    found: dict[str, dict[str, float]] = {}
    for start in (key.removesuffix(RANKED) for key in board if key.endswith(RANKED)):
        before, _, name = start.rpartition(".")
        for key in scored if name in contestants else ():
            if key.startswith(f"{start}.") and key in board:
                found.setdefault(before + key.removeprefix(start), {})[name] = float(board[key])
    return found


def flat(start: str, one: Related) -> Iterator[tuple[str, float]]:
    """Yield what is told under flat keys: how many contestants, each correlation, its ends."""
    yield f"{start}.contestants", one.n
    for name, found in one.found.items():
        yield from flat_estimate(f"{start}.{name}", found)


def flat_estimate(key: str, found: Estimate) -> Iterator[tuple[str, float]]:
    """Yield a value and its ends under flat keys."""
    yield key, rounded(found.value)
    if found.low is not None and found.high is not None:
        yield from ((f"{key}_lo", rounded(found.low)), (f"{key}_hi", rounded(found.high)))


def in_words(one: Related) -> str:
    """Return what is told for a person, or why nothing is."""
    if one.n < FEWEST:
        return f"not told of {one.n}, at least {FEWEST} contestants are wanted"
    if not one.found:
        return f"not told, all {one.n} contestants are alike in one of the two"
    told = [f"{name} {found.value:.2f}{ends_in_words(found, 2)}" for name, found in one.found.items()]
    return f"{', '.join(told)}; {one.n} contestants"


def ends_in_words(found: Estimate, places: int) -> str:
    """Return the interval of a value in brackets, nothing where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f" ({found.low:.{places}f} to {found.high:.{places}f})"
