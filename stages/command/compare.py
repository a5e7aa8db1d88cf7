"""`gamut compare`: two contestants, or all contestants at two revisions, on the items that both were asked.

Scores are compared benchmark by benchmark, view by view and judge by judge: where items of both have the same specs
(what contestants were given, which judge was asked what, how often), and values followed from scores as they do here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.measures import View, ends_of
from stages.evaluation.defining.parameters import TRIAL
from stages.evaluation.scoring.alike import first_unlike
from stages.evaluation.scoring.comparison import Difference, differences, together
from stages.evaluation.scoring.estimates import rounded
from stages.evaluation.scoring.scores import (
    SCHEMA,
    by_side_and_judge,
    by_view_and_judge,
    score_bounds,
    too_little_judged,
)
from stages.evaluation.scoring.specs import of_view, read_views, specs_of
from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError, nearest
from stages.project.files import read_metrics
from stages.project.parameters import load
from stages.project.pipeline import PARAMS, names_at, value_at
from stages.project.revisions import Revision
from stages.project.validation import read_yaml, shown
from stages.tables.columns import Row
from stages.tables.reading import read_rows

WORKSPACE = "workspace"
"""What DVC calls the files as they lie here."""
AnyBenchmark = Benchmark[Any, Any]
Scored = Mapping[tuple[str, str], Sequence[Row]]
"""Scores by side and judge."""


class Project:
    """The project as it lies here, or as `get` has it: where the copy of a file of another revision lies."""

    def __init__(self, name: str = WORKSPACE, get: Callable[[Path], Path] = lambda path: path) -> None:
        self.name, self.get = name, get
        params = read_yaml(get(PARAMS))
        self.contestants = names_at(params, "contestants")
        self.benchmarks = [name for name in NAMES if value_at(params, name) is not None]
        self.seed = value_at(params, "seed") or 0
        if not isinstance(self.seed, int):
            raise UserError(f"{PARAMS}: seed: a whole number is wanted, not {shown(self.seed)}")


class Entrant(NamedTuple):
    """A contestant of the project as it lies here or at a revision."""

    contestant: str
    project: Project

    def __str__(self) -> str:
        return self.contestant if self.project.name == WORKSPACE else f"{self.contestant}@{self.project.name}"

    def scores(self, benchmark: AnyBenchmark) -> tuple[list[Row], dict[str, str]]:
        """Return a benchmark's scores, and by view the digest of how its values followed from them; UserError when they
        are not there, or are of an earlier layout.
        """
        folder = self.project.get(benchmark.scores / self.contestant)
        rows = list(read_rows(folder))
        if rows and (lacking := [name for name in SCHEMA.names if name not in rows[0]]):
            raise UserError(
                f"scores of {self} are of an earlier layout, without {', '.join(lacking)}: have them scored again "
                "(`dvc repro`)"
            )
        try:
            return rows, read_views(folder)
        except UserError as error:
            raise UserError(f"scores of {self}: {error}") from None

    def trusts(self, board: Path, view: str, judge: str) -> bool:
        """Return whether a judge did not fail its trial, as far as a board there says."""
        try:
            copy = self.project.get(board)
            return not copy.exists() or read_metrics(copy).get(f"{view}.{judge}.{TRIAL}.passed") != 0
        except UserError:  # no board at that revision, or a damaged one
            return True


@dataclass(frozen=True)
class Comparison:
    """Two entrants in one view of a benchmark, by one judge; `trusted`: who did not fail its trial."""

    benchmark: str
    first: str
    second: str
    view: str
    judge: str
    differences: Sequence[Difference]
    trusted: bool = True


def compare(first: str, second: str, benchmarks: Sequence[AnyBenchmark] | None = None, as_json: bool = False) -> None:
    """Print how the two differ in some benchmarks, all that params.yaml has where none are named.

    UserError when they cannot be compared at all.
    """
    here = Project()
    found: list[Comparison] = []
    refused: list[str] = []
    entrants = pairs(entrant_or_project(first, here), entrant_or_project(second, here))
    for benchmark in benchmarks or [room_of(name).benchmark for name in here.benchmarks]:
        params = load(benchmark.params)
        views, board = benchmark.views_of(params), benchmark.metrics(params) / "board.json"
        most = benchmark.block(params).judge.max_unjudged
        for one, other in entrants:
            for compared in comparisons(benchmark, views, one, other, here.seed, most):
                if isinstance(compared, str):
                    refused.append(compared)
                else:
                    trusted = all(entrant.trusts(board, compared.view, compared.judge) for entrant in (one, other))
                    found.append(replace(compared, trusted=trusted))
    if not any(comparison.differences for comparison in found):
        raise UserError("\n".join(refused) or f"{first} and {second}: no item has scores of both")
    if as_json:
        everything = {"compared": [plain(comparison) for comparison in found], "not_compared": refused}
        print(json.dumps(everything, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(found, refused)


def entrant_or_project(argument: str, here: Project) -> Entrant | Project:
    """Return what `careful`, `careful@v1`, `v1` or `workspace` names; UserError for anything else."""
    if argument in here.contestants:
        return Entrant(argument, here)
    if argument == WORKSPACE:
        return here
    contestant, at, revision = argument.partition("@")
    if not (contestant and at) or revision.startswith("{"):  # main@{1} is a revision as a whole
        return project_at(argument, f" nor a contestant{nearest(argument, here.contestants)}")
    there = here if revision == WORKSPACE else project_at(revision, "")
    if contestant not in there.contestants:
        raise UserError(f"{argument}: no contestant {contestant!r} there{nearest(contestant, there.contestants)}")
    return Entrant(contestant, there)


def project_at(revision: str, otherwise: str) -> Project:
    """Return the project at a revision; a UserError says what else the name is not."""
    try:
        found = Revision(revision)
    except UserError as error:
        neither = "neither" if otherwise else "not"
        raise UserError(f"{revision!r} is {neither} a revision ({error}){otherwise}") from None
    return Project(revision, found.get)


def pairs(first: Entrant | Project, second: Entrant | Project) -> list[tuple[Entrant, Entrant]]:
    """Return who is compared with whom: of two revisions every contestant that both have with itself."""
    if isinstance(first, Entrant) and isinstance(second, Entrant):
        return [(first, second)]
    if isinstance(first, Entrant) or isinstance(second, Entrant):
        raise UserError(
            "one of the two names a contestant, the other a revision: name two contestants, as NAME or NAME@REVISION, "
            "or two revisions"
        )
    both = [name for name in second.contestants if name in first.contestants]
    if not both:
        raise UserError(f"{first.name} and {second.name} have no contestant in common")
    return [(Entrant(name, first), Entrant(name, second)) for name in both]


def comparisons(
    benchmark: AnyBenchmark, views: Sequence[View], first: Entrant, second: Entrant, seed: int, max_unjudged: float
) -> Iterator[Comparison | str]:
    """Compare two entrants in every view by every judge; a line where that cannot be done, so where a judge left a
    larger share than `max_unjudged` of one of them unjudged.
    """
    try:
        (ours, our_views), (theirs, their_views) = first.scores(benchmark), second.scores(benchmark)
    except UserError as error:
        yield f"{benchmark.title}: not compared: {error}"
        return
    our_sides, their_sides = by_side_and_judge(ours), by_side_and_judge(theirs)
    unlike = dict(unlike_sides(benchmark, views, our_sides, their_sides, first, second))
    both = our_sides.keys() - unlike
    alone = {key: of_one_alone((first, our_sides[key]), (second, their_sides[key])) for key in both}
    for (side, judge), why in [*unlike.items(), *sorted(alone.items())]:
        if why:
            yield f"{benchmark.title}, {side}, judged by {judge}: not compared: {why}"
    of_ours, of_theirs = by_view_and_judge(ours, views), by_view_and_judge(theirs, views)
    sides, aggregated = {view.name: view.sides for view in views}, {view.name: of_view(view) for view in views}
    for name, judge in [key for key in of_ours if key in of_theirs]:
        pair, where = (of_ours[name, judge], of_theirs[name, judge]), f"{benchmark.title}, {name}, judged by {judge}"
        if apart := [side for side in sides[name] if (side, judge) in unlike]:
            if sides[name] != (name,):  # else said above
                yield f"{where}: not compared: {' and '.join(apart)} cannot be"
            continue
        known = (first, our_views), (second, their_views)
        if otherwise := [one for one, before in known if before.get(name, aggregated[name]) != aggregated[name]]:
            yield f"{where}: not compared: values of {otherwise[0]} followed from its scores in another way than here"
            continue
        judged = [(one, too_little_judged(rows, max_unjudged)) for one, rows in zip((first, second), pair, strict=True)]
        if unsure := [f"{one} has {why}" for one, why in judged if why]:
            yield f"{where}: not compared: {'; '.join(unsure)}"
        elif found := differences_of(benchmark, next(view for view in views if view.name == name), *pair, seed):
            yield Comparison(benchmark.name, str(first), str(second), name, judge, found)
        else:
            yield f"{where}: not compared: no column has scores of both, {first} and {second}"


def unlike_sides(
    benchmark: AnyBenchmark, views: Sequence[View], ours: Scored, theirs: Scored, first: Entrant, second: Entrant
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the sides and judges whose scores cannot be compared, and why."""
    for key in dict.fromkeys([*ours, *theirs]):
        if key not in ours or key not in theirs:
            yield key, f"{second if key in theirs else first} alone has scores there"
        elif unlike := first_unlike(specs_of(ours[key]), specs_of(theirs[key])):
            yield key, unlike.between(str(first), str(second))
        elif unknown := named_in([*ours[key], *theirs[key]]) - {*benchmark.strata, *benchmark.measures}:
            yield key, f"scored for {min(unknown)}, which is no part of it any more"
        elif not any(key[0] in view.sides for view in views):
            yield key, f"with {PARAMS} as it is nothing is reported of that side"


def of_one_alone(*scored: tuple[Entrant, Sequence[Row]]) -> str:
    """Return in words how many items of a side and judge were put to one of two alone; empty where none was."""
    put = [{row["item"] for row in rows if row["low"] is not None} for _, rows in scored]
    alone = [len(put[0] - put[1]), len(put[1] - put[0])]
    counted = zip(alone, scored, strict=True)
    return " and ".join(f"{n:,} item{'s' * (n > 1)} of {who} alone" for n, (who, _) in counted if n)


def named_in(rows: Sequence[Row]) -> set[str]:
    """Return the strata and measures that scores are of."""
    return {row[name] for row in rows for name in ("stratum", "measure")}


def differences_of(
    benchmark: AnyBenchmark, view: View, first: Sequence[Row], second: Sequence[Row], seed: int
) -> list[Difference]:
    """Return what a view shows of two score tables, on their common items, tested together."""
    common = {row["item"] for row in first} & {row["item"] for row in second}
    stratum_of = {row["item"]: row["stratum"] for row in first if row["item"] in common}
    ours, theirs = (
        score_bounds([row for row in rows if row["item"] in common], list(stratum_of), view) for rows in (first, second)
    )
    strata = np.array([benchmark.strata.index(stratum) for stratum in stratum_of.values()], np.int64)
    shown = {name: view.reported[name] for name in (*view.shown, *view.profile)}
    return together(differences(ours, theirs, strata, shown, ends_of(view, benchmark.measures)), seed)


def plain(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison for a machine; all but p-values with the decimals that metrics have."""
    values = asdict(comparison)
    for one in values["differences"]:
        del one["inferred"], one["moved"]
        for name in ("first", "second", "difference", "low", "high", "detectable"):
            one[name] = one[name] if one[name] is None else rounded(one[name])
    return values


def show(found: Sequence[Comparison], refused: Sequence[str]) -> None:
    """Print the comparisons for a person, in 80 columns."""
    console = Console(soft_wrap=False)
    for comparison in found:
        board = f"{room_of(comparison.benchmark).benchmark.title}, {comparison.view}, judged by {comparison.judge}"
        table = Table(title=f"{comparison.first} and {comparison.second}: {board}", title_justify="left")
        table.add_column("", overflow="fold")
        for heading in (comparison.first, comparison.second, "difference", "p", "items", "detectable"):
            table.add_column(heading, justify="right")
        for one in comparison.differences:
            table.add_row(one.name, f"{one.first:.1f}", f"{one.second:.1f}", *in_words(one))
        console.print(table)
        if not comparison.trusted:
            print(f"{comparison.judge} failed its trial as a judge: the board says at what, and ranks nobody by it.")
    for line in refused:
        print(line)
    print("difference: second less first. All of one table is tested together, each table by itself: with 95 %")
    print("confidence all its intervals hold, p (of no difference) is adjusted, and detectable is the smallest true")
    print(
        "difference that would be found in 4 of 5 cases. p goes down in steps: below .05 an interval may still hold 0."
    )


def in_words(one: Difference) -> tuple[str, str, str, str]:
    """Return a difference with its interval, its p, number of items, and the smallest detectable one."""
    difference = f"{one.difference:+.1f}"
    if one.low is not None and one.high is not None:
        difference += f" [{one.low:+.1f}, {one.high:+.1f}]"
    p = "<.001" if one.p_adjusted < 0.001 else f"{one.p_adjusted:.3f}".removeprefix("0")
    return difference, p, f"{one.n:,}", "-" if one.detectable is None else f"{one.detectable:.1f}"
