"""How far judges agree with each other, with themselves and with people about the same answers: which raters are
compared.

Agreement is computed by setting and measure, over all items and in groups of items. A measure with several questions,
such as the statements of a checklist, is pooled over them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gamut.evaluation.scoring.agreement_measures import (
    VERDICT_MEASURES,
    Measure,
    mean_of_sums,
    measure_alpha,
    measure_pair,
    measure_share,
    with_bootstrap_interval,
)
from gamut.evaluation.scoring.estimates import keys_of_interval
from gamut.evaluation.scoring.statistics.inference import Floats
from gamut.tables.columns import Row

Answer = tuple[Any, ...]
"""Contestant, item, and what else identifies answers: sample and part, EVERY for the mean over all of them."""
EVERY = -1
RaterScores = Mapping[str, Mapping[Answer, Sequence[float]]]
"""The scores that each rater gave each answer: one, or one for each repeat."""


class Rating(NamedTuple):
    """One score by a judge or a person of an answer. `repeat`: how often the rater scored it before, from 0."""

    setting: str
    measure: str
    rater: str
    answer: Answer
    value: float
    repeat: int = 0


class RaterComparison(NamedTuple):
    """Who was compared, over how many answers, and each measure of agreement by name.

    `among`: `judges` (all raters, or the two named), `repeats` (of the judge named), `people` (with each other, or with
    the judge named: their mean, or for verdicts each of them), `again` (of the person named, asked once more).
    """

    among: str
    raters: tuple[str, ...]
    n: int
    measures: Mapping[str, Measure]


@dataclass(frozen=True)
class Agreement:
    """A comparison in one setting and one measure, of one group of items, or of all."""

    setting: str
    measure: str
    comparison: RaterComparison
    group: str | None = None


def ratings_of_judge(contestant: str, judge: str, judgments: Iterable[Row]) -> Iterator[Rating]:
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
    """Return all comparisons, by setting and measure; then the same in each of the `groups`, by item.

    * Judges, each with the mean of its repeats, and people: Krippendorff's `alpha` of all and quadratic weighted
      `kappa` of each pair.
    * One judge's repeats: `alpha`, the share of pairs that is `identical`, and the mean `distance`.
    * Each judge's mean against people's: `pearson`, mean absolute error `mae`, and `kappa`.
    * Measures that are `verdicts`, 0 or 1: the judge is compared with each person, since the mean of people who
      disagree is not a verdict. Also the share of answers on which two raters gave the `same`, and their `alpha`.
    """
    judges, people = list(judges), list(people)
    found = [*compare_raters(judges, people, seed, verdicts)]
    for group in dict.fromkeys(groups.values()):
        own, theirs = ([one for one in all_of if groups.get(one.answer[1]) == group] for all_of in (judges, people))
        found += compare_raters(own, theirs, seed, verdicts, group)
    return found


def compare_raters(
    judges: Sequence[Rating], people: Sequence[Rating], seed: int, verdicts: Collection[str], group: str | None = None
) -> Iterator[Agreement]:
    by_judges, by_people = group_ratings(judges), group_ratings(one for one in people if not one.repeat)
    with_repeats = group_ratings(people)
    for setting, measure in dict.fromkeys([*by_judges, *by_people]):
        own, theirs = by_judges.get((setting, measure), {}), by_people.get((setting, measure), {})
        for comparison in (
            *compare_judges(own, seed, measure in verdicts),
            *compare_repeats(own, "repeats", seed),
            *compare_people(own, theirs, seed, measure in verdicts),
            *compare_repeats(with_repeats.get((setting, measure), {}), "again", seed),
        ):
            yield Agreement(setting, measure, comparison, group)


def flat_agreement(agreements: Iterable[Agreement]) -> dict[str, float]:
    """Return keys `<setting>[.<group>].<measure>.<among>.<raters>.<name>`, with `_lo`, `_hi`, and `n`."""
    keys: dict[str, float] = {}
    for one in agreements:
        among, raters, n, measures = one.comparison
        start = ".".join((one.setting, *filter(None, [one.group]), one.measure, among, *raters))
        keys[f"{start}.n"] = n
        for name, (value, low, high) in measures.items():
            keys |= keys_of_interval(f"{start}.{name}", value, low, high)
    return keys


def group_ratings(ratings: Iterable[Rating]) -> dict[tuple[str, str], dict[str, dict[Answer, list[float]]]]:
    found: dict[tuple[str, str], dict[str, dict[Answer, list[float]]]] = {}
    for rating in ratings:
        of_rater = found.setdefault((rating.setting, rating.measure), {}).setdefault(rating.rater, {})
        of_rater.setdefault(rating.answer, []).append(rating.value)
    return found


def compare_judges(judges: RaterScores, seed: int, verdicts: bool) -> Iterator[RaterComparison]:
    names = ("kappa", *VERDICT_MEASURES) if verdicts else ("kappa",)
    if len(judges) > 1:
        items, means = mean_scores(judges)
        yield RaterComparison("judges", (), *measure_alpha(items, list(means.values()), seed))
        for one, other in combinations(means, 2):
            yield RaterComparison("judges", (one, other), *measure_pair(items, means[one], means[other], names, seed))


def compare_repeats(raters: RaterScores, among: str, seed: int) -> Iterator[RaterComparison]:
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
        means = {
            n: with_bootstrap_interval(float(v.mean()), items, (once, v), mean_of_sums, seed) for n, v in found.items()
        }
        if np.isin(found["identical"], (0, 1)).all():  # if all agree, no bootstrap draw differs
            means["identical"] = measure_share(items, found["identical"] == 1)
        yield RaterComparison(among, (rater,), len(items), means | alpha_of_repeats(items, [*repeated.values()], seed))


def alpha_of_repeats(items: Sequence[str], repeated: Sequence[Sequence[float]], seed: int) -> dict[str, Measure]:
    scores = np.full((len(repeated), max(map(len, repeated))), np.nan)
    for row, values in zip(scores, repeated, strict=True):
        row[: len(values)] = values
    return measure_alpha(items, list(scores.T), seed)[1]


def compare_people(judges: RaterScores, people: RaterScores, seed: int, verdicts: bool) -> Iterator[RaterComparison]:
    if len(people) > 1:
        items, means = mean_scores(people)
        yield RaterComparison("people", (), *measure_alpha(items, list(means.values()), seed))
        for one, other in combinations(means, 2):
            n, found = measure_pair(items, means[one], means[other], ("kappa",), seed)
            if n:
                yield RaterComparison("people", (one, other), n, found)
    if people:
        labelled = pool_scores(people.values())
        names = "pearson", "mae", "kappa", *(VERDICT_MEASURES if verdicts else ())
        for judge, given in judges.items():
            own = scores_at_grain(given, labelled)
            both = pair_verdicts(own, people) if verdicts else {"judge": own, "people": labelled}
            items, means = mean_scores(both)
            yield RaterComparison(
                "people", (judge,), *measure_pair(items, means["judge"], means["people"], names, seed)
            )


def pair_verdicts(judge: Mapping[Answer, Sequence[float]], people: RaterScores) -> dict[str, dict[Answer, list[float]]]:
    """Return a judge's verdicts, in every repeat, with those of each person on the same answers; its mean if a label
    does not name samples or questions.
    """
    found: dict[str, dict[Answer, list[float]]] = {"judge": {}, "people": {}}
    for person, of_person in people.items():
        for (contestant, item, *finer), label in of_person.items():
            verdicts = judge.get((contestant, item, *finer), ())
            of_one = len(finer) == 2 and EVERY not in finer  # sample and part
            for number, verdict in enumerate(verdicts if of_one or not verdicts else [fmean(verdicts)]):
                answer = (person, item, contestant, *finer, number)
                found["judge"][answer], found["people"][answer] = [verdict], [*label]
    return found


def pool_scores(raters: Iterable[Mapping[Answer, Sequence[float]]]) -> dict[Answer, list[float]]:
    found: dict[Answer, list[float]] = {}
    for of_rater in raters:
        for answer, values in of_rater.items():
            found.setdefault(answer, []).extend(values)
    return found


def scores_at_grain(scores: Mapping[Answer, Sequence[float]], wanted: Collection[Answer]) -> dict[Answer, list[float]]:
    """Return a judge's scores of the wanted answers, averaged to the same detail."""
    found: dict[Answer, list[float]] = {}
    for answer, values in scores.items():
        for coarser in coarser_answers(answer):
            if coarser in wanted:
                found.setdefault(coarser, []).extend(values)
    return found


def coarser_answers(answer: Answer) -> list[Answer]:
    """Return an answer's keys in less detail, without sample or part, and last its own."""
    contestant, item, sample, part = answer
    return [
        (contestant, item),
        (contestant, item, sample, EVERY),
        (contestant, item, EVERY, part),
        (contestant, item, sample, part),
    ]


def mean_scores(raters: RaterScores) -> tuple[list[str], dict[str, Floats]]:
    """Return the items of all scored answers, and each rater's mean scores of these, NaN for none."""
    answers = sorted({answer for of_rater in raters.values() for answer in of_rater})
    means = {
        rater: np.array([fmean(of_rater[answer]) if answer in of_rater else np.nan for answer in answers])
        for rater, of_rater in raters.items()
    }
    return [answer[1] for answer in answers], means
