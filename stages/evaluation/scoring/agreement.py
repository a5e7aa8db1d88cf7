"""How far judges agree with each other, with themselves and with people about the same answers, with intervals.

Kappa, alpha, Pearson's r and mean distances are all functions of sums over items. So one bootstrap gives all intervals:
it draws items, each with the answers of all contestants, for answers to one prompt are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import OfSums
from stages.evaluation.scoring.draws import drawn, shared_weights
from stages.evaluation.scoring.estimates import around, rounded
from stages.evaluation.scoring.statistics import krippendorff
from stages.evaluation.scoring.statistics.bootstrap import Weights
from stages.evaluation.scoring.statistics.correlation import mean_absolute_error, moments, pearson, pearson_of_sums
from stages.evaluation.scoring.statistics.kappa import kappa_of_sums, weighted_kappa
from stages.tables.columns import Row

Floats = NDArray[np.float64]
Answer = tuple[Any, ...]
"""Contestant, item, and what else tells answers apart: sample and part, EVERY for the mean over all of them."""
EVERY = -1
Given = Mapping[str, Mapping[Answer, Sequence[float]]]
"""The scores that each rater gave each answer: one, or one a repeat."""


class Rating(NamedTuple):
    """One score that a judge or a person gave an answer."""

    side: str
    measure: str
    rater: str
    answer: Answer
    value: float


class Measured(NamedTuple):
    """A measure of agreement and its 95 % interval (None where there are too few items for one)."""

    value: float
    low: float | None
    high: float | None


class Compared(NamedTuple):
    """Who was compared, over how many answers, and what was found; an undefined measure is left out.

    `among`: `judges` (all raters, or the two named), `repeats` (of the one named), `people` (with each other, or the
    mean of them with the judge named).
    """

    among: str
    raters: tuple[str, ...]
    n: int
    found: Mapping[str, Measured]


@dataclass(frozen=True)
class Agreement:
    """A comparison on one side in one measure."""

    side: str
    measure: str
    compared: Compared


def ratings(contestant: str, judge: str, observations: Iterable[Row]) -> Iterator[Rating]:
    """Yield the scores that a judge gave a contestant; what has none is no rating."""
    for row in observations:
        if row["status"] == "ok":
            answer = contestant, row["item"], row["sample"], row["part"]
            yield Rating(row["side"], row["question"], judge, answer, row["value"])


def agreements(
    judges: Iterable[Rating], people: Iterable[Rating], seed: int, verdicts: Collection[str] = ()
) -> list[Agreement]:
    """Return all that can be compared, by side and measure in the order of the ratings.

    Of judges, each with the mean of its repeats: Krippendorff's `alpha` (interval) of all and quadratic weighted
    `kappa` of each pair. Of one judge's repeats, all pairs of them: the share that is `identical`, and the mean
    `distance`. Of people: their `alpha`, and of each judge's mean against their mean `pearson`, mean absolute error
    `mae`, and `kappa`; where a label says nothing of sample or question, the judge's mean is over these too. Of
    measures that are `verdicts`, 0 or 1, also the share of answers on which two said the `same`; their kappa is the
    nominal one, as the square of a distance of 1 is 1.
    """
    by_judges, by_people = grouped(judges), grouped(people)
    return [
        Agreement(side, measure, compared)
        for side, measure in dict.fromkeys([*by_judges, *by_people])
        for compared in (
            *between_judges(by_judges.get((side, measure), {}), seed, measure in verdicts),
            *between_repeats(by_judges.get((side, measure), {}), seed),
            *with_people(
                by_judges.get((side, measure), {}), by_people.get((side, measure), {}), seed, measure in verdicts
            ),
        )
    ]


def flat(found: Iterable[Agreement]) -> dict[str, float]:
    """Flat keys `<side>.<measure>.<among>.<raters>.<name>`, with `_lo` and `_hi`, and one `n` of each comparison."""
    keys: dict[str, float] = {}
    for side, measure, compared in ((one.side, one.measure, one.compared) for one in found):
        start = ".".join((side, measure, compared.among, *compared.raters))
        keys[f"{start}.n"] = compared.n
        for name, (value, low, high) in compared.found.items():
            keys[f"{start}.{name}"] = rounded(value)
            if low is not None and high is not None:
                keys[f"{start}.{name}_lo"], keys[f"{start}.{name}_hi"] = rounded(low), rounded(high)
    return keys


def grouped(given: Iterable[Rating]) -> dict[tuple[str, str], dict[str, dict[Answer, list[float]]]]:
    """Return ratings by side and measure, then rater and answer."""
    found: dict[tuple[str, str], dict[str, dict[Answer, list[float]]]] = {}
    for rating in given:
        of_rater = found.setdefault((rating.side, rating.measure), {}).setdefault(rating.rater, {})
        of_rater.setdefault(rating.answer, []).append(rating.value)
    return found


def between_judges(judges: Given, seed: int, verdicts: bool) -> Iterator[Compared]:
    """Yield all judges together, then each pair."""
    names = ("kappa", *VERDICTS) if verdicts else ("kappa",)
    if len(judges) > 1:
        items, means = laid_out(judges)
        yield Compared("judges", (), *together(items, list(means.values()), seed))
        for one, other in combinations(means, 2):
            yield Compared("judges", (one, other), *paired(items, means[one], means[other], names, seed))


def between_repeats(judges: Given, seed: int) -> Iterator[Compared]:
    """Yield each judge that scored some answer more than once."""
    for judge, given in judges.items():
        repeated = {answer: values for answer, values in given.items() if len(values) > 1}
        if not repeated:
            continue
        items = [answer[1] for answer in repeated]
        distances = [[abs(x - y) for x, y in combinations(values, 2)] for values in repeated.values()]
        found = {
            "identical": np.array([fmean(distance == 0 for distance in of_one) for of_one in distances]),
            "distance": np.array([fmean(of_one) for of_one in distances]),
        }
        once = np.ones(len(items))
        means = {n: measured(float(v.mean()), items, (once, v), mean_of_sums, seed) for n, v in found.items()}
        yield Compared("repeats", (judge,), len(items), means)


def with_people(judges: Given, people: Given, seed: int, verdicts: bool) -> Iterator[Compared]:
    """People with each other, then each judge with their mean."""
    if len(people) > 1:
        items, means = laid_out(people)
        yield Compared("people", (), *together(items, list(means.values()), seed))
    if people:
        labelled = pooled(people.values())
        names = [name for name in PAIRED if verdicts or name not in VERDICTS]
        for judge, given in judges.items():
            items, means = laid_out({"judge": at_grain(given, labelled), "people": labelled})
            yield Compared("people", (judge,), *paired(items, means["judge"], means["people"], names, seed))


def pooled(given: Iterable[Mapping[Answer, Sequence[float]]]) -> dict[Answer, list[float]]:
    """Return all scores of an answer, of every rater."""
    found: dict[Answer, list[float]] = {}
    for of_rater in given:
        for answer, values in of_rater.items():
            found.setdefault(answer, []).extend(values)
    return found


def at_grain(given: Mapping[Answer, Sequence[float]], wanted: Collection[Answer]) -> dict[Answer, list[float]]:
    """Return a judge's scores of the wanted answers, each as finely told apart as it is wanted."""
    found: dict[Answer, list[float]] = {}
    for answer, values in given.items():
        for coarser in grains(answer):
            if coarser in wanted:
                found.setdefault(coarser, []).extend(values)
    return found


def grains(answer: Answer) -> list[Answer]:
    """Return what an answer with sample and part is called by who tells less apart."""
    contestant, item, sample, part = answer
    return [
        (contestant, item),
        (contestant, item, sample, EVERY),
        (contestant, item, EVERY, part),
        (contestant, item, sample, part),
    ]


def laid_out(given: Given) -> tuple[list[str], dict[str, Floats]]:
    """Return the items of all answers that anybody scored, and each rater's mean scores of these
    answers, NaN for none.
    """
    answers = sorted({answer for of_rater in given.values() for answer in of_rater})
    means = {
        rater: np.array([fmean(of_rater[answer]) if answer in of_rater else np.nan for answer in answers])
        for rater, of_rater in given.items()
    }
    return [answer[1] for answer in answers], means


def together(items: Sequence[str], raters: Sequence[Floats], seed: int) -> tuple[int, dict[str, Measured]]:
    """Return how many answers two raters or more have scored, and alpha."""
    scores = np.stack(raters, axis=1)
    kept = krippendorff.pairable(scores)
    of_kept = [item for item, counts in zip(items, kept, strict=True) if counts]
    value = defined(krippendorff.krippendorff_alpha, scores)
    if value is None:
        return len(of_kept), {}
    alpha = measured(value, of_kept, krippendorff.terms(scores[kept]), krippendorff.alpha_of_sums, seed)
    return len(of_kept), {"alpha": alpha}


def paired(
    items: Sequence[str], x: Floats, y: Floats, names: Sequence[str], seed: int
) -> tuple[int, dict[str, Measured]]:
    """Return how many answers both have scored, and the PAIRED measures of these names."""
    both = ~(np.isnan(x) | np.isnan(y))
    of_both = [item for item, kept in zip(items, both, strict=True) if kept]
    x, y = x[both], y[both]
    found: dict[str, Measured] = {}
    for name in names:
        statistic, terms, of_sums = PAIRED[name]
        value = defined(statistic, x, y)
        if value is not None:
            found[name] = measured(value, of_both, terms(x, y), of_sums, seed)
    return len(of_both), found


def defined(statistic: Callable[..., float], *scores: Floats) -> float | None:
    """Return a statistic of scores; None where it says (ValueError) that these scores leave it undefined."""
    try:
        return statistic(*scores)
    except ValueError:
        return None


def mean_of_sums(n: Floats, values: Floats) -> Floats:
    """Return the mean of values that have these sums."""
    return values / n


def share_of_same(x: Floats, y: Floats) -> float:
    """Return the share of answers on which two raters gave the same verdict, 0..1; ValueError where some score is
    neither 0 nor 1, or there are none.
    """
    if not len(x) or not np.isin([x, y], (0, 1)).all():
        raise ValueError("verdicts are 0 or 1")
    return float((x == y).mean())


PAIRED: Mapping[str, tuple[Callable[..., float], Callable[[Floats, Floats], Sequence[Floats]], Callable[..., Floats]]]
PAIRED = {
    "pearson": (pearson, moments, pearson_of_sums),
    "mae": (mean_absolute_error, lambda x, y: (np.ones(len(x)), np.abs(x - y)), mean_of_sums),
    "kappa": (weighted_kappa, moments, kappa_of_sums),
    "same": (share_of_same, lambda x, y: (np.ones(len(x)), (x == y).astype(np.float64)), mean_of_sums),
}
"""Of two raters' scores: the statistic, the terms of every answer, and the statistic again from the terms' sums."""
VERDICTS = ("same",)
"""Those of verdicts alone."""


def measured(
    value: float, items: Sequence[str], terms: Sequence[Floats], of_sums: Callable[..., Floats], seed: int
) -> Measured:
    """Return a measure with its interval: items are drawn, and in each draw it follows from the sums of the answers'
    terms.
    """
    names, of_item = np.unique(np.array(items), return_inverse=True)
    sums: Floats = np.stack(
        [np.bincount(of_item, weights=term, minlength=len(names)).astype(np.float64) for term in terms], axis=1
    )
    one = OfSums(lambda of_items: of_items, lambda totals: of_sums(*np.moveaxis(totals, -1, 0)))
    [found] = drawn([(sums, one)], np.zeros(len(names), np.int64), weights_of(len(names), seed))
    return Measured(value, *(around(found) or (None, None)))


@lru_cache(maxsize=2)
def weights_of(items: int, seed: int) -> Weights:
    """Return how often each of so many items is drawn."""
    return shared_weights(np.zeros(items, np.int64), seed)
