"""The command `gamut`: a thin face; what it does stands in the module each command names."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError, one_line_errors
from stages.publish import commands

if TYPE_CHECKING:
    from stages.deciding.cards import Task

HELP = """Build, check and care for text-to-image reasoning datasets. The build itself is `dvc repro`.

Examples: `gamut check`, `gamut use parti`, `gamut show annotate ID`, `gamut retry annotate`, `gamut store prune`,
`gamut review BENCHMARK v1`, `gamut freeze BENCHMARK v1`, `gamut label BENCHMARK`, `gamut report`,
`gamut publish dataset --dry-run`
"""
app = typer.Typer(no_args_is_help=True, add_completion=False, help=HELP, pretty_exceptions_enable=False)
store_app = typer.Typer(no_args_is_help=True, help="Care of the reply store (.store/, or GAMUT_STORE).")
app.add_typer(store_app, name="store")
Benchmark = Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.")]
Version = Annotated[str, typer.Argument(help="The edition's name, such as v1.")]
Reviewer = Annotated[str | None, typer.Option(metavar="NAME", help="Who decides; git's user.name where left out.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Of the page; where left out, one that is free.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in this machine's browser.")]
Static = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="Serve nothing: write a page that gives a log to download.")
]
LabelStudio = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Serve nothing: write tasks.json and interface.xml for Label Studio.")
]
Person = Annotated[str | None, typer.Option(metavar="NAME", help="Who said what is read.")]
People = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Where several annotated, their names: an object by annotator.")
]

LEAKED = 3
"""The exit code of an audit that found something: 1 is that it could not be done."""


class GapMode(StrEnum):
    """How `gamut gap` fits."""

    identified = "identified"
    released = "released"


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

    for line in shown(of, record, out):
        print(line)


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
    if not changes:
        print("every threshold stays")
    elif apply:
        thresholds.apply(changes)
        print(f"params.yaml: {len(changes)} of {len(lines)} thresholds changed: `dvc repro` builds with them")
    else:
        print(f"{len(changes)} of {len(lines)} would change: `gamut calibrate --apply` writes them into params.yaml")


@app.command()
@one_line_errors
def review(
    of: Annotated[str, typer.Argument(metavar="BENCHMARK|dataset", help=f"dataset, or one of: {', '.join(NAMES)}.")],
    version: Annotated[
        str | None, typer.Argument(metavar="EDITION", help="Such as v1; where one alone is under construction, that.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write or update a file to be filled in, and serve nothing.")] = (
        False
    ),
    reviewer: Reviewer = None,
    port: Port = 0,
    open_: Open = True,
    static: Static = None,
    label_studio: LabelStudio = None,
    read: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="What people said in Label Studio or Argilla, exported.")
    ] = None,
    person: Person = None,
    people: People = None,
) -> None:
    """Put to a person what is proposed for an edition, or the dataset's selected pictures, on a page of this machine.

    Accept (a), reject (r), or rewrite (w); a prompt is accepted when it is unambiguous, grammatical and logically
    sound, even where it is fantastical. Every decision is a line of datasets/decisions/REVIEWER/TASK.jsonl before the
    next card is shown: kill it when you like, and go on later. Decisions about texts that change do not count any more.

    --csv writes datasets/reviews/BENCHMARK/EDITION.csv instead, with a column decision (accept, reject or rewrite, the
    new text in new_prompt and the like); what was decided there about unchanged texts stays.

    --label-studio writes it as tasks of Label Studio. --read adds what people said there, or in Argilla, to their
    logs; everything is checked as on the page, and nothing is added where there is a mistake.

    Examples: `gamut review BENCHMARK v1`, `gamut review dataset`, `gamut review BENCHMARK v1 --csv`,
    `gamut review BENCHMARK --static page.html --reviewer ann`, `gamut review BENCHMARK v1 --label-studio DIR`,
    `gamut review BENCHMARK v1 --read export.json --person ann`
    """
    from stages.project.parameters import Shared, load

    refuse_ways(csv, static, label_studio, read)
    refuse_names(read, person, people)
    if of == "dataset":
        if csv or version is not None:
            raise UserError("`gamut review dataset` has no editions and no --csv")
        from stages.deciding import selected

        task = selected.reviewing(load(Shared).seed)
        if read is not None:
            add_export(task, read, person, people)
        else:
            decide(task, reviewer, port, open_, static, label_studio)
        return
    room = room_of(of, "dataset")
    from stages.deciding import proposed

    if version is None:
        block = room.benchmark.block(load(room.benchmark.params))
        version = proposed.under_construction(room, block.propose.editions)
    if csv:
        from stages.evaluation.curating.review import review

        for line in review(room, version):
            print(line)
    elif read is not None:
        add_export(proposed.reviewing(room, version), read, person, people)
    else:
        decide(proposed.reviewing(room, version), reviewer, port, open_, static, label_studio)


def refuse_ways(csv: bool, static: Path | None, label_studio: Path | None, read: Path | None) -> None:
    """Raise UserError where a command is to do several things at once."""
    ways = {"--csv": csv, "--static": static, "--label-studio": label_studio, "--read": read}
    given = [way for way, value in ways.items() if value]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given[:2])} are two ways to decide elsewhere: leave one of them out")


def refuse_names(read: Path | None, person: str | None, people: Path | None) -> None:
    """Raise UserError for names of people where nothing is read."""
    if read is None and (person is not None or people is not None):
        raise UserError("--person and --people say who said what is read: give --read FILE too, or --reviewer NAME")


def decide(
    task: Task, reviewer: str | None, port: int, open_: bool, static: Path | None, label_studio: Path | None
) -> None:
    """Have a person decide what a task puts."""
    from stages.deciding import sitting
    from stages.project import decisions

    who = decisions.reviewer(reviewer)
    if label_studio is not None:
        from stages.deciding.label_studio import write_tasks

        for line in write_tasks(label_studio, task):
            print(line)
    elif static is not None:
        for line in sitting.write_page(task, who, static):
            print(line)
    else:
        sitting.sit(task, who, port, open_)


def add_export(task: Task, export: Path, person: str | None, people: Path | None) -> None:
    """Add to the logs of a task what people said elsewhere."""
    from stages.deciding import taking_over

    for line in taking_over.take_over(task, export, person, people):
        print(line)


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

    A benchmark without a layout of its own takes a file with a JSON object a line, as editions are kept; the `images`
    of an item are objects with `name`, `role` and `file`, a path below DIR (or below the file's folder). What
    FILE.origin.json beside FILE.jsonl says of source, revision and licence is kept.

    Examples: `gamut import BENCHMARK released/captions released`, `gamut import BENCHMARK items.jsonl v1 --images DIR`,
    `gamut import BENCHMARK annotation.json --out DIR`
    """
    from stages.evaluation.curating.freeze import import_apart, import_items

    if version is not None and out is None:
        lines = import_items(room_of(benchmark), source, version, images, strict)
    elif version is None and out is not None:
        lines = import_apart(room_of(benchmark), source, out, images, strict)
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


@app.command()
@one_line_errors
def label(
    of: Annotated[str, typer.Argument(metavar="BENCHMARK|filters", help=f"filters, or one of: {', '.join(NAMES)}.")],
    share: Annotated[
        float | None, typer.Option(help="How many of each stratum's items, above 0 and up to 1; 0.1 where left out.")
    ] = None,
    answers: Annotated[int | None, typer.Option(min=1, help="How many answers in all, instead of a share.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write a sheet to be filled in, and serve nothing.")] = False,
    read: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A sheet that was filled in, or (.json, .jsonl) an export of Label Studio or Argilla.",
        ),
    ] = None,
    person: Person = None,
    people: People = None,
    reviewer: Reviewer = None,
    port: Port = 0,
    open_: Open = True,
    static: Static = None,
    label_studio: LabelStudio = None,
) -> None:
    """Ask a person what judges and observers are asked, or whether rows should pass filters, on a page of this machine.

    Of a benchmark answers of all contestants are drawn; contestants, judges and scores are nowhere on the page, a tenth
    of the questions is put twice, to measure the person. About as many answers, whoever gave them, as are a share of
    the items in every stratum and on every side, at least one; or about so many answers in all, parted among strata and
    sides as their items are. Which they are stands in datasets/sheets/BENCHMARK/EDITION.key.csv, for git: with it the
    same ones are asked about again, where neither is said. Of filters the rows
    of the file at calibrate.labels are asked about, or those that `gamut calibrate --sample N` drew.

    Every label is a line of datasets/decisions/REVIEWER/TASK.jsonl before the next card is shown.

    --csv writes datasets/sheets/BENCHMARK/EDITION/sheet.csv instead, a row a question, with pictures beside it. With
    --read what stands in its column verdict is put into datasets/labels/BENCHMARK/EDITION.csv, where `dvc repro
    leaderboard` holds judges and observers against it.

    --label-studio writes the questions as tasks of Label Studio, as blind as the page. --read with a .json or .jsonl
    file adds what people said there, or in Argilla, to their logs, checked as on the page.

    Examples: `gamut label BENCHMARK`, `gamut label BENCHMARK --answers 200`, `gamut label filters`,
    `gamut label BENCHMARK --share 0.05 --csv`, `gamut label BENCHMARK --read sheet.csv --person ann`,
    `gamut label BENCHMARK --label-studio DIR`, `gamut label BENCHMARK --read export.json --people people.json`
    """
    from stages.project import decisions
    from stages.project.parameters import load

    exported = read is not None and read.suffix.lower() in (".json", ".jsonl")
    if not exported and ((read is None) != (person is None) or people is not None):
        raise UserError("--read and --person belong together: `gamut label BENCHMARK --read SHEET --person NAME`")
    if share is not None and answers is not None:
        raise UserError("--share and --answers say the same in two ways: leave one of them out")
    refuse_ways(csv, static, label_studio, read)
    if of == "filters":
        if csv or (read is not None and not exported) or share is not None or answers is not None:
            raise UserError(
                "`gamut label filters` asks about what `gamut calibrate --sample N` drew: leave such options out"
            )
        from stages.dataset.calibration.sampling import SAMPLE
        from stages.dataset.shared import parameters as dataset
        from stages.deciding import passing

        of_dataset = load(dataset.Params)
        rows = Path(of_dataset.calibrate.labels or SAMPLE)
        if read is not None:
            add_export(passing.labelling(rows, of_dataset.seed, ""), read, person, people)
        else:
            who = decisions.reviewer(reviewer)
            decide(passing.labelling(rows, of_dataset.seed, who), who, port, open_, static, label_studio)
        return
    record = room_of(of, "filters").benchmark
    params = load(record.params)
    if read is not None and exported:
        from stages.deciding import answered

        if share is not None or answers is not None:
            raise UserError("--share and --answers draw, and what is read was drawn before: leave them out")
        drawn = answered.drawn_before(record, params)
        add_export(answered.labelling(record, params, drawn, ""), read, person, people)
    elif read is not None and person is not None:
        from stages.evaluation.labelling.filled_in import take_over

        for line in take_over(record, params, read, person):
            print(line)
    elif csv:
        from stages.evaluation.labelling.sheets import write_sheet

        for line in write_sheet(record, params, 0.1 if share is None else share, answers):
            print(line)
    else:
        from stages.deciding import answered

        who = decisions.reviewer(reviewer)
        drawn, lines = answered.drawing(record, params, share, answers)
        print(*lines, sep="\n")
        decide(answered.labelling(record, params, drawn, who), who, port, open_, static, label_studio)


@app.command()
@one_line_errors
def compare(
    first: Annotated[str, typer.Argument(help="A contestant, CONTESTANT@REVISION, or a revision or experiment.")],
    second: Annotated[str, typer.Argument(help="The same; `workspace` is the revision that lies here.")],
    of: Annotated[str | None, typer.Option(help=f"One benchmark alone: {', '.join(NAMES)}.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say how two contestants differ in every benchmark, on the items that both have scores of, and how sure that is.

    Of two revisions or experiments every contestant that both have is compared with itself. Scores at a revision come
    from DVC's local cache. Where specs are unlike (what was given, which judge was asked what), that is said instead.

    Examples: `gamut compare careful hasty`, `gamut compare careful@v1 careful`, `gamut compare main workspace`
    """
    from stages.command import compare

    compare.compare(first, second, [room_of(of).benchmark] if of else None, as_json)


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
    """Say which items of an edition stand in a dataset, in their own or other words or as pictures, and what the board
    is without them.

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


app.command()(commands.publish)
app.command()(commands.diff)
app.command()(commands.fetch)


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
def seed(table: Annotated[Path, typer.Argument(help="A finished table, for example datasets/synthesized.")]) -> None:
    """Fill the store from a table that was pulled, so that its stage can run again without asking.

    Example: `dvc pull && gamut store seed datasets/annotated`
    """
    from stages.command import reply_store

    print(reply_store.seed(table))


if __name__ == "__main__":
    app()
