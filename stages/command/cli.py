"""The command `gamut`: a thin face; what it does stands in the module each command names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stages.command.contestants import commands as contestants
from stages.command.projects import commands as projects
from stages.command.usage import OneLine
from stages.deciding import commands as deciding
from stages.leaderboard.rooms import NAMES, room_of
from stages.project import installed_code
from stages.project.errors import UserError, one_line_errors, said_in_one_line
from stages.publish import commands as publishing

HELP = """Build, check and care for text-to-image reasoning datasets. The build itself is `dvc repro`.

Examples: `gamut check`, `gamut use parti`, `gamut add contestant NAME --folder DIR`, `gamut show annotate ID`,
`gamut retry annotate`, `gamut store prune`, `gamut review BENCHMARK v1`, `gamut freeze BENCHMARK v1`,
`gamut label BENCHMARK`, `gamut report`, `gamut publish dataset --dry-run`

A project of your own: `gamut init DIR`. Completion of commands by the tab key: `gamut --install-completion`.
"""
app = typer.Typer(cls=OneLine, no_args_is_help=True, help=HELP, pretty_exceptions_enable=False)
store_app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Care of the reply store (.store/, or GAMUT_STORE).")
app.add_typer(store_app, name="store")
add_app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Put something new into params.yaml.")
app.add_typer(add_app, name="add")
Benchmark = Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.")]
Version = Annotated[str, typer.Argument(help="The edition's name, such as v1.")]

LEAKED = 3
"""The exit code of an audit that found something: 1 is that it could not be done."""
WORSE = 4
"""The exit code of a comparison in which it is not known that a margin holds: 1 is that there is none."""


class GapMode(StrEnum):
    """How `gamut gap` fits."""

    identified = "identified"
    released = "released"


def show_version(wanted: bool) -> None:
    """Print gamut's version and end."""
    if wanted:
        with said_in_one_line():
            print(f"gamut {installed_code.version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=show_version, help="Show gamut's version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command."""


def recover() -> None:
    """Mend what a killed dvc left half-written, and say what."""
    from stages.command import recovery

    for line in recovery.recover():
        print(line, flush=True)


def leave_out() -> None:
    """Leave out of the build the benchmarks that cannot be measured now, and say which."""
    from stages.command import left_out

    for line in left_out.leave_out():
        print(line, flush=True)


app.command()(projects.init)
app.command()(projects.upgrade)


@app.command()
@one_line_errors
def check(
    quiet: Annotated[
        bool, typer.Option(help="Print only warnings, what is missing and needed, and what failed.")
    ] = False,
    ask: Annotated[
        bool, typer.Option("--ask", help="Also open every model in use and ask it one tiny question for each role.")
    ] = False,
) -> None:
    """Check parameters and surroundings; exit 1 when something that is needed is missing, or a model fails.

    What a killed `dvc` left half-written (dvc.lock, .dvc/tmp/rwlock) is mended first, and said. A benchmark without a
    block in params.yaml, or without a whole edition, is left out of the build until it has both.

    `--ask` loads weights and may cost money: a line for each model and kind of request, with revision, seconds until
    the answer, tokens in and out, cost where run.toml has prices, and what failed.

    Examples: `gamut check`, `gamut check --quiet`, `gamut check --ask`
    """
    from stages.command.check import findings
    from stages.publish.parameters import load_everything

    recover()
    parameters = load_everything()
    leave_out()
    missing = failed = 0
    for finding in findings(parameters):
        lacking = finding.needed and not finding.found
        missing += lacking
        if lacking or finding.warning or not quiet:
            mark = "ok     " if finding.found else ("MISSING" if finding.needed else "absent ")
            mark = "WARNING" if finding.warning else mark
            print(f"{mark} {finding.what}: {finding.remark}")
    if ask:
        from stages.command import model_check
        from stages.project import settings

        for result, line in model_check.lines(parameters, model_check.results(parameters, settings.load())):
            failed += bool(result.failure)
            if result.failure or not quiet:
                print(line, flush=True)
    complaints = [f"{missing} needed thing{'s are' if missing > 1 else ' is'} missing"] if missing else []
    complaints += [f"{failed} question{'s' if failed > 1 else ''} failed"] if failed else []
    if complaints:
        sys.exit(", ".join(complaints))


@app.command()
@one_line_errors
def use(name: Annotated[str, typer.Argument(help="A profile's name, as in profiles/NAME.yaml.")]) -> None:
    """Put a profile in place as params.yaml; refuses to lose uncommitted edits.

    Example: `gamut use parti`
    """
    from stages.command import profiles

    profiles.use(name)
    leave_out()
    print(f"params.yaml is now profiles/{name}.yaml: its first lines say what it needs, `gamut check` what is missing")


@app.command()
@one_line_errors
def estimate(
    profile: Annotated[str | None, typer.Argument(help="A profile's name; params.yaml when left out.")] = None,
    rows: Annotated[
        list[str] | None, typer.Option(metavar="WAVE=COUNT", help="Rows of a source that is not here yet.")
    ] = None,
) -> None:
    """Say what a build would ask, and take in GPU-hours, money and disk, before anything is run.

    Money where run.toml has prices; every figure is shown with its origin.

    Examples: `gamut estimate`, `gamut estimate flux-reason-6m`, `gamut estimate --rows aesthetics-part01=2700000`
    """
    from stages.command.estimate import report

    report.estimate(profile, rows or [])


@app.command()
@one_line_errors
def retry(stage: Annotated[str, typer.Argument(help="A stage that asks, as in dvc.yaml.")]) -> None:
    """Ask again what a stage could not get or parse, and bring everything after it up to date.

    The requests are the same as before: a model that always says the same needs other sampling instead.

    Example: `gamut retry annotate`
    """
    from stages.command import reply_store
    from stages.project import pipeline

    recover()
    failed = reply_store.forget_failed(stage)
    if not failed:
        print(f"{stage}: the last run has no failures; `dvc repro` asks what is missing")
    else:
        print(f"{stage}: {failed:,} failed requests are asked again", flush=True)
        code = pipeline.dvc("repro", "--force", "--single-item", pipeline.address(stage)) or pipeline.dvc("repro")
        sys.exit(code)


@app.command()
@one_line_errors
def show(
    of: Annotated[
        str,
        typer.Argument(metavar="STAGE|BENCHMARK", help=f"A stage, as `dvc repro` names it, or {' or '.join(NAMES)}."),
    ],
    record: Annotated[
        str, typer.Argument(metavar="ID", help="A record's id; of a benchmark an item's or an answer's.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where pictures and long texts are written.")] = Path(
        "shown"
    ),
) -> None:
    """Show one record of a stage, or one item of a benchmark with every answer and what was said of it.

    Of a stage: what it was asked about, its rows, and the replies as they came, also of a record that failed before
    there was any table. Every picture, and every text that is too long for a terminal, is written to a file that is
    named.

    Examples: `gamut show annotate laion-part01-00000003`, `gamut show BENCHMARK.judge@careful-gpt en-0-00000003`,
    `gamut show BENCHMARK style/2`, `gamut show BENCHMARK en-0-00000003 --out look`
    """
    from stages.command.show.shown import shown
    from stages.command.terminal import fitted

    for line in shown(of, record, out):
        print(fitted(line))


@app.command()
@one_line_errors
def calibrate(
    apply: Annotated[
        bool, typer.Option("--apply", help="Write them into params.yaml; refuses to lose uncommitted edits.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=2, help="Draw so many rows of every filter, half of them below its threshold, to be labelled."
        ),
    ] = None,
) -> None:
    """Show the thresholds that the stage `calibrate` suggests, put them in place, or draw rows to be labelled.

    Examples: `gamut calibrate`, `gamut calibrate --apply`, `gamut calibrate --sample 50`
    """
    if sample and apply:
        raise UserError("--sample and --apply are two steps: between them the rows are labelled and `dvc repro` runs")
    if sample:
        from stages.dataset.calibration import sampling
        from stages.dataset.shared.parameters import Params
        from stages.project.parameters import load

        counts = sampling.write_sample(sample, load(Params))
        print(f"{sampling.SAMPLE}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
        print(
            "`git add` it, and name it at calibrate.labels in params.yaml; `gamut label filters` asks about its rows,"
        )
        print("or fill in its column label (1: should pass, 0: should not)")
        return
    from stages.command import thresholds as thresholds

    lines, changes = thresholds.proposals()
    print(*lines, sep="\n")
    if apply:
        thresholds.require_sure()
    if not changes:
        print("every threshold stays")
    elif apply:
        thresholds.apply(changes)
        print(f"params.yaml: {len(changes)} of {len(lines)} thresholds changed: `dvc repro` builds with them")
    else:
        print(f"{len(changes)} of {len(lines)} would change: `gamut calibrate --apply` writes them into params.yaml")


app.command()(deciding.review)


@app.command()
@one_line_errors
def freeze(
    benchmark: Benchmark,
    version: Version,
    allow_unreviewed: Annotated[
        bool, typer.Option("--allow-unreviewed", help="Also take what nobody has decided about.")
    ] = False,
) -> None:
    """Write the reviewed proposals as datasets/editions/BENCHMARK/VERSION.jsonl, which never changes again.

    Examples: `gamut freeze BENCHMARK v1`, `gamut freeze BENCHMARK trial --allow-unreviewed`
    """
    from stages.evaluation.curating.freeze import freeze

    for line in freeze(room_of(benchmark), version, allow_unreviewed):
        print(line)
    leave_out()


@app.command("import")
@one_line_errors
def import_(
    benchmark: Benchmark,
    source: Annotated[Path, typer.Argument(help="A file or folder in the benchmark's released layout.")],
    version: Annotated[str | None, typer.Argument(help="The edition, such as v1.")] = None,
    images: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder below which the items' pictures lie.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse items with any defect.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Freeze nothing: write items.parquet and lint.json there.")
    ] = None,
) -> None:
    """Freeze items in the benchmark's released layout as an edition, with their pictures.

    Where the layout is looked at for defects, those are mended that safely can be, nothing is left out, and `lint.json`
    lists them all.

    Own prompts and questions are a file with a JSON object a line (docs/own.md); their block in params.yaml is written
    where there is none.

    Another benchmark without a layout of its own takes such a file as editions are kept; the `images` of an item are
    objects with `name`, `role` and `file`, a path below DIR (or below the file's folder). What FILE.origin.json beside
    FILE.jsonl says of source, revision and licence is kept.

    Examples: `gamut import BENCHMARK released/captions released`, `gamut import BENCHMARK items.jsonl v1 --images DIR`,
    `gamut import BENCHMARK annotation.json --out DIR`, `gamut import own items.jsonl shop-signs`
    """
    from itertools import chain

    from stages.command.new_block import put_block
    from stages.evaluation.curating.freeze import import_apart, import_items

    room = room_of(benchmark)
    if version is not None and out is None:
        lines: Iterator[str] = chain(import_items(room, source, version, images, strict), put_block(room, version))
    elif version is None and out is not None:
        lines = import_apart(room, source, out, images, strict)
    else:
        raise UserError("name either the version of an edition, or --out DIR to freeze nothing")
    for line in lines:
        print(line)
    leave_out()


@app.command()
@one_line_errors
def export(
    benchmark: Benchmark,
    version: Version,
    folder: Annotated[Path, typer.Argument(help="Where they are to be written.")],
) -> None:
    """Write an edition's items in the benchmark's released layout.

    Example: `gamut export BENCHMARK v1 to-paint`
    """
    from stages.evaluation.curating.freeze import export_items

    print(export_items(room_of(benchmark), version, folder))


app.command()(deciding.label)


@app.command()
@one_line_errors
def compare(
    first: Annotated[str, typer.Argument(help="A contestant, CONTESTANT@REVISION, or a revision or experiment.")],
    second: Annotated[str, typer.Argument(help="The same; `workspace` is the revision that lies here.")],
    of: Annotated[
        str | None,
        typer.Option(
            metavar="BENCHMARK[:VIEW]",
            help=f"One benchmark alone: {', '.join(NAMES)}; or one of its views, as boards name them.",
        ),
    ] = None,
    judge: Annotated[str | None, typer.Option(metavar="NAME", help="One judge alone.")] = None,
    items: Annotated[
        int | None, typer.Option(min=1, help="Name so many items that move what ranks most, on each board.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="A gate: is SECOND known to be worse by less than so many points of every board?"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say how two contestants differ in every benchmark, on the items that both have scores of, and how sure that is.

    Of two revisions or experiments every contestant that both have is compared with itself. Scores at a revision come
    from DVC's local cache. Where specs are unlike (what was given, which judge was asked what), that is said instead.

    With --margin a verdict in one line, and the items that move most on the board that decides. Exit code 4: it is not
    known of every board, or not all could be compared; 1: nothing could.

    Examples: `gamut compare careful hasty`, `gamut compare careful@v1 careful`, `gamut compare main workspace`,
    `gamut compare careful hasty --items 10 --judge world`, `gamut compare careful careful_fp8 --margin 2`,
    `gamut compare careful english_only --of BENCHMARK:en --margin 2`
    """
    from stages.command import compare

    if not compare.compare(first, second, of, judge, items, margin, as_json):
        sys.exit(WORSE)


@app.command()
@one_line_errors
def audit(
    dataset: Annotated[str, typer.Argument(help="`release`, a file or folder, or OWNER/NAME on the Hub.")],
    edition: Annotated[str, typer.Argument(metavar="BENCHMARK/VERSION", help="A frozen edition.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where all that was found is written, as JSON.")] = (
        Path("audit.json")
    ),
    column: Annotated[
        list[str] | None, typer.Option(help="A column that holds texts; by their names where none is said.")
    ] = None,
    image: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that holds pictures.")] = None,
    revision: Annotated[str | None, typer.Option(metavar="COMMIT", help="Of a dataset on the Hub.")] = None,
    config: Annotated[str | None, typer.Option(help="Of a dataset on the Hub.")] = None,
    split: Annotated[str, typer.Option(help="Of a dataset on the Hub.")] = "train",
    limit: Annotated[int | None, typer.Option(min=1, help="Read no more rows.")] = None,
    candidates_only: Annotated[
        bool, typer.Option("--candidates-only", help="Ask no model whether two texts are the same test.")
    ] = False,
) -> None:
    """Say which items of an edition stand in a dataset, in other words or as pictures too, and the board without them.

    Files are .parquet, .csv, .tsv, .jsonl, or .txt with a prompt a line; folders hold such, or images with texts beside
    them. Texts are compared and asked about as in the dataset build, by the models and thresholds of params.yaml
    (hold_out); what was answered once is not asked again. Exit code 3: something leaked; 1: it could not be done.

    Examples: `gamut audit release BENCHMARK/v1`, `gamut audit prompts.txt BENCHMARK/v1 --candidates-only`,
    `gamut audit owner/name BENCHMARK/v1 --revision COMMIT --column caption`
    """
    from stages.command.audit.audit import audit
    from stages.command.audit.datasets import Asked
    from stages.command.audit.shown import show
    from stages.project.files import write_json
    from stages.publish.parameters import load_everything

    asked = Asked(column or (), image, revision, config, split, limit)
    report = audit(load_everything(), dataset, edition, asked, candidates_only)
    write_json(out, report)
    show(report)
    print(f"All of it: {out}")
    if report["leaks"]:
        sys.exit(LEAKED)


@app.command()
@one_line_errors
def gap(
    rows: Annotated[Path, typer.Argument(help="A JSON file: a list with an object for each model and category.")],
    mode: Annotated[GapMode, typer.Option(help="With intervals, or the released fit with its numerical spread.")] = (
        GapMode.identified
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    r"""Say how far text and pictures lie apart in anyone's counts of answers right on both sides, on one, or on none.

    An object: {"model": "mine", "category": "reasoning", "counts": \[both, text only, picture only, neither]}, of
    samples whose two sides belong together. With "items": \[\[…], …] beside "counts", the same four of each item, the
    interval knows that samples of an item are alike. Whoever is in the file changes nothing for anybody else.

    `identified` wants whole numbers; `released` takes shares too. Gaps go from 0, none, to 100. The other columns, in
    percent: Succ both right; Und the text, with the picture or without; Gen the picture, likewise; Fail neither.

    Examples: `gamut gap rows.json`, `gamut gap rows.json --mode released`, `gamut gap rows.json --json`
    """
    from stages.command import gap

    gap.gap(rows, mode, as_json)


@app.command()
@one_line_errors
def report(
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder, or one with an earlier report.")] = (
        Path("report")
    ),
    against: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Also show what changed since a commit, tag or experiment.")
    ] = None,
) -> None:
    """Write what was measured as pages to be looked at: boards, answers, judges, and what changed since a revision.

    The folder opens from disk and can be served as it is. Only what changed is written again; nothing is asked or
    measured. What has no pages is named with the reason; when something fails, all else is written, and the exit code
    is 1. With --against, rows and items that were added, removed or changed stand side by side with those of the
    revision, whose tables come from DVC's local cache, and so do parameters and metrics.

    Examples: `gamut report`, `gamut report --out public`, `gamut report --against v1`, `gamut report --against HEAD~1`
    """
    from stages.command import report

    if failed := report.report(out, against):
        sys.exit(f"{failed} of the report's parts failed, as said above; all else is written")


@app.command("try")
@one_line_errors
def attempt(
    records: Annotated[str, typer.Argument(metavar="N", help="Rows of each source, and items of each edition.")],
    yes: Annotated[bool, typer.Option("--yes", help="Ask servers, also for money, without asking first.")] = False,
) -> None:
    """Try everything that is configured with a few records, in a place that is thrown away, and show the pages.

    Every stage runs as in the whole build; this project's data, metrics and dvc.lock stay as they are. Replies go into
    the reply store: the whole build does not ask for them again. It goes on where half of a stage's records fail. Run
    again after whatever stopped it: it goes on where it was.

    Examples: `gamut try 3`, `gamut try 20 --yes`
    """
    from stages.command.trial import run

    run.attempt(records, yes, lambda line: print(line, flush=True))


add_app.command()(contestants.contestant)
app.command()(contestants.pin)
app.command()(publishing.publish)
app.command()(publishing.diff)
app.command()(publishing.fetch)


@store_app.command()
@one_line_errors
def prune(
    images: Annotated[bool, typer.Option(help="Also drop images that their finished table holds.")] = False,
) -> None:
    """Drop replies that no current table uses. Going back to other parameters will then ask again.

    Examples: `gamut store prune`, `gamut store prune --images`
    """
    from stages.command import reply_store

    for line in reply_store.prune(images):
        print(line)


@store_app.command()
@one_line_errors
def seed(
    table: Annotated[Path | None, typer.Argument(help="A finished table, for example datasets/synthesized.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every table that lies here.")] = False,
) -> None:
    """Fill the store from a table that was pulled, or from all of them, so that stages can run again without asking.

    What is in the store already stays as it is.

    Examples: `dvc pull && gamut store seed --all`, `gamut store seed datasets/annotated`
    """
    from stages.command import reply_store

    if every == (table is not None):
        raise UserError("name one table, such as datasets/annotated, or say --all")
    for line in reply_store.seed_all() if table is None else [reply_store.seed(table)]:
        print(line, flush=True)


if __name__ == "__main__":
    app()
