"""The commands of editions, boards and what people say of them, thin faces: what each does stands in the module that it
names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gamut.command.building import AsJson, flag, leave_out, option, print_lines
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project.errors import UserError, one_line_errors

Benchmark = Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.")]
Version = Annotated[str, typer.Argument(help="The edition's name, such as v1.")]

LEAKED = 3
"""The exit code of an audit that found something: 1 is that it could not be done."""
WORSE = 4
"""The exit code of a comparison in which it is not known that a margin holds: 1 is that there is none."""


@one_line_errors
def calibrate(
    apply: Annotated[bool, flag("--apply", "Write them into params.yaml, where nothing else changes.")] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=2, help="Draw so many rows of every filter, half of them below its threshold, to be labelled."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the thresholds that the stage `calibrate` suggests, put them in place, or draw rows to be labelled.

    Examples: `gamut calibrate`, `gamut calibrate --apply`, `gamut calibrate --sample 50`
    """
    if sample and apply:
        raise UserError("--sample and --apply are two steps: between them the rows are labelled and `dvc repro` runs")
    if sample:
        from gamut.dataset.calibration import sampling
        from gamut.dataset.steps import Params
        from gamut.project.parameters import load

        counts = sampling.write_sample(sample, load(Params))
        print(f"{sampling.SAMPLE}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
        print(
            "`git add` it, and name it at calibrate.labels in params.yaml; `gamut label filters` asks about its rows,"
        )
        print("or fill in its column label (1: should pass, 0: should not)")
        return
    from gamut.command import thresholds
    from gamut.command.terminal import print_json, print_staleness, wrapped_text

    lines, changes = thresholds.proposals()
    if as_json:
        print_json({"suggested": changes, "thresholds": lines})
    else:
        print(*map(wrapped_text, lines), sep="\n")
    print_staleness("calibrate", ["calibrate"])
    if apply:
        thresholds.require_sure()
    if apply and changes:
        thresholds.write_thresholds(changes)
    if as_json:
        return
    if not changes:
        print("every threshold stays")
    elif apply:
        print(f"params.yaml: {len(changes)} of {len(lines)} thresholds changed: `dvc repro` builds with them")
    else:
        print(f"{len(changes)} of {len(lines)} would change: `gamut calibrate --apply` writes them into params.yaml")


@one_line_errors
def freeze(
    benchmark: Benchmark,
    version: Version,
    allow_unreviewed: Annotated[bool, flag("--allow-unreviewed", "Also take what nobody has decided about.")] = False,
) -> None:
    """Write the reviewed proposals as datasets/editions/BENCHMARK/VERSION.jsonl, which never changes again.

    Examples: `gamut freeze BENCHMARK v1`, `gamut freeze BENCHMARK trial --allow-unreviewed`
    """
    from gamut.evaluation.curating.freeze import freeze_proposal

    print_lines(freeze_proposal(curation_of(benchmark), version, allow_unreviewed))
    leave_out()


@one_line_errors
def import_(
    benchmark: Benchmark,
    source: Annotated[
        Path | None, typer.Argument(help="A file or folder in the benchmark's released layout; none with --download.")
    ] = None,
    version: Annotated[str | None, typer.Argument(help="The edition, such as v1; with --download `released`.")] = None,
    download: Annotated[
        bool, flag("--download", "Fetch them from where they were published, or say how they are had.")
    ] = False,
    revision: Annotated[str | None, option("COMMIT", "With --download: another commit or tag than main.")] = None,
    images: Annotated[Path | None, option("DIR", "The folder below which the items' pictures lie.")] = None,
    strict: Annotated[bool, flag("--strict", "Refuse items with any defect.")] = False,
    out: Annotated[Path | None, option("DIR", "Freeze nothing: write items.jsonl and lint.json there.")] = None,
) -> None:
    """Freeze items in the benchmark's released layout as an edition, with their pictures.

    Where the layout is looked at for defects, those are fixed that safely can be, nothing is left out, and `lint.json`
    lists them all.

    Own prompts and questions are a file with a JSON object a line (docs/own.md); their block in params.yaml is written
    where there is none.

    Another benchmark without a layout of its own takes such a file as editions are kept; the `images` of an item are
    objects with `name`, `role` and `file`, a path below DIR (or below the file's folder). What FILE.origin.json beside
    FILE.jsonl says of source, revision and licence is kept.

    --download fetches published items from the Hub, each file verified, and says their licence. The commit is kept with
    the edition: at another one, as when main has moved, it is refused. Killed, it goes on where it was.

    Examples: `gamut import BENCHMARK --download`, `gamut import BENCHMARK released/captions released`,
    `gamut import BENCHMARK items.jsonl v1 --images DIR`, `gamut import BENCHMARK annotation.json --out DIR`,
    `gamut import own items.jsonl shop-signs`
    """
    from itertools import chain

    from gamut.command.profiles import append_block
    from gamut.evaluation.curating.freeze import import_apart, import_items

    curation = curation_of(benchmark)
    lines: Iterator[str]
    if download:
        from gamut.publish.commands import say, silence_client
        from gamut.publish.published_items import import_published

        if version is not None or images is not None or (source is not None and out is not None):
            raise UserError("--download takes no files: `--download [VERSION]`, or `--download --out DIR`")
        silence_client()
        lines = import_published(curation, None if source is None else str(source), revision, strict, out, say)
    elif source is None or revision is not None:
        raise UserError("name a file or folder as SOURCE, or fetch what was published by --download")
    elif version is not None and out is None:
        lines = chain(import_items(curation, source, version, images, strict), append_block(curation, version))
    elif version is None and out is not None:
        lines = import_apart(curation, source, out, images, strict)
    else:
        raise UserError("name either the version of an edition, or --out DIR to freeze nothing")
    print_lines(lines)
    leave_out()


@one_line_errors
def compare(
    first: Annotated[str, typer.Argument(help="A contestant, CONTESTANT@REVISION, or a revision or experiment.")],
    second: Annotated[str, typer.Argument(help="The same; `workspace` is the revision that is here.")],
    of: Annotated[
        str | None,
        option(
            "BENCHMARK[:METRIC]",
            f"One benchmark alone: {', '.join(NAMES)}; or one of its metrics, as boards name them.",
        ),
    ] = None,
    judge: Annotated[str | None, option("NAME", "One judge alone.")] = None,
    items: Annotated[
        int | None, typer.Option(min=1, help="With --of: name so many items that move what ranks most, on each board.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="A gate: is SECOND known to be worse by less than so many points of every board?"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say who is ahead in every benchmark, on the items that both have scores of; with --of by how much in every value.

    Of two revisions or experiments every contestant that both have is compared with itself. Scores at a revision come
    from DVC's local cache. Where specs are unlike (what was given, which judge was asked what), that is said instead.

    With --margin a verdict in one line, and the items that move most on the board that decides. Exit code 4: it is not
    known of every board, or not all could be compared; 1: nothing could.

    Examples: `gamut compare careful hasty`, `gamut compare careful@v1 careful`, `gamut compare main workspace`,
    `gamut compare careful hasty --of BENCHMARK --items 10`, `gamut compare careful careful_fp8 --margin 2`,
    `gamut compare careful english_only --of BENCHMARK:en --margin 2`
    """
    from gamut.command import compare

    if not compare.compare(first, second, of, judge, items, margin, as_json):
        sys.exit(WORSE)


@one_line_errors
def board(
    name: Annotated[
        str | None, typer.Argument(metavar="[BENCHMARK]", help=f"One of: {', '.join(NAMES)}; all if left out.")
    ] = None,
    metric: Annotated[str | None, option("NAME", "Another board than the headline's.")] = None,
    judge: Annotated[str | None, option("NAME", "A board by another judge.")] = None,
    every: Annotated[bool, flag("--all", "All boards, of the metric and judge if named.")] = False,
    form: Annotated[str, typer.Option("--format", help="table, csv, markdown, latex or json.")] = "table",
) -> None:
    """Show boards again as they were measured: of all benchmarks who stands where, or one with all its values.

    CSV and JSON have a line a value, as metrics/BENCHMARK/EDITION/board.csv; Markdown and LaTeX are for papers, as in
    the folder `tables` beside it.

    Examples: `gamut board`, `gamut board BENCHMARK`, `gamut board BENCHMARK --metric zh --format latex`,
    `gamut board --format json`
    """
    from gamut.command.board import print_boards

    print_boards(name, metric, judge, every, form)


@one_line_errors
def audit(
    dataset: Annotated[str, typer.Argument(help="`release`, or a folder.")],
    edition: Annotated[str, typer.Argument(metavar="BENCHMARK/VERSION", help="A frozen edition.")],
    out: Annotated[Path, option("FILE", "Where all that was found is written, as JSON.")] = (Path("audit.json")),
    column: Annotated[str, typer.Option(help="The column that holds texts, where the folder has tables.")] = "caption",
    image: Annotated[str | None, option("COLUMN", "The column that holds pictures.")] = None,
    candidates_only: Annotated[
        bool, flag("--candidates-only", "Ask no model whether two texts are the same test.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say which items of an edition stand in a dataset, in other words or as pictures too, and the board without them.

    A folder is read as a source of the build is: tables, lists with a prompt a line, or images with texts beside them.
    Texts are compared and asked about as in the dataset build, by the models and thresholds of params.yaml (hold_out);
    what was answered once is not asked again. Exit code 3: something leaked; 1: it could not be done.

    Examples: `gamut audit release BENCHMARK/v1`, `gamut audit prompts/ BENCHMARK/v1 --column text --candidates-only`
    """
    from gamut.command.audit import RELEASE, audit, print_report
    from gamut.command.terminal import notices_on_stderr, print_json, print_staleness
    from gamut.dataset.shared.source_blocks import Columns
    from gamut.project.files import write_json
    from gamut.publish.parameters import load_everything

    with notices_on_stderr(as_json):
        report = audit(load_everything(), dataset, edition, Columns(caption=column, image=image), candidates_only)
    write_json(out, report)
    print_json(report) if as_json else print_report(report)
    if dataset == RELEASE:
        print_staleness(dataset, ["release"])
    if report["leaks"]:
        print_staleness(edition, [f"{edition.partition('/')[0]}.score"])
    print(f"All of it: {out}", file=sys.stderr if as_json else None)
    if report["leaks"]:
        sys.exit(LEAKED)


Text = str | None


@one_line_errors
def export(
    name: Annotated[str, typer.Argument(help="A contestant, with --class a new one; or `dataset`.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    class_: Annotated[
        Text, typer.Option("--class", help="Of a new one: generation, editing, understanding or unified.")
    ] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME[:SETTING,…],…", "These alone; all that it is measured on if left out.")
    ] = None,
    form: Annotated[Text, typer.Option("--format", help="Of `dataset`: webdataset or folder.")] = None,
    caption: Annotated[Text, option("COLUMN", "Of `dataset`: the caption for `.txt` files, usually `caption`.")] = None,
) -> None:
    """Write what a contestant is given into DIR/prompts.jsonl, a line a prompt, with pictures beside it. Or write the
    dataset's release into DIR for training programs.

    A line has an id, texts and pictures in order, what is wanted, size and seed. A script writes answers into DIR,
    which is then a contestant (docs/contestants.md).

    With `dataset`, DIR gets WebDataset shards (`--format webdataset`) or pictures with captions beside them and a
    metadata.jsonl (`--format folder`); docs/training.md has loaders.

    Examples: `gamut export mine prompts --class unified`, `gamut export careful prompts --benchmarks BENCHMARK`,
    `gamut export dataset shards --format webdataset --caption caption_entity`
    """
    from gamut.command.export import export_prompts
    from gamut.command.export_dataset import DATASET, export_dataset

    if name == DATASET:
        if class_ or benchmarks:
            raise UserError("`gamut export dataset` has no contestant: leave out --class and --benchmarks")
        print_lines(export_dataset(folder, form or "webdataset", caption or "caption"))
        return
    if form or caption:
        raise UserError("--format and --caption are for `gamut export dataset`: leave them out")
    print_lines(export_prompts(name, folder, class_, benchmarks or ()))


@one_line_errors
def contestant(
    name: Annotated[str, typer.Argument(help="Its name on boards and in run.toml: a-z, 0-9 and _.")],
    folder: Annotated[
        Path | None, option("DIR", "Answers that were made elsewhere, in a layout of docs/contestants.md.")
    ] = None,
    of: Annotated[Text, option("MODEL", "Whose outputs in --folder: what lies in folders called so.")] = None,
    model: Annotated[Text, option("ID", "A model, by the name its server or the Hub has for it.")] = None,
    python: Annotated[
        Path | None, option("FILE", "A Python file with a function `answer`; a template where there is none.")
    ] = None,
    kind: Annotated[
        Text, typer.Option(help="openai, diffusers, transformers, unified, vllm; with --base-url openai.")
    ] = None,
    class_: Annotated[
        Text,
        typer.Option("--class", help="generation, editing, understanding or unified; by kind or content if left out."),
    ] = None,
    tasks: Annotated[
        Text, option("TASK,…", "Of understanding, generation, editing, interleaved what it does; all of its class.")
    ] = None,
    base_url: Annotated[Text, option("URL", "Where an OpenAI-compatible server is: into run.toml.")] = None,
    key_variable: Annotated[Text, option("NAME", "The environment variable that holds its key: into run.toml.")] = None,
    pictures_from: Annotated[
        Text, option("chat|images", "Where the server makes pictures: in chat, as a unified model.")
    ] = None,
    revision: Annotated[Text, option("COMMIT", "Of weights on the Hub; main's, asked there.")] = None,
    weights: Annotated[Path | None, option("DIR", "Weights on this machine: into run.toml, by their digest.")] = None,
    adapter: Annotated[
        Text, option("DIR|ID", "A LoRA adapter on the weights: a folder, or on the Hub ID@COMMIT.")
    ] = None,
    checkpoints: Annotated[
        Text, option("PATTERN", "Folders of a series, adapters or whole weights: a variant each.")
    ] = None,
    paints: Annotated[
        Text, option("DIR|ID", "Of kind unified: the checkpoint that paints, where another one chats.")
    ] = None,
    variant_of: Annotated[Text, option("NAME", "The contestant that it is a variant of.")] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME[:SETTING,…],…", "Where it is measured; in all that it can answer if left out.")
    ] = None,
    max_failures: Annotated[
        str | None, typer.Option(help="How many of its answers may be missing or fail: a count, or a share below 1.")
    ] = None,
    replace: Annotated[
        bool, flag("--replace", "Fix the contestant of this name; what is not said stays as it is.")
    ] = False,
) -> None:
    """Add a contestant to params.yaml: its block, with the digest of its folder or weights.

    All is checked as `gamut check` does before anything is written, and on any mistake nothing is. Git ignores its
    folders where neither it nor DVC has them.

    --checkpoints adds the model as NAME, unless --variant-of names who it is, and a variant of it for each folder,
    called by the number at its end: the board compares each with the model in pairs.

    --python names code that is run: here for one answer, said or shown, then by the stages. Where it fails, nothing is
    added.

    Examples: `gamut add contestant mine --folder outputs/mine`,
    `gamut add contestant own --python my_model.py`,
    `gamut add contestant flux --model black-forest-labs/FLUX.1-dev --base-url http://localhost:8000/v1`,
    `gamut add contestant lora --model ORG/NAME --kind diffusers --adapter runs/lora --benchmarks BENCHMARK:en`,
    `gamut add contestant tuned --model ORG/NAME --kind diffusers --checkpoints 'runs/x/checkpoint-*'`
    """
    from gamut.command.contestants.adding import add_contestants
    from gamut.command.contestants.blocks import Request

    request = Request(
        name, folder, of, model, python, kind, class_, tasks, base_url, key_variable, pictures_from, revision, weights,
        adapter, checkpoints, paints, variant_of, tuple(benchmarks or ()), max_failures, replace,
    )  # fmt: skip
    print_lines(add_contestants(request))


@one_line_errors
def judge(
    name: Annotated[str, typer.Argument(help="Its name in params.yaml, on boards and in run.toml: a-z, 0-9 and _.")],
    model: Annotated[str, option("ID", "A model, by the name its server or the Hub has for it.")],
    kind: Annotated[Text, typer.Option(help="openai, transformers, unified, vllm; with --base-url openai.")] = None,
    base_url: Annotated[Text, option("URL", "Where an OpenAI-compatible server is: into run.toml.")] = None,
    key_variable: Annotated[Text, option("NAME", "The environment variable that holds its key: into run.toml.")] = None,
    revision: Annotated[Text, option("COMMIT", "Of weights on the Hub; main's, asked there.")] = None,
    weights: Annotated[Path | None, option("DIR", "Weights on this machine: into run.toml, by their digest.")] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME,…", "Whose answers it judges; all that ask judges if left out.")
    ] = None,
) -> None:
    """Add a judge to params.yaml, in the place of those of the embedded world, which see nothing but its own pictures.

    All is checked as `gamut check` does before anything is written, and on any mistake nothing is.

    Examples: `gamut add judge gpt --model gpt-5 --base-url https://api.openai.com/v1 --key-variable OPENAI_API_KEY`,
    `gamut add judge qwen --model Qwen/Qwen3-VL-8B-Instruct --base-url http://localhost:8000/v1 --benchmarks BENCHMARK`
    """
    from gamut.command.contestants.adding import add_judge
    from gamut.command.contestants.blocks import Request

    request = Request(
        name, model=model, kind=kind, class_="understanding", base_url=base_url, key_variable=key_variable,
        revision=revision, weights=weights, benchmarks=tuple(benchmarks or ()),
    )  # fmt: skip
    print_lines(add_judge(request))


@one_line_errors
def pin(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help="Models or contestants; all where none is named.")
    ] = None,
    check: Annotated[bool, flag("--check", "Write nothing; exit 1 where something differs.")] = False,
) -> None:
    """Put the digests of folders and local weights into params.yaml as they are now.

    What is pinned by a digest is refused once it has changed. Whatever a model answered before is asked anew, since it
    is another model now. Weights pinned by a commit of the Hub stay so.

    Examples: `gamut pin`, `gamut pin mine`, `gamut pin --check`
    """
    from gamut.command.contestants.pinning import pin_digests

    lines, changed = pin_digests(names or (), write=not check)
    print_lines(lines)
    if check and changed:
        raise UserError(
            f"{changed} digest{'s differ' if changed > 1 else ' differs'}: `gamut pin` writes what is there now"
        )
