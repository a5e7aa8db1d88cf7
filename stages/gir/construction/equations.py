"""Equations of whole numbers, and all answers to them within a domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple


class Equation(NamedTuple):
    """The sum of weight times number, over all unknowns in order, is `total`."""

    weights: tuple[int, ...]
    total: int


def answers(
    equations: Sequence[Equation], unknowns: int, largest: int, known: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield all numbers from 0 to `largest`, one for each unknown, that fulfil the equations and begin with the known
    ones.
    """
    place = len(known)
    low, high = 0, largest
    for weights, total in equations:
        weight, rest = (*weights, 0)[place], total - sum(w * n for w, n in zip(weights, known, strict=False))
        later = [w * largest for w in weights[place + 1 :]]
        least, most = rest - sum(w for w in later if w > 0), rest - sum(w for w in later if w < 0)
        if weight > 0:
            low, high = max(low, -(-least // weight)), min(high, most // weight)
        elif weight < 0:
            low, high = max(low, -(most // -weight)), min(high, -least // -weight)
        elif not least <= 0 <= most:
            return
    if place == unknowns:
        yield known
        return
    for number in range(low, high + 1):
        yield from answers(equations, unknowns, largest, (*known, number))


def determine(equations: Sequence[Equation], unknowns: int, largest: int) -> bool:
    """Return whether the equations have one answer within the domain, and no other."""
    return len(list(islice(answers(equations, unknowns, largest), 2))) == 1
