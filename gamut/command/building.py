"""The commands around the build, thin faces: what each does stands in the module that it names."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.errors import UserError, one_line_errors


def option(metavar: str, help: str) -> Any:
    """Return an option with a value, by its parameter's name."""
    return typer.Option(metavar=metavar, help=help)


def flag(name: str, help: str) -> Any:
    """Return an option without a value."""
    return typer.Option(name, help=help)


AsJson = Annotated[bool, flag("--json", "Print JSON instead of what is for people.")]


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)


def recover() -> None:
    from gamut.command import recovery

    print_lines(recovery.recover())


def leave_out() -> None:
    from gamut.command import left_out

    print_lines(left_out.leave_out())


@one_line_errors
def check(
    quiet: Annotated[
        bool, typer.Option(help="Print only warnings, what is missing and needed, and what failed.")
    ] = False,
    ask: Annotated[
        bool, flag("--ask", "Also open every model in use and ask it one tiny question for each role.")
    ] = False,
    every: Annotated[
        bool, flag("--all", "First print every value and where it comes from, params.yaml or a default.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check parameters and surroundings; exit 1 when something that is needed is missing, or a model fails.

    What a killed `dvc` left half-written (dvc.lock, .dvc/tmp/rwlock) is fixed first, and said. A benchmark without a
    block in params.yaml, or without a whole edition, is left out of the build until it has both.

    `--ask` loads weights and may cost money: a line for each model and kind of request, with revision, seconds until
    the answer, tokens in and out, cost where run.toml has prices, and what failed.

    Examples: `gamut check`, `gamut check --quiet`, `gamut check --ask`, `gamut check --all`
    """
    from gamut.command import effective
    from gamut.command.check import finding_words, findings
    from gamut.command.terminal import NEXT_STEPS, notices_on_stderr, print_json, wrapped_text
    from gamut.publish.parameters import load_everything

    told: dict[str, list[dict[str, Any]]] = {"values": [], "findings": [], "asked": []}
    quiet = quiet or as_json
    with notices_on_stderr(as_json):
        recover()
        parameters = load_everything()
        leave_out()
        for one in effective.effective_values(parameters) if every and as_json else ():
            told["values"].append({"key": ".".join(one.place), "value": one.value, "default_of": one.of})
        print_lines(effective.effective_lines(parameters) if every and not as_json else ())
        missing = failed = 0
        for finding in findings(parameters):
            lacking = finding.needed and not finding.found
            missing += lacking
            told["findings"].append(asdict(finding))
            if lacking or finding.warning or not quiet:
                print(wrapped_text(finding_words(finding)))
        if ask:
            from gamut.command import model_check
            from gamut.project import settings

            probed = model_check.probe_models(parameters, settings.load())
            for result, line in model_check.result_lines(parameters, probed):
                failed += bool(result.failure)
                told["asked"].append(model_check.result_values(result))
                if result.failure or not quiet:
                    print(line, flush=True)
    if as_json:
        print_json(told)
    complaints = [f"{missing} needed thing{'s are' if missing > 1 else ' is'} missing"] if missing else []
    complaints += [f"{failed} question{'s' if failed > 1 else ''} failed"] if failed else []
    if complaints:
        sys.exit(", ".join(complaints))
    if not quiet:
        print(wrapped_text(f"all that is needed is here: {NEXT_STEPS}"))


@one_line_errors
def list_(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="benchmarks, contestants, editions, models, steps or profiles."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what there is: benchmarks and whether their boards are built, contestants, editions, models, steps.

    Examples: `gamut list`, `gamut list benchmarks`, `gamut list steps --json`
    """
    from gamut.command.listing import print_lists

    print_lists(kind, as_json)


@one_line_errors
def use(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Profiles, as in profiles/NAME.yaml.")],
    force: Annotated[bool, flag("--force", "Give up what was edited in params.yaml.")] = False,
) -> None:
    """Write params.yaml from profiles: profiles/defaults.yaml, and over it each of these in order.

    Mappings merge, lists and values are replaced. What you edited in params.yaml since stays, and is named.

    Examples: `gamut use parti`, `gamut use laptop parti`, `gamut use laptop --force`
    """
    from gamut.command import profiles

    print_lines(profiles.use_profiles(names, force))
    leave_out()


@one_line_errors
def pipeline(
    check: Annotated[bool, flag("--check", "Write nothing: exit 1 when a file is not up to date.")] = False,
) -> None:
    """Write the dvc.yaml files from the records of stages, after a change of code; params.yaml never needs it.

    Files that a person wrote are left alone. A stage whose entry is out of date stops when it starts, and says so.

    Examples: `gamut pipeline`, `gamut pipeline --check`
    """
    from gamut.command import pipeline_files

    print_lines(pipeline_files.write_pipelines(check))


@one_line_errors
def estimate(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Profiles, as of `gamut use`; else params.yaml.")
    ] = None,
    rows: Annotated[list[str] | None, option("WAVE=COUNT", "Rows of a source that is not here yet.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a build would ask, and take in GPU-hours, money and disk, before anything is run.

    Money where run.toml has prices; every figure is shown with its origin.

    Examples: `gamut estimate`, `gamut estimate flux-reason-6m`, `gamut estimate --rows aesthetics-part01=2700000`
    """
    from gamut.command.estimate import report

    report.print_estimate(names or [], rows or [], as_json)


@one_line_errors
def attempt(
    records: Annotated[
        int, typer.Argument(metavar="N", min=1, max=1000, help="Rows of each source, and items of each edition.")
    ],
    yes: Annotated[bool, flag("--yes", "Ask servers, also for money; else it stops at the price.")] = False,
) -> None:
    """Try everything that is configured with a few records, in a place that is thrown away, and show the pages.

    Every stage runs as in the whole build; this project's data, metrics and dvc.lock stay as they are. Replies go into
    the reply store: the whole build does not ask for them again. It goes on where half of a stage's records fail. Run
    again after whatever stopped it: it goes on where it was.

    Examples: `gamut try 3`, `gamut try 20 --yes`
    """
    from gamut.command import trial

    trial.run_trial(records, yes)


@one_line_errors
def retry(stage: Annotated[str, typer.Argument(help="A stage that asks, as in dvc.yaml.")]) -> None:
    """Ask again what a stage could not get or parse, and bring everything after it up to date.

    The requests are the same as before: a model that always says the same needs other sampling instead.

    Example: `gamut retry annotate`
    """
    from gamut.command import reply_store
    from gamut.project import pipeline

    recover()
    failed = reply_store.forget_failed(stage)
    if not failed:
        print(f"{stage}: the last run has no failures; `dvc repro` asks what is missing")
    else:
        print(f"{stage}: {failed:,} failed requests are asked again", flush=True)
        address = pipeline.address(pipeline.maker_of(stage))
        code = pipeline.run_dvc("repro", "--force", "--single-item", address) or pipeline.run_dvc("repro")
        sys.exit(code)


@one_line_errors
def show(
    of: Annotated[
        str,
        typer.Argument(metavar="STAGE|BENCHMARK", help=f"A stage, as `dvc repro` names it, or {' or '.join(NAMES)}."),
    ],
    record: Annotated[
        str, typer.Argument(metavar="ID", help="A record's id; of a benchmark an item's or an answer's.")
    ],
    out: Annotated[Path, option("DIR", "Where pictures and long texts are written.")] = Path("shown"),
    as_json: AsJson = False,
) -> None:
    """Show one record of a stage, or one item of a benchmark with every answer and what was said of it.

    Of a stage: what it was asked about, its rows, and the replies as they came, also of a record that failed before
    there was any table. Every picture, and every text that is too long for a terminal, is written to a file that is
    named.

    Examples: `gamut show annotate laion-part01-00000003`, `gamut show BENCHMARK.judge@careful-gpt en-0-00000003`,
    `gamut show BENCHMARK style/2`, `gamut show BENCHMARK en-0-00000003 --out look`
    """
    from gamut.command.show_item import show_lines
    from gamut.command.terminal import print_json, wrapped_text

    if as_json:
        from gamut.command.show_item import shown_values

        print_json(shown_values(of, record, out))
        return
    print_lines(map(wrapped_text, show_lines(of, record, out)))


@one_line_errors
def report(
    out: Annotated[Path, option("DIR", "A new or empty folder, or one with an earlier report.")] = (Path("report")),
) -> None:
    """Write what was measured as pages to be looked at: boards, answers, judges, the dataset.

    The folder opens from disk and can be served as it is. Only what changed is written again; nothing is asked or
    measured. What has no pages is named with the reason; when something fails, all else is written, and the exit code
    is 1.

    Examples: `gamut report`, `gamut report --out public`
    """
    from gamut.command import report

    if failed := report.write_report(out):
        sys.exit(f"{failed} of the report's parts failed, as said above; all else is written")


@one_line_errors
def prune(
    images: Annotated[bool, typer.Option(help="Also drop images that their finished table holds.")] = False,
) -> None:
    """Drop replies and finished shards that no current table uses. Going back to other parameters will then ask again.

    Examples: `gamut store prune`, `gamut store prune --images`
    """
    from gamut.command import reply_store

    print_lines(reply_store.prune(images))


@one_line_errors
def seed(
    table: Annotated[Path | None, typer.Argument(help="A finished table, for example datasets/synthesize.")] = None,
    every: Annotated[bool, flag("--all", "Every table that is here.")] = False,
) -> None:
    """Fill the store from a table that was pulled, or from all of them, so that stages can run again without asking.

    What is in the store already stays as it is.

    Examples: `dvc pull && gamut store seed --all`, `gamut store seed datasets/annotate`
    """
    from gamut.command import reply_store

    if every == (table is not None):
        raise UserError("name one table, such as datasets/annotate, or say --all")
    print_lines(reply_store.seed_all() if table is None else [reply_store.seed(table)])


@one_line_errors
def summary() -> None:
    """Say in five lines what was built: rows released, who stands first, what failed, what it took, where to look.

    `make run` ends with it. Examples: `dvc repro; gamut summary`
    """
    from gamut.command.summary import summary_lines

    print_lines(summary_lines())
