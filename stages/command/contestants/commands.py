"""The commands `gamut add contestant` and `gamut pin`: a thin face."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stages.project.errors import UserError, one_line_errors

Text = str | None


@one_line_errors
def contestant(
    name: Annotated[str, typer.Argument(help="Its name on boards and in run.toml: a-z, 0-9 and _.")],
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Answers that were made elsewhere, in a layout of docs/contestants.md."),
    ] = None,
    model: Annotated[
        Text, typer.Option(metavar="ID", help="A model, by the name its server or the Hub has for it.")
    ] = (None),
    kind: Annotated[Text, typer.Option(help="openai, diffusers, transformers, vllm; with --base-url openai.")] = None,
    class_: Annotated[
        Text,
        typer.Option("--class", help="generation, editing, understanding or unified; by kind or content if left out."),
    ] = None,
    tasks: Annotated[
        Text,
        typer.Option(
            metavar="TASK,…", help="Of understanding, generation, editing, interleaved what it does; all of its class."
        ),
    ] = None,
    base_url: Annotated[
        Text, typer.Option(metavar="URL", help="Where an OpenAI-compatible server is: into run.toml.")
    ] = (None),
    key_variable: Annotated[
        Text, typer.Option(metavar="NAME", help="The environment variable that holds its key: into run.toml.")
    ] = None,
    revision: Annotated[
        Text, typer.Option(metavar="COMMIT", help="Of weights on the Hub; main's, asked there.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Weights on this machine: into run.toml, by their digest.")
    ] = None,
    adapter: Annotated[
        Text, typer.Option(metavar="DIR|ID", help="A LoRA adapter on the weights: a folder, or on the Hub ID@COMMIT.")
    ] = None,
    adapter_weight: Annotated[float | None, typer.Option(help="How much the adapter counts; 1.")] = None,
    checkpoints: Annotated[
        Text, typer.Option(metavar="PATTERN", help="Folders of a series, adapters or whole weights: a variant each.")
    ] = None,
    variant_of: Annotated[Text, typer.Option(metavar="NAME", help="The contestant that it is a variant of.")] = None,
    benchmarks: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[:SIDE,…],…", help="Where it is measured; in all that it can answer if left out."),
    ] = None,
    max_failures: Annotated[
        str | None, typer.Option(help="How many of its answers may be missing or fail: a count, or a share below 1.")
    ] = None,
) -> None:
    """Add a contestant to params.yaml: its block, with the digest of its folder or weights.

    All is checked as `gamut check` does before anything is written, and on any mistake nothing is. What will be asked
    is counted as `gamut estimate` counts it. Git ignores its folders where neither it nor DVC has them.

    --checkpoints adds the model as NAME, unless --variant-of names who it is, and a variant of it for each folder,
    called by the number at its end: the board compares each with the model in pairs.

    Examples: `gamut add contestant mine --folder outputs/mine`,
    `gamut add contestant flux --model black-forest-labs/FLUX.1-dev --base-url http://localhost:8000/v1`,
    `gamut add contestant lora --model ORG/NAME --kind diffusers --adapter runs/lora --benchmarks BENCHMARK:SIDE`,
    `gamut add contestant tuned --model ORG/NAME --kind diffusers --checkpoints 'runs/x/checkpoint-*'`
    """
    from stages.command.contestants.adding import add
    from stages.command.contestants.blocks import Asked

    asked = Asked(
        name, folder, model, kind, class_, tasks, base_url, key_variable, revision, weights, adapter, adapter_weight,
        checkpoints, variant_of, tuple(benchmarks or ()), max_failures,
    )  # fmt: skip
    for line in add(asked):
        print(line)


@one_line_errors
def pin(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help="Models or contestants; all where none is named.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 where something differs.")] = False,
) -> None:
    """Put the digests of folders and local weights into params.yaml as they are now.

    What is pinned by a digest is refused once it has changed. Whatever a model answered before is asked anew, since it
    is another model now. Weights pinned by a commit of the Hub stay so.

    Examples: `gamut pin`, `gamut pin mine`, `gamut pin --check`
    """
    from stages.command.contestants.pinning import pinned

    lines, changed = pinned(names or (), write=not check)
    for line in lines:
        print(line)
    if check and changed:
        raise UserError(
            f"{changed} digest{'s differ' if changed > 1 else ' differs'}: `gamut pin` writes what is there now"
        )
