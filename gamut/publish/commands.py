"""The commands `gamut publish`, `gamut diff` and `gamut fetch`: options and help only."""

from __future__ import annotations

import json
import sys
import warnings
from functools import partial
from typing import Annotated

import typer

from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.errors import one_line_errors

PRODUCT = f"dataset, pages, or the edition of a benchmark: {', '.join(NAMES)}."


def say(line: str) -> None:
    print(line, flush=True)


def say_on_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def silence_client() -> None:
    """Turn off warnings of the Hub's client (we report failures), and its progress bars without a terminal."""
    from huggingface_hub import logging
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    warnings.filterwarnings("ignore", module="huggingface_hub")
    if not sys.stderr.isatty():
        disable_progress_bars()


@one_line_errors
def publish(
    product: Annotated[str, typer.Argument(help=PRODUCT)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go up; write nothing.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository a private one.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; what is said meanwhile goes to stderr.")] = False,
) -> None:
    """Publish what lies here as a version on the Hugging Face Hub, all of it or nothing, and keep a receipt.

    Repository, version, title and licence stand in params.yaml under publish. Run again after whatever went wrong: it
    goes on where it was. A version that is there already is left alone. `pages` puts the report on a static Space,
    which shows what was published last.

    Examples: `gamut publish dataset --dry-run`, `gamut publish pages`, `gamut publish BENCHMARK`
    """
    silence_client()
    from gamut.publish import pages, publishing
    from gamut.publish.parameters import PAGES

    publish_it = pages.publish_pages if product == PAGES else partial(publishing.publish_version, product)
    change = publish_it(dry_run, private, say_on_stderr if as_json else say)
    if as_json:
        print(json.dumps(change, indent=2))


@one_line_errors
def diff(
    first: Annotated[str, typer.Argument(help="A version's tag, or org/name@tag.")],
    second: Annotated[str, typer.Argument(help="The same; `workspace` is what is here.")] = "workspace",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say which rows were added, removed and changed between two published datasets, and in which columns.

    Only files that differ are downloaded. Editions are text in git: `git diff` shows what changed in them.

    Examples: `gamut diff v0.1.0 v0.2.0`, `gamut diff v0.2.0`
    """
    silence_client()
    from gamut.publish import diffing

    diffing.print_diff(first, second, as_json, say_on_stderr)


@one_line_errors
def fetch(version: Annotated[str, typer.Argument(metavar="REPO@TAG", help="Such as org/name@v0.1.0.")]) -> None:
    """Bring a published version here, verify every byte of it, and put it where `dvc repro` would have.

    A release that lies here is replaced only when dvc.lock records it or it was fetched, an edition never.

    Example: `gamut fetch org/name@v0.1.0`
    """
    silence_client()
    from gamut.publish import fetching

    fetching.fetch_version(version, say)
