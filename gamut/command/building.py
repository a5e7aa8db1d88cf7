"""Commands around the build. Each only parses options; the module that it imports does the work."""

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
    """Return an option with a value; Typer names it after the parameter."""
    return typer.Option(metavar=metavar, help=help)


def flag(name: str, help: str) -> Any:
    """Return an option without a value."""
    return typer.Option(name, help=help)


AsJson = Annotated[bool, flag("--json", "Print JSON instead of text for people.")]


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
    quiet: Annotated[bool, typer.Option(help="Print only warnings, failures, and what is needed but missing.")] = False,
    ask: Annotated[bool, flag("--ask", "Also ask every model in use one tiny question for each of its roles.")] = False,
    every: Annotated[
        bool, flag("--all", "First print every parameter, and whether it is set in params.yaml or a default.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check parameters, models and programs before a build, and say how to fix what is missing.

    Files that a killed `dvc` left half-written (dvc.lock, .dvc/tmp/rwlock) are repaired. A benchmark without a block in
    params.yaml, or without a complete edition, is left out of the build until it has both.

    `--ask` loads weights and may cost money. It prints a line for each model and kind of request: revision, seconds,
    tokens in and out, the cost if run.toml has prices, and what failed. The exit code is 1 if something that is needed
    is missing, or if a model fails.

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
        typer.Argument(
            metavar="KIND", help="benchmarks, contestants, editions, models, steps or profiles; all if left out."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what this project has: benchmarks, contestants, editions, models, steps and profiles.

    Examples: `gamut list`, `gamut list benchmarks`, `gamut list steps --json`
    """
    from gamut.command.listing import print_lists

    print_lists(kind, as_json)


@one_line_errors
def use(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Profiles, each a file profiles/NAME.yaml.")],
    force: Annotated[bool, flag("--force", "Discard your own edits of params.yaml.")] = False,
) -> None:
    """Write params.yaml from profiles: first profiles/defaults.yaml, then each named profile over it, in order.

    Mappings merge; lists and single values are replaced. Your own edits of params.yaml are kept and listed.

    Examples: `gamut use parti`, `gamut use laptop parti`, `gamut use laptop --force`
    """
    from gamut.command import profiles

    print_lines(profiles.use_profiles(names, force))
    leave_out()


@one_line_errors
def pipeline(
    check: Annotated[bool, flag("--check", "Write nothing; the exit code is 1 if a file is not up to date.")] = False,
) -> None:
    """Write the dvc.yaml files from the code of the stages: run this after changing code, not after params.yaml.

    A file that was written by hand is never overwritten. A stage whose entry is out of date stops at its start.

    Examples: `gamut pipeline`, `gamut pipeline --check`
    """
    from gamut.command import pipeline_files

    print_lines(pipeline_files.write_pipelines(check))


@one_line_errors
def estimate(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Profiles, as for `gamut use`; params.yaml if left out.")
    ] = None,
    rows: Annotated[list[str] | None, option("WAVE=COUNT", "How many rows a source has that is not here yet.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate what a build would need before anything is run: requests to models, GPU-hours, money and disk space.

    Nothing is asked. Costs need prices in run.toml. Every assumption is listed with its origin.

    Examples: `gamut estimate`, `gamut estimate flux-reason-6m`, `gamut estimate --rows aesthetics-part01=2700000`
    """
    from gamut.command.estimate import report

    report.print_estimate(names or [], rows or [], as_json)


@one_line_errors
def attempt(
    records: Annotated[
        int, typer.Argument(metavar="N", min=1, max=1000, help="The most rows of a source and items of an edition.")
    ],
    yes: Annotated[bool, flag("--yes", "Allow requests to servers, and costs; else it stops before them.")] = False,
) -> None:
    """Try the whole build on a few records in a temporary folder, and write its pages.

    Every stage runs as in the whole build, but nothing is trained. This project's data, metrics and dvc.lock do not
    change. Replies go into the reply store, so the whole build does not ask for them again. Up to half of a stage's
    records may fail. If the trial was stopped, run it again: it continues from there.

    Examples: `gamut try 3`, `gamut try 20 --yes`
    """
    from gamut.command import trial

    trial.run_trial(records, yes)


@one_line_errors
def retry(stage: Annotated[str, typer.Argument(help="A stage that asks models, as named in dvc.yaml.")]) -> None:
    """Ask a stage's failed requests again, then bring everything after it up to date.

    The requests are the same as before. A model that always gives the same reply needs other sampling instead.

    Example: `gamut retry annotate`
    """
    from gamut.command import reply_store
    from gamut.project import pipeline

    recover()
    failed = reply_store.forget_failed(stage)
    if not failed:
        print(f"{stage}: the last run had no failures; `dvc repro` asks what is missing")
    else:
        print(f"{stage}: {failed:,} failed requests are asked again", flush=True)
        address = pipeline.address(pipeline.maker_of(stage))
        code = pipeline.run_dvc("repro", "--force", "--single-item", address) or pipeline.run_dvc("repro")
        sys.exit(code)


@one_line_errors
def show(
    of: Annotated[
        str,
        typer.Argument(
            metavar="STAGE|BENCHMARK", help=f"A stage, as `dvc repro` names it, or one of {', '.join(NAMES)}."
        ),
    ],
    record: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a record; for a benchmark, of an item or an answer.")
    ],
    out: Annotated[Path, option("DIR", "The folder for pictures and long texts.")] = Path("shown"),
    as_json: AsJson = False,
) -> None:
    """Show one record of a stage, or one item of a benchmark with its answers, judgments and scores.

    For a stage, this shows what the model was asked about, the rows that came out, and the replies as they came, even
    if the record failed. Pictures and long texts are written to files, and the output names these.

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
    """Write web pages of what was built and measured: leaderboards, answers, judges and the dataset.

    The pages open from disk, and the folder can be served as it is. Only what changed is written again; nothing is
    asked or measured. What has no pages is listed with the reason. If a part fails, all others are still written, and
    the exit code is 1.

    Examples: `gamut report`, `gamut report --out public`
    """
    from gamut.command import report

    if failed := report.write_report(out):
        sys.exit(f"{failed} of the report's parts failed (see above); all others are written")


@one_line_errors
def prune(
    images: Annotated[bool, typer.Option(help="Also delete pictures that committed tables hold.")] = False,
) -> None:
    """Delete replies and shards that no current table uses. Going back to other parameters then asks models again.

    Examples: `gamut store prune`, `gamut store prune --images`
    """
    from gamut.command import reply_store

    print_lines(reply_store.prune(images))


@one_line_errors
def seed(
    table: Annotated[Path | None, typer.Argument(help="A finished table, such as datasets/synthesize.")] = None,
    every: Annotated[bool, flag("--all", "Use every table that is here.")] = False,
) -> None:
    """Fill the reply store from tables that were pulled, so that stages can run again without asking models.

    Replies that are in the store already stay as they are.

    Examples: `dvc pull && gamut store seed --all`, `gamut store seed datasets/annotate`
    """
    from gamut.command import reply_store

    if every == (table is not None):
        raise UserError("name one table, such as datasets/annotate, or give --all")
    print_lines(reply_store.seed_all() if table is None else [reply_store.seed(table)])


@one_line_errors
def summary() -> None:
    """Print in five lines what was built: the release, the first places, failures, costs, and where to look.

    `make run` ends with this summary. Examples: `dvc repro; gamut summary`
    """
    from gamut.command.summary import summary_lines

    print_lines(summary_lines())
