"""How far judges agree with each other, with themselves and with people about the same answers: who is compared.

By setting and measure, over all items and in groups of them; a measure that is asked about several times, such as the
statements of a checklist, is pooled over these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.agreement_measures import (
    VERDICTS,
    Measured,
    mean_of_sums,
    measured,
    paired,
    share,
    together,
)
from gamut.evaluation.scoring.estimates import rounded
from gamut.tables.columns import Row

Answer = tuple[Any, ...]
"""Contestant, item, and what else tells answers apart: sample and part, EVERY for the mean over all of them."""
EVERY = -1
Given = Mapping[str, Mapping[Answer, Sequence[float]]]
"""The scores that each rater gave each answer: one, or one a repeat."""


class Rating(NamedTuple):
    """One score that a judge or a person gave an answer; `repeat`: for the how manieth time, counted from 0."""

    setting: str
    measure: str
    rater: str
    answer: Answer
    value: float
    repeat: int = 0


class Compared(NamedTuple):
    """Who was compared, over how many answers, and what was found.

    `among`: `judges` (all raters, or the two named), `repeats` (of the judge named), `people` (with each other, or with
    the judge named: the mean of them, or of verdicts each of them), `again` (of the person named, asked once more).
    """

    among: str
    raters: tuple[str, ...]
    n: int
    found: Mapping[str, Measured]


@dataclass(frozen=True)
class Agreement:
    """A comparison in one setting in one measure; of one group of items, or of all."""

    setting: str
    measure: str
    compared: Compared
    group: str | None = None


def ratings(contestant: str, judge: str, judgments: Iterable[Row]) -> Iterator[Rating]:
    for row in judgments:
        if row["status"] == "ok":
            answer = contestant, row["item"], row["sample"], row["part"]
            yield Rating(row["setting"], row["question"], judge, answer, row["value"], row["repeat"])


def agreements(
    judges: Iterable[Rating],
    people: Iterable[Rating],
    seed: int,
    verdicts: Collection[str] = (),
    groups: Mapping[str, str] = MappingProxyType({}),
) -> list[Agreement]:
    """Return all that can be compared, by setting and measure; then the same in each of the `groups`, given by item.

    Of judges, each with the mean of its repeats, and of people: Krippendorff's `alpha` of all and quadratic weighted
    `kappa` of each pair. Of one judge's repeats: `alpha`, the share of pairs that is `identical`, and the mean
    `distance`. Of each judge's mean against people's: `pearson`, mean absolute error `mae`, and `kappa`.

    Of measures that are `verdicts`, 0 or 1, each is held against that of each person, since a mean of people who
    disagree is nobody's verdict, with the share on which two said the `same`, and `alpha` of the two.
    """
    judges, people = list(judges), list(people)
    found = [Agreement(*one) for one in compared(judges, people, seed, verdicts)]
    for group in dict.fromkeys(groups.values()):
        own, theirs = ([one for one in given if groups.get(one.answer[1]) == group] for given in (judges, people))
        found += [Agreement(*one, group) for one in compared(own, theirs, seed, verdicts)]
    return found


def compared(
    judges: Iterable[Rating], people: Iterable[Rating], seed: int, verdicts: Collection[str]
) -> Iterator[tuple[str, str, Compared]]:
    people = list(people)
    by_judges, by_people = grouped(judges), grouped(one for one in people if not one.repeat)
    asked_again = grouped(people)
    for setting, measure in dict.fromkeys([*by_judges, *by_people]):
        own, theirs = by_judges.get((setting, measure), {}), by_people.get((setting, measure), {})
        for one in (
            *between_judges(own, seed, measure in verdicts),
            *between_repeats(own, "repeats", seed),
            *with_people(own, theirs, seed, measure in verdicts),
            *between_repeats(asked_again.get((setting, measure), {}), "again", seed),
        ):
            yield setting, measure, one


def flat(found: Iterable[Agreement]) -> dict[str, float]:
    """Flat keys `<setting>[.<group>].<measure>.<among>.<raters>.<name>`, with `_lo` and `_hi`, and one `n` of each
    comparison.
    """
    keys: dict[str, float] = {}
    for one in found:
        among, raters, n, measures = one.compared
        start = ".".join((one.setting, *filter(None, [one.group]), one.measure, among, *raters))
        keys[f"{start}.n"] = n
        for name, (value, low, high) in measures.items():
            keys[f"{start}.{name}"] = rounded(value)
            if low is not None and high is not None:
                keys[f"{start}.{name}_lo"], keys[f"{start}.{name}_hi"] = rounded(low), rounded(high)
    return keys


def grouped(given: Iterable[Rating]) -> dict[tuple[str, str], dict[str, dict[Answer, list[float]]]]:
    found: dict[tuple[str, str], dict[str, dict[Answer, list[float]]]] = {}
    for rating in given:
        of_rater = found.setdefault((rating.setting, rating.measure), {}).setdefault(rating.rater, {})
        of_rater.setdefault(rating.answer, []).append(rating.value)
    return found


def between_judges(judges: Given, seed: int, verdicts: bool) -> Iterator[Compared]:
    names = ("kappa", *VERDICTS) if verdicts else ("kappa",)
    if len(judges) > 1:
        items, means = laid_out(judges)
        yield Compared("judges", (), *together(items, list(means.values()), seed))
        for one, other in combinations(means, 2):
            yield Compared("judges", (one, other), *paired(items, means[one], means[other], names, seed))


def between_repeats(raters: Given, among: str, seed: int) -> Iterator[Compared]:
    for rater, given in raters.items():
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
        if np.isin(found["identical"], (0, 1)).all():  # a share, of which a draw of items that all agree knows no end
            means["identical"] = share(items, found["identical"] == 1)
        yield Compared(among, (rater,), len(items), means | alpha_of(items, [*repeated.values()], seed))


def alpha_of(items: Sequence[str], repeated: Sequence[Sequence[float]], seed: int) -> dict[str, Measured]:
    scores = np.full((len(repeated), max(map(len, repeated))), np.nan)
    for row, values in zip(scores, repeated, strict=True):
        row[: len(values)] = values
    return together(items, list(scores.T), seed)[1]


def with_people(judges: Given, people: Given, seed: int, verdicts: bool) -> Iterator[Compared]:
    if len(people) > 1:
        items, means = laid_out(people)
        yield Compared("people", (), *together(items, list(means.values()), seed))
        for one, other in combinations(means, 2):
            n, found = paired(items, means[one], means[other], ("kappa",), seed)
            if n:
                yield Compared("people", (one, other), n, found)
    if people:
        labelled = pooled(people.values())
        names = "pearson", "mae", "kappa", *(VERDICTS if verdicts else ())
        for judge, given in judges.items():
            own = at_grain(given, labelled)
            both = verdict_by_verdict(own, people) if verdicts else {"judge": own, "people": labelled}
            items, means = laid_out(both)
            yield Compared("people", (judge,), *paired(items, means["judge"], means["people"], names, seed))


def verdict_by_verdict(judge: Mapping[Answer, Sequence[float]], people: Given) -> dict[str, dict[Answer, list[float]]]:
    """Return a judge's verdicts, in every repeat, beside those of each person on the same answers; its mean where a
    label does not tell samples or questions apart.
    """
    found: dict[str, dict[Answer, list[float]]] = {"judge": {}, "people": {}}
    for person, of_person in people.items():
        for (contestant, item, *finer), label in of_person.items():
            said = judge.get((contestant, item, *finer), ())
            of_one = len(finer) == 2 and EVERY not in finer  # sample and part
            for number, verdict in enumerate(said if of_one or not said else [fmean(said)]):
                answer = (person, item, contestant, *finer, number)
                found["judge"][answer], found["people"][answer] = [verdict], [*label]
    return found


def pooled(given: Iterable[Mapping[Answer, Sequence[float]]]) -> dict[Answer, list[float]]:
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


def laid_out(given: Given) -> tuple[list[str], dict[str, NDArray[np.float64]]]:
    """Return the items of all answers that anybody scored, and each rater's mean scores of these, NaN for none."""
    answers = sorted({answer for of_rater in given.values() for answer in of_rater})
    means = {
        rater: np.array([fmean(of_rater[answer]) if answer in of_rater else np.nan for answer in answers])
        for rater, of_rater in given.items()
    }
    return [answer[1] for answer in answers], means
