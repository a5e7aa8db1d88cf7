"""`gamut compare`: two contestants, or all contestants at two revisions, on the items that both were asked.

`evaluation.scoring.pairwise` decides what can be compared, and estimates the differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any

from gamut.command.comparison_shown import (
    BenchmarkVerdict,
    Compared,
    all_passed,
    benchmark_verdict,
    comparison_record,
    margin_ruling,
    print_comparisons,
    print_overview_notes,
    print_ruling,
    print_verdicts,
    ruling_record,
    verdict_record,
    with_unjudged_highest,
)
from gamut.command.terminal import print_json, print_staleness, wrapped_text
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.scoring.groups import OverTrainings, compare_groups
from gamut.evaluation.scoring.pairwise import Entrant, EntrantScores, comparisons, read_entrant_scores, workspace_file
from gamut.project.errors import UserError, nearest_choice
from gamut.project.parameters import load
from gamut.project.pipeline import PARAMS, names_at, value_at
from gamut.project.revisions import WORKSPACE, Revision
from gamut.project.validation import read_yaml
from gamut.tables.columns import grouped
from gamut.training.recipes import contestants_by_recipe

MOST_ITEMS = 10
"""Items that are listed below a verdict, unless `--items` gives another number."""


class Project:
    """The project as it is now, or at another revision: `get` returns where its copy of a file lies."""

    def __init__(self, name: str = WORKSPACE, get: Callable[[Path], Path] = workspace_file) -> None:
        self.name, self.get = name, get
        self.params = read_yaml(get(PARAMS))
        self.contestants = names_at(self.params, "contestants")
        self.benchmarks = [name for name in NAMES if value_at(self.params, name) is not None]

    def entrant(self, contestant: str) -> Entrant:
        return Entrant(contestant, self.name, self.get)

    def recipes(self, benchmark: str) -> dict[str, list[Entrant]]:
        """Return contestants of a benchmark that are trainings of one recipe, by its name."""
        measured = names_at(self.params, f"{benchmark}.contestants")
        models = {name: value_at(self.params, f"contestants.{name}.model") or {} for name in measured}
        return {recipe: [*map(self.entrant, of)] for recipe, of in contestants_by_recipe(models).items()}


def compare(
    first: str,
    second: str,
    of: str | None = None,
    judge: str | None = None,
    items: int | None = None,
    margin: float | None = None,
    as_json: bool = False,
) -> bool:
    """Print how the two differ. Return whether the second is within the margin; True without one. UserError if nothing
    can be compared.
    """
    if margin is not None and not 0 <= margin < math.inf:
        raise UserError(f"--margin {margin:g}: give points of a board, 0 or more, such as 2")
    if items and of is None and margin is None and not as_json:
        raise UserError("--items needs a benchmark: name it with --of")
    here = Project()
    compared, verdicts = list[Compared](), list[BenchmarkVerdict]()
    judges: set[str] = set()
    named = entrant_or_project(first, here), entrant_or_project(second, here)
    entrants = entrant_pairs(*named)
    refused = [*missing_contestants(*named), *(() if of is not None else benchmarks_without_block(*named, here))]
    apart = [*missing_contestants(*reversed(named))]  # a new contestant fails no margin
    name, colon, rest = (of or "").partition(":")
    names, only = here.benchmarks if of is None else [name], rest if colon else None
    for name, pair in product(names, entrants):
        benchmark = curation_of(name).benchmark
        params = load(benchmark.params)
        metrics = {metric.name: metric for metric in benchmark.metrics_in(params)}
        if only is not None and only not in metrics:
            raise UserError(f"{of}: {benchmark.title} has no metric {only!r}{nearest_choice(only, metrics)}")
        if of is None and (without := [str(one) for one in pair if not takes_part(name, one)]):
            apart.append(f"{benchmark.title}: not compared: {without[-1]} is not measured in it")
            continue
        try:
            both = [read_entrant_scores(entrant, benchmark, params) for entrant in pair]
        except UserError as error:
            refused.append(f"{benchmark.title}: not compared: {error}")
            continue
        judges |= {by for scored in both for _, by in scored.asked}
        ours, theirs = (scored if judge is None else scores_by_judge(judge, scored) for scored in both)
        ours, theirs = (ours, theirs) if only is None else scores_of_metric(metrics[only], ours, theirs)
        ours = ours if margin is None else with_unjudged_highest(ours)
        found = [*comparisons(benchmark, [*metrics.values()], ours, theirs, params.seed)]
        refused += [one for one in found if isinstance(one, str)]
        boards = [one for one in found if not isinstance(one, str)]
        for one in boards:
            place = one.metric, one.judge
            compared.append(Compared(benchmark, metrics[one.metric], one, ours.laid[place], theirs.laid[place]))
        if boards and margin is None:  # with a margin, what is unjudged counts for the first: no estimate
            metric = benchmark.headline(params)[0] if only is None else metrics[only]
            place = metric.name, metric.by or judge or benchmark.block(params).judged_by[0]
            verdicts.append(benchmark_verdict(benchmark, place, boards, metrics, params.seed))
    if judge is not None and judges and judge not in judges:
        raise UserError(f"no contestant has scores by {judge!r}{nearest_choice(judge, judges)}")
    if not compared:
        raise UserError("\n".join([*refused, *apart]) or f"no item has scores of both {first} and {second}")
    recipes = dict(compare_recipes(*named, names)) if margin is None and judge is None and only is None else {}
    rulings = [] if margin is None else [margin_ruling(one.metric, one.comparison, margin) for one in compared]
    if as_json:
        everything: dict[str, Any] = {
            "verdicts": [verdict_record(one) for one in verdicts],
            "recipes": {name: one._asdict() for name, one in recipes.items()},
            "compared": [comparison_record(one, items or 0) for one in compared],
            "not_compared": refused,
            "not_both": apart,
        }
        if margin is not None:
            records = [ruling_record(one) for one in rulings]
            everything["margin"] = {"margin": margin, "passed": all_passed(rulings, len(refused)), "boards": records}
        print_json(everything)
    elif margin is not None:
        print_ruling(f"{second} is within {margin:g} of {first}", compared, rulings, refused, items or MOST_ITEMS)
    else:
        print_verdicts(first, second, verdicts)
        for recipe, found_of_all in recipes.items():
            print(wrapped_text(f"all trainings of {recipe}: {found_of_all}"))
        if of is None:
            print_overview_notes(verdicts, refused, apart)
        else:
            print_comparisons(compared, [*refused, *apart], items or 0)
    print_stale_scores(dict.fromkeys(one.benchmark.name for one in compared), chain.from_iterable(entrants))
    return all_passed(rulings, len(refused)) if rulings else True


def compare_recipes(
    first: Entrant | Project, second: Entrant | Project, benchmarks: Iterable[str]
) -> Iterator[tuple[str, OverTrainings]]:
    """Yield what headline boards say of each recipe of two revisions, trainings against trainings."""
    if isinstance(first, Entrant) or isinstance(second, Entrant):
        return
    for name in benchmarks:
        benchmark, before = curation_of(name).benchmark, first.recipes(name)
        for recipe, entrants in second.recipes(name).items():
            if recipe in before:
                found = compare_groups(benchmark, load(benchmark.params), before[recipe], entrants)
                yield f"{recipe}, {benchmark.title}", found


def takes_part(benchmark: str, entrant: Entrant) -> bool:
    return entrant.contestant in names_at(read_yaml(entrant.get(PARAMS)), f"{benchmark}.contestants")


def print_stale_scores(benchmarks: Iterable[str], entrants: Iterable[Entrant]) -> None:
    versions = grouped((entrant.revision, entrant) for entrant in dict.fromkeys(entrants))
    for name in benchmarks:
        for version, own in versions.items():
            names = {one.contestant for one in own}
            others = [one for one in names_at(read_yaml(own[0].get(PARAMS)), "contestants") if one not in names]
            what, aside = f"{curation_of(name).benchmark.title} at {version}", [f"contestants.{one}" for one in others]
            print_staleness(what, [f"{name}.board"], version, own[0].get, aside)


def scores_of_metric(
    metric: Metric, first: EntrantScores, second: EntrantScores
) -> tuple[EntrantScores, EntrantScores]:
    """Keep one metric, and of the settings only those in which the two are compared."""
    pair = first, second
    places = {
        (setting, judge)
        for one in pair
        for _, judge in one.asked
        for setting in settings_compared(metric, judge, *pair)
    }
    one, other = (
        replace(
            scored,
            asked={place: asked for place, asked in scored.asked.items() if place in places},
            laid={place: laid for place, laid in scored.laid.items() if place[0] == metric.name},
        )
        for scored in pair
    )
    return one, other


def settings_compared(metric: Metric, judge: str, first: EntrantScores, second: EntrantScores) -> Collection[str]:
    """Return the settings that decide whether two can be compared: those on which both count, not where each counts on
    a setting of its own; where one does not count, all that might.
    """
    ours, theirs = (
        metric.settings_counted({setting for setting, by in one.asked if by == judge}) for one in (first, second)
    )
    if ours is None or theirs is None:
        return [*metric.settings, *metric.instead]
    return [setting for setting in ours if setting in theirs]


def scores_by_judge(judge: str, scored: EntrantScores) -> EntrantScores:
    asked = {place: one for place, one in scored.asked.items() if place[1] == judge}
    return replace(scored, asked=asked, laid={place: one for place, one in scored.laid.items() if place[1] == judge})


def entrant_or_project(argument: str, here: Project) -> Entrant | Project:
    if argument in here.contestants:
        return here.entrant(argument)
    if argument == WORKSPACE:
        return here
    contestant, at, revision = argument.partition("@")
    if not (contestant and at) or revision.startswith("{"):  # main@{1} is a revision as a whole
        return project_at(argument, f" nor a contestant{nearest_choice(argument, [*here.contestants, WORKSPACE])}")
    there = here if revision == WORKSPACE else project_at(revision, "")
    if contestant not in there.contestants:
        raise UserError(
            f"{argument}: {revision} has no contestant {contestant!r}{nearest_choice(contestant, there.contestants)}"
        )
    return there.entrant(contestant)


def project_at(revision: str, otherwise: str) -> Project:
    try:
        found = Revision(revision)
    except UserError as error:
        neither = "neither" if otherwise else "not"
        raise UserError(f"{revision!r} is {neither} a revision ({error}){otherwise}") from None
    return Project(revision, found.get)


def entrant_pairs(first: Entrant | Project, second: Entrant | Project) -> list[tuple[Entrant, Entrant]]:
    if isinstance(first, Entrant) and isinstance(second, Entrant):
        return [(first, second)]
    if isinstance(first, Entrant) or isinstance(second, Entrant):
        raise UserError(
            "a contestant cannot be compared with a revision: name two contestants, as NAME or NAME@REVISION, or two "
            "revisions"
        )
    both = [name for name in second.contestants if name in first.contestants]
    if not both:
        raise UserError(f"{first.name} and {second.name} have no contestant in common")
    return [(first.entrant(name), second.entrant(name)) for name in both]


def missing_contestants(first: Entrant | Project, second: Entrant | Project) -> Iterator[str]:
    """Yield the contestants of the first that the second lacks."""
    if isinstance(first, Project) and isinstance(second, Project):
        for name in first.contestants:
            if name not in second.contestants:
                yield f"{name}: not compared: {second.name} does not have this contestant"


def benchmarks_without_block(first: Entrant | Project, second: Entrant | Project, here: Project) -> Iterator[str]:
    """Yield the benchmarks of either that have no block here, so that nothing says how to compare them."""
    theirs = {
        name
        for one in (first, second)
        for name in (one if isinstance(one, Project) else Project(one.revision, one.get)).benchmarks
    }
    for name in NAMES:
        if name in theirs and name not in here.benchmarks:
            yield f"{curation_of(name).benchmark.title}: not compared: {PARAMS} here has no block {name!r}"
