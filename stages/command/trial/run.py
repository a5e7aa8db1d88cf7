"""What `gamut try N` does: lay out, price, ask, run every stage as the whole build does, and tell what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from typing import Any

from rich.console import Console

from stages.asking.limits import FAILURES
from stages.command import left_out, recovery, report
from stages.command.estimate.asks import Line, asks, known_sum, lines
from stages.command.estimate.flow import flow, source_rows
from stages.command.estimate.report import WIDTH, benchmark_lines, by_model, money, requests_table
from stages.command.trial.place import PLACE, lay_out
from stages.project import pipeline, settings
from stages.project.errors import UserError
from stages.project.locks import only_writer
from stages.project.plain_text import amount, first_of
from stages.publish.parameters import Everything, load_everything
from stages.publish.readiness import status
from stages.report.site.folder import REPORT
from stages.tables.reading import manifest, manifest_path

MOST = 1000
"""More than so many records of each source are no trial."""
NAMED = 4
PAGE = REPORT / "index.html"
Say = Callable[[str], None]


def attempt(text: str, yes: bool, say: Say) -> None:
    """Run a trial of so many records of each source and items of each edition; UserError for whatever kept it from its
    end, when all that could run has run.

    Interrupted anywhere, the next one goes on where it was.
    """
    most = number(text)
    load_everything()
    with only_writer("try"):
        lay_out(most)
        with chdir(PLACE):
            for line in (*recovery.recover(), *left_out.leave_out()):
                say(line)
            require_consent(load_everything(), most, yes, say)
            code = repro(most, say)
            if code:
                pages_of_what_there_is(say)
            said = [*failed_records(), *(not_run() if code else [])]
    for line in said:
        say(line)
    if not code:
        say("`dvc repro` builds it all, and asks nothing again that was answered here")
    say(f"to look closer: cd {PLACE}, then `gamut show` and the like; `rm -r {PLACE}` throws it away")
    if (PLACE / PAGE).exists():
        say(f"look at it: {PLACE / PAGE}")
    if code:
        raise UserError("not all of it ran, as said above: mend that and run it again, what was answered is kept")


def repro(most: int, say: Say) -> int:
    """Run what is out of date in this folder, whatever of it fails; return DVC's exit code."""
    try:
        return pipeline.dvc("repro", "--keep-going", "--quiet")
    except KeyboardInterrupt:
        say(f"`gamut try {most}` goes on from here")
        raise


def number(text: str) -> int:
    """Return how many records a trial is to have; UserError for what is no such number."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MOST):
        raise UserError(
            f"{text!r}: how many records? 1 to {MOST:,} make a trial, `gamut try 5` for example; `dvc repro` builds all"
        )
    return int(text)


def require_consent(everything: Everything, most: int, yes: bool, say: Say) -> None:
    """Say what is going to be asked, as `gamut estimate` counts it, and let a person decide where servers are asked or
    it costs money; UserError where it is not wanted, or nobody can be asked.
    """
    found, uncounted = priced(everything, settings.load())
    say(f"a trial: at most {amount(most, 'row')} of each source and {amount(most, 'item')} of each edition")
    Console(width=WIDTH, highlight=False).print(requests_table("About as many requests", found))
    for line in uncounted:
        say(line)
    remote = sorted({one.slug for one in everything.role_models() if one.model.kind == "openai"})
    cost = known_sum([line.cost for line in found])
    if yes or not (remote or cost):
        return
    said = f"servers are asked ({first_of(remote, NAMED)})" if remote else "it costs money"
    about = f"{said}, for about {money(cost)}" if cost else f"{said}, at prices that run.toml does not name"
    if not sys.stdin.isatty():
        raise UserError(f"{about}: `gamut try {most} --yes` does it")
    print(f"{about}. What is in the reply store is not asked again. Go on? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UserError("nothing was asked: a smaller number asks less")


def priced(everything: Everything, run_settings: settings.Settings) -> tuple[list[Line], list[str]]:
    """Return what the dataset and all benchmarks would ask, by model, and words for what is not counted."""
    params = everything.dataset
    asked = lines(params, asks(params, flow(params, source_rows(params, {}))), run_settings)
    measured, uncounted = benchmark_lines(everything, run_settings)
    return by_model([*asked, *measured]), uncounted


def pages_of_what_there_is(say: Say) -> None:
    """Write pages though some stage failed; what keeps them from being written keeps nothing else from being said."""
    try:
        report.report(REPORT, None)
    except UserError as error:
        say(str(error))


def failed_records() -> Iterator[str]:
    """Yield a line for every stage of which rows failed."""
    for stage, entry in pipeline.stages().items():
        table = pipeline.main_output(entry)
        if table is None or not manifest_path(table).exists():
            continue
        whole = manifest(table)
        failed = {status: count for status, count in whole.get("statuses", {}).items() if status in FAILURES and count}
        if failed:
            why = ", ".join(f"{count:,} {status}" for status, count in sorted(failed.items()))
            yield f"{stage}: {sum(failed.values()):,} of {amount(whole['rows'], 'row')} failed: {why}"


def not_run() -> Iterator[str]:
    """Yield which stages failed, whose own words stand above, and how many wait for them.

    DVC takes away what a stage wrote before it runs again: who waits lacks what it reads.
    """
    outdated = status([*pipeline.declared_in(pipeline.PIPELINE)])
    waiting = {name for name, changes in outdated.items() if any(map(lacks_input, changes))}
    if failed := [name for name in outdated if name not in waiting]:
        yield f"failed, each for the reason that it gave above: {first_of(failed, NAMED)}"
    if waiting:
        yield f"{amount(len(waiting), 'stage')} did not run for want of what these write"


def lacks_input(change: Any) -> bool:
    """Return whether what DVC says of a stage is that something it reads is not there."""
    return isinstance(change, dict) and "deleted" in change.get("changed deps", {}).values()
