"""Commands of editions, boards and contestants. Each only parses options; the module that it imports does the work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gamut.command.building import AsJson, flag, leave_out, option, print_lines
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project.errors import UserError, one_line_errors

Benchmark = Annotated[str, typer.Argument(metavar="BENCHMARK", help=f"One of: {', '.join(NAMES)}.")]
Version = Annotated[str, typer.Argument(metavar="VERSION", help="The edition's name, such as v1.")]

LEAKED = 3
"""The exit code of an audit that found leaks; 1 means that it could not be done."""
WORSE = 4
"""The exit code if it is not known that a margin holds; 1 means that nothing could be compared."""


@one_line_errors
def calibrate(
    apply: Annotated[bool, flag("--apply", "Write them into params.yaml; nothing else in it changes.")] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=2, help="Draw this many rows for each filter, half of them below its threshold, to be labelled."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the thresholds of filters that the stage `calibrate` suggests, write them, or draw rows to label.

    Examples: `gamut calibrate`, `gamut calibrate --apply`, `gamut calibrate --sample 50`
    """
    if sample and apply:
        raise UserError("--sample and --apply are two steps: between them, label the rows and run `dvc repro`")
    if sample:
        from gamut.dataset.calibration import sampling
        from gamut.dataset.steps import Params
        from gamut.project.parameters import load

        counts = sampling.write_sample(sample, load(Params))
        print(f"{sampling.SAMPLE}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
        print(
            "`git add` this file and name it at calibrate.labels in params.yaml; then label its rows by "
            "`gamut label filters`,"
        )
        print("or fill in its column `label` (1: should pass, 0: should not)")
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
        print("no threshold changes")
    elif apply:
        print(f"params.yaml: {len(changes)} of {len(lines)} thresholds changed; `dvc repro` builds with them")
    else:
        print(f"{len(changes)} of {len(lines)} would change; `gamut calibrate --apply` writes them into params.yaml")


@one_line_errors
def freeze(
    benchmark: Benchmark,
    version: Version,
    allow_unreviewed: Annotated[bool, flag("--allow-unreviewed", "Also take proposals without a decision.")] = False,
) -> None:
    """Write the reviewed proposals as an edition, a file in datasets/editions that never changes again.

    Examples: `gamut freeze BENCHMARK v1`, `gamut freeze BENCHMARK trial --allow-unreviewed`
    """
    from gamut.evaluation.curating.freeze import freeze_proposal

    print_lines(freeze_proposal(curation_of(benchmark), version, allow_unreviewed))
    leave_out()


@one_line_errors
def import_(
    benchmark: Benchmark,
    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="A file or folder with items; none with --download.")
    ] = None,
    version: Annotated[
        str | None, typer.Argument(metavar="VERSION", help="Such as v1; with --download `released`.")
    ] = None,
    download: Annotated[bool, flag("--download", "Fetch the published items, or say how to get them.")] = False,
    revision: Annotated[str | None, option("COMMIT", "With --download: this commit or tag, not main.")] = None,
    images: Annotated[Path | None, option("DIR", "The folder with the items' pictures.")] = None,
    strict: Annotated[bool, flag("--strict", "Refuse the items if any has a defect.")] = False,
    out: Annotated[Path | None, option("DIR", "Make no edition; write items.jsonl and lint.json there.")] = None,
) -> None:
    """Import a benchmark's published items, or your own, as an edition: items that never change, with their pictures.

    `--download` fetches the published items from the Hub, verifies every file and prints their licence. The edition
    keeps the commit, and refuses another one. If it is stopped, run it again: it continues from there.

    Without it, SOURCE holds items in the benchmark's released layout. If gamut checks it for defects, it fixes
    those that are safe to fix, and lists all in `lint.json`; no item is left out.

    For `own`, SOURCE is a file with one prompt a line as JSON (docs/own.md). If params.yaml has no block `own`, it is
    added. A benchmark without a released layout takes a file like those in datasets/editions: each of an item's
    `images` has `name`, `role` and `file`, a path below DIR or the file's folder. FILE.origin.json next to FILE.jsonl
    may give source, revision and licence.

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
            raise UserError("--download takes no files: give `--download [VERSION]`, or `--download --out DIR`")
        silence_client()
        lines = import_published(curation, None if source is None else str(source), revision, strict, out, say)
    elif source is None or revision is not None:
        raise UserError("name a file or folder as SOURCE, or give --download to fetch the published items")
    elif version is not None and out is None:
        lines = chain(import_items(curation, source, version, images, strict), append_block(curation, version))
    elif version is None and out is not None:
        lines = import_apart(curation, source, out, images, strict)
    else:
        raise UserError("name either the VERSION of the new edition, or --out DIR to make none")
    print_lines(lines)
    leave_out()


@one_line_errors
def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A contestant, CONTESTANT@REVISION or a revision.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="The same; `workspace`: the files as they are.")],
    of: Annotated[
        str | None,
        option(
            "BENCHMARK[:METRIC]",
            f"Only this benchmark ({', '.join(NAMES)}), or only this metric of it.",
        ),
    ] = None,
    judge: Annotated[str | None, option("NAME", "Only this judge.")] = None,
    items: Annotated[
        int | None, typer.Option(min=1, help="With --of: list this many items that change each board most.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Test that SECOND is worse by less than this many points on every board."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two contestants, or all contestants at two revisions, on the items that both have scores for.

    One line for each benchmark says who is ahead; with `--of`, tables show every value. Two revisions (of git, or DVC
    experiments) compare each contestant with itself, with scores from DVC's local cache. Scores that were made from
    other prompts, judges or questions are not compared, and the reason is shown.

    With `--margin` it prints a verdict in one line, and the items that change the deciding board most. The exit code is
    4 if the margin is not known to hold on every board or not all could be compared, 1 if nothing could be compared.

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
        str | None, typer.Argument(metavar="BENCHMARK", help=f"One of: {', '.join(NAMES)}; all if left out.")
    ] = None,
    metric: Annotated[str | None, option("NAME", "The board of this metric, not the main board.")] = None,
    judge: Annotated[str | None, option("NAME", "The board by this judge.")] = None,
    every: Annotated[bool, flag("--all", "All boards, or all of the named metric and judge.")] = False,
    form: Annotated[str, typer.Option("--format", help="One of table, csv, markdown, latex, json.")] = "table",
) -> None:
    """Show the leaderboards that were measured: the ranks of every benchmark, or all values of one.

    Nothing is measured again. CSV and JSON have one line for each value, as metrics/BENCHMARK/EDITION/board.csv has.
    Markdown and LaTeX are tables for papers, as in the folder `tables` next to that file.

    Examples: `gamut board`, `gamut board BENCHMARK`, `gamut board BENCHMARK --metric zh --format latex`,
    `gamut board --format json`
    """
    from gamut.command.board import print_boards

    print_boards(name, metric, judge, every, form)


@one_line_errors
def audit(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="`release`, which is this project's, or a folder.")],
    edition: Annotated[str, typer.Argument(metavar="BENCHMARK/VERSION", help="A frozen edition.")],
    out: Annotated[Path, option("FILE", "The JSON file for the whole result.")] = (Path("audit.json")),
    column: Annotated[str, typer.Option(help="The column with texts, if the folder has tables.")] = "caption",
    image: Annotated[str | None, option("COLUMN", "The column with pictures, if there are any.")] = None,
    candidates_only: Annotated[
        bool, flag("--candidates-only", "Do not ask a model whether two similar texts are the same test.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find items of an edition that a dataset contains, also reworded or as pictures, and show the board without them.

    A folder may hold tables, lists with one prompt a line, or images with texts next to them. Texts are compared as in
    the dataset build, with the models and thresholds of params.yaml (hold_out); no question is asked twice.

    The exit code is 3 if the dataset contains items, 1 if the audit failed.

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
    print(f"The whole result is in {out}", file=sys.stderr if as_json else None)
    if report["leaks"]:
        sys.exit(LEAKED)


Text = str | None


@one_line_errors
def export(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A contestant; with --class, a new one; or `dataset`.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    class_: Annotated[
        Text, typer.Option("--class", help="Of a new contestant: generation, editing, understanding or unified.")
    ] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME[:SETTING,…],…", "Only these; all that it is measured on if left out.")
    ] = None,
    form: Annotated[Text, typer.Option("--format", help="Of `dataset`: webdataset or folder.")] = None,
    caption: Annotated[Text, option("COLUMN", "Of `dataset`: what `.txt` files get, as short or long.")] = None,
) -> None:
    """Write the prompts that a contestant is given, with their pictures, so that a script of yours can answer them. Or,
    with `dataset`, write the release for training programs.

    Each line of DIR/prompts.jsonl has an id, texts and pictures in order, the expected kinds of output, size and seed.
    Your script writes its answers into DIR; then DIR can be added as a contestant (docs/contestants.md).

    With `dataset`, DIR gets WebDataset shards (`--format webdataset`), or pictures with captions next to them and a
    metadata.parquet (`--format folder`); docs/training.md has loaders.

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
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name on boards and in run.toml: a-z, 0-9 and _.")],
    folder: Annotated[Path | None, option("DIR", "A folder with answers made elsewhere (docs/contestants.md).")] = None,
    of: Annotated[Text, option("MODEL", "With --folder: only what is in folders of this name.")] = None,
    model: Annotated[Text, option("ID", "A model, by its name at the server or on the Hub.")] = None,
    python: Annotated[
        Path | None, option("FILE", "A Python file with a function `answer`; if missing, a template is written.")
    ] = None,
    kind: Annotated[
        Text, typer.Option(help="openai (the default with --base-url), diffusers, transformers, unified or vllm.")
    ] = None,
    class_: Annotated[
        Text,
        typer.Option("--class", help="generation, editing, understanding or unified; found by itself if left out."),
    ] = None,
    tasks: Annotated[Text, option("TASK,…", "What it does of understanding, generation, editing, interleaved.")] = None,
    base_url: Annotated[Text, option("URL", "An OpenAI-compatible server; run.toml keeps it.")] = None,
    key_variable: Annotated[Text, option("NAME", "The environment variable with the server's key.")] = None,
    pictures_from: Annotated[
        Text, option("chat|images", "How the server makes pictures: chat for unified models.")
    ] = None,
    revision: Annotated[Text, option("COMMIT", "A commit of the Hub; if left out, that of main.")] = None,
    weights: Annotated[Path | None, option("DIR", "Weights on this machine; run.toml keeps their path.")] = None,
    adapter: Annotated[
        Text, option("DIR|ID", "A LoRA adapter for the weights: a folder, or ID@COMMIT on the Hub.")
    ] = None,
    checkpoints: Annotated[
        Text, option("PATTERN", "Folders with adapters or whole weights; each is a variant.")
    ] = None,
    paints: Annotated[
        Text, option("DIR|ID", "With kind unified: the checkpoint that paints, if another one chats.")
    ] = None,
    variant_of: Annotated[Text, option("NAME", "The contestant that this is a variant of.")] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME[:SETTING,…],…", "Where it is measured; if left out, on all that it can answer.")
    ] = None,
    max_failures: Annotated[
        str | None, typer.Option(help="How many of its answers may fail or be missing: a count, or a share below 1.")
    ] = None,
    replace: Annotated[
        bool, flag("--replace", "Change the contestant of this name; most values that you leave out stay.")
    ] = False,
) -> None:
    """Add a contestant, a model under test, to params.yaml. Say where its answers come from: folder, model or Python.

    params.yaml is checked as `gamut check` does before it is written; after an error it stays as it was. The digest of
    folders and weights is kept in it. Folders that neither git nor DVC tracks are added to .gitignore.

    `--checkpoints` adds the model as NAME, and a variant for each folder, named after the number at the folder's end;
    with `--variant-of` the variants alone. The board compares each variant with its model.

    `--python` runs your code: now for one answer, later in the stages. If it fails, nothing is added.

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
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name on boards and in run.toml: a-z, 0-9 and _.")],
    model: Annotated[str, option("ID", "A model, by its name at the server or on the Hub.")],
    kind: Annotated[Text, typer.Option(help="openai (with --base-url), transformers, unified or vllm.")] = None,
    base_url: Annotated[Text, option("URL", "An OpenAI-compatible server; run.toml keeps it.")] = None,
    key_variable: Annotated[Text, option("NAME", "The environment variable with the server's key.")] = None,
    revision: Annotated[Text, option("COMMIT", "A commit of the Hub; if left out, that of main.")] = None,
    weights: Annotated[Path | None, option("DIR", "Weights on this machine; run.toml keeps their path.")] = None,
    benchmarks: Annotated[
        list[str] | None, option("NAME,…", "Where it judges; if left out, wherever judges are asked.")
    ] = None,
) -> None:
    """Add a judge, a model that looks at answers, to params.yaml.

    It replaces judges of the embedded world, which see only pictures of that world. After an error, nothing is written.

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
        list[str] | None, typer.Argument(metavar="NAME", help="Models or contestants; all if none is named.")
    ] = None,
    check: Annotated[bool, flag("--check", "Write nothing; the exit code is 1 if a digest differs.")] = False,
) -> None:
    """Update the digests in params.yaml, so that they fit the folders and local weights as they are now.

    Stages refuse a folder or weights with another digest. After `gamut pin` a changed model counts as another model,
    and is asked everything again. Weights that are pinned by a commit of the Hub stay as they are, unless named.

    Examples: `gamut pin`, `gamut pin mine`, `gamut pin --check`
    """
    from gamut.command.contestants.pinning import pin_digests

    lines, changed = pin_digests(names or (), write=not check)
    print_lines(lines)
    if check and changed:
        raise UserError(
            f"{changed} digest{'s differ' if changed > 1 else ' differs'}: `gamut pin` writes the present ones"
        )
