"""`gamut compare`: two contestants, or all contestants at two revisions, on the items that both were asked.

Who is compared with whom, benchmark by benchmark, and how it is printed; what is comparable, and how far apart two are,
`evaluation.scoring.pairwise` says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.scoring.comparison import Difference
from stages.evaluation.scoring.entrants import WORKSPACE, Entrant, as_it_lies, read_scored
from stages.evaluation.scoring.pairwise import Comparison, comparisons, plain
from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError, nearest
from stages.project.parameters import load
from stages.project.pipeline import PARAMS, names_at, value_at
from stages.project.plain_text import decimals, signed
from stages.project.revisions import Revision
from stages.project.validation import read_yaml

AnyBenchmark = Benchmark[Any, Any]


class Project:
    """The project as it lies here, or as `get` has it: where the copy of a file of another revision lies."""

    def __init__(self, name: str = WORKSPACE, get: Callable[[Path], Path] = as_it_lies) -> None:
        self.name, self.get = name, get
        params = read_yaml(get(PARAMS))
        self.contestants = names_at(params, "contestants")
        self.benchmarks = [name for name in NAMES if value_at(params, name) is not None]

    def entrant(self, contestant: str) -> Entrant:
        """Return one of its contestants."""
        return Entrant(contestant, self.name, self.get)


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
        views = benchmark.views_of(params)
        for pair in entrants:
            try:
                one, other = (read_scored(entrant, benchmark, params) for entrant in pair)
            except UserError as error:
                refused.append(f"{benchmark.title}: not compared: {error}")
                continue
            for compared in comparisons(benchmark, views, one, other, params.seed):
                if isinstance(compared, str):
                    refused.append(compared)
                else:
                    found.append(compared)
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
        return here.entrant(argument)
    if argument == WORKSPACE:
        return here
    contestant, at, revision = argument.partition("@")
    if not (contestant and at) or revision.startswith("{"):  # main@{1} is a revision as a whole
        return project_at(argument, f" nor a contestant{nearest(argument, here.contestants)}")
    there = here if revision == WORKSPACE else project_at(revision, "")
    if contestant not in there.contestants:
        raise UserError(f"{argument}: no contestant {contestant!r} there{nearest(contestant, there.contestants)}")
    return there.entrant(contestant)


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
    return [(first.entrant(name), second.entrant(name)) for name in both]


def show(found: Sequence[Comparison], refused: Sequence[str]) -> None:
    """Print the comparisons for a person, in 80 columns."""
    console = Console(soft_wrap=False)
    for comparison in found:
        benchmark = room_of(comparison.benchmark).benchmark
        params = load(benchmark.params)
        view = next(view for view in benchmark.views_of(params) if view.name == comparison.view)
        board = f"{benchmark.title}, {view.name}, {benchmark.block(params).seen_by_in(view)} {comparison.judge}"
        table = Table(title=f"{comparison.first} and {comparison.second}: {board}", title_justify="left")
        table.add_column("", overflow="fold")
        for heading in (comparison.first, comparison.second, "difference", "p", "items", "detectable"):
            table.add_column(heading, justify="right")
        for one in comparison.differences:
            table.add_row(one.name, decimals(one.first), decimals(one.second), *in_words(one))
        console.print(table)
        if view.lower_is_better:
            print(f"{view.shown[0]}: lower is better.")
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
    difference = signed(one.difference)
    if one.low is not None and one.high is not None:
        difference += f" [{signed(one.low)}, {signed(one.high)}]"
    p = "<.001" if one.p_adjusted < 0.001 else f"{one.p_adjusted:.3f}".removeprefix("0")
    return difference, p, f"{one.n:,}", "-" if one.detectable is None else decimals(one.detectable)
