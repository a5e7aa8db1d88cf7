"""The command `gamut`: a thin face; what it does stands in the module each command names."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from stages.errors import UserError

HELP = """Build, check and care for text-to-image reasoning datasets. The build itself is `dvc repro`.

Examples: `gamut check`, `gamut use parti`, `gamut retry annotate`, `gamut store prune`
"""
app = typer.Typer(no_args_is_help=True, add_completion=False, help=HELP, pretty_exceptions_enable=False)
store_app = typer.Typer(no_args_is_help=True, help="Care of the reply store (.store/, or GAMUT_STORE).")
app.add_typer(store_app, name="store")


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Show a UserError as its message alone, with exit code 1."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except UserError as error:
            sys.exit(str(error))

    return wrapped


@app.command()
@one_line_errors
def check(quiet: Annotated[bool, typer.Option(help="Print only what is missing and needed.")] = False) -> None:
    """Check parameters and surroundings; exit 1 when something that is needed is missing.

    Examples: `gamut check`, `gamut check --quiet`
    """
    from stages.check import findings

    missing = 0
    for finding in findings():
        lacking = finding.needed and not finding.found
        missing += lacking
        if lacking or not quiet:
            mark = "ok     " if finding.found else ("MISSING" if finding.needed else "absent ")
            print(f"{mark} {finding.what}: {finding.remark}")
    if missing:
        sys.exit(f"{missing} needed thing{'s are' if missing > 1 else ' is'} missing")


@app.command()
@one_line_errors
def use(name: Annotated[str, typer.Argument(help="A profile's name, as in profiles/NAME.yaml.")]) -> None:
    """Put a profile in place as params.yaml; refuses to lose uncommitted edits.

    Example: `gamut use parti`
    """
    from stages import profiles

    profiles.use(name)
    print(f"params.yaml is now profiles/{name}.yaml: `dvc repro` builds it")


@app.command()
@one_line_errors
def retry(stage: Annotated[str, typer.Argument(help="A stage that asks, as in dvc.yaml.")]) -> None:
    """Ask again what a stage could not get or parse, and bring everything after it up to date.

    The requests are the same as before: a model that always says the same needs other sampling instead.

    Example: `gamut retry annotate`
    """
    from stages import pipeline, store

    failed = store.forget_failed(stage)
    if not failed:
        print(f"{stage}: the last run has no failures; `dvc repro` asks what is missing")
    else:
        print(f"{stage}: {failed:,} failed requests are asked again", flush=True)
        code = pipeline.dvc("repro", "--force", "--single-item", stage) or pipeline.dvc("repro")
        sys.exit(code)


@store_app.command()
@one_line_errors
def prune(
    images: Annotated[bool, typer.Option(help="Also drop images that their finished table holds.")] = False,
) -> None:
    """Drop replies that no current table uses. Going back to other parameters will then ask again.

    Examples: `gamut store prune`, `gamut store prune --images`
    """
    from stages import store

    for line in store.prune(images):
        print(line)


@store_app.command()
@one_line_errors
def seed(table: Annotated[Path, typer.Argument(help="A finished table, for example datasets/images.")]) -> None:
    """Fill the store from a table that was pulled, so that its stage can run again without asking.

    Example: `dvc pull && gamut store seed datasets/annotations`
    """
    from stages import store

    print(store.seed(table))


if __name__ == "__main__":
    app()
