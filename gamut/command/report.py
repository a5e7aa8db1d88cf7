"""`gamut report`: write the pages of everything that was built, product by product."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gamut.command.left_out import readable_items
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project.errors import UserError
from gamut.project.git import commit_in_words
from gamut.project.locks import only_writer
from gamut.project.parameters import load
from gamut.project.pipeline import PARAMS, names_at, value_at
from gamut.project.plain_text import harmless_text
from gamut.project.staleness import staleness
from gamut.project.validation import read_yaml
from gamut.report import knowledge
from gamut.report.board import pages
from gamut.report.front import write_front
from gamut.report.report import dataset_pages
from gamut.report.site.folder import REPORT, claim
from gamut.tables.reading import manifest_path


class Product(NamedTuple):
    """Pages that are written together, as `stage` writes them. `reason`: why they are left out; `stale`: a warning that
    they show what was not built with these parameters.
    """

    name: str
    stage: str
    write: Callable[[], None]
    reason: str | None = None
    stale: str | None = None


def write_report(out: Path) -> int:
    """Write all pages into a folder, and print which products are left out; return how many failed. UserError if the
    folder holds something else.
    """
    claim(out)
    failed, in_place = 0, out.resolve() == REPORT.resolve()
    for product in report_products(out, None if in_place else commit_in_words(out)):
        if product.reason:
            print(f"{product.name} is left out: {harmless_text(product.reason)}", flush=True)
            continue
        try:
            with only_writer(product.stage) if in_place else nullcontext():  # no stage writes there meanwhile
                product.write()
            if product.stale:
                print(f"{product.name}: {product.stale}", file=sys.stderr, flush=True)
        except UserError as error:
            failed += 1
            for line in str(error).splitlines():
                print(f"{product.name}: {harmless_text(line)}", file=sys.stderr, flush=True)
    return failed


def report_products(out: Path, commit: str | None) -> Iterator[Product]:
    values = read_yaml(PARAMS)
    reasons = {name: why_left_out(name, values) for name in NAMES}
    built = manifest_path(table_of("prompts")).exists()
    reasons["dataset"] = None if built else "datasets/prompts does not exist: run `dvc repro` or `dvc pull`"
    shown = (name for name, reason in reasons.items() if reason is None)
    stale = {name: said for name in shown if (said := staleness(["release" if name == "dataset" else f"{name}.board"]))}
    for name in NAMES:
        own = stale.get(name)
        yield Product(name, f"{name}.board", partial(write_benchmark, name, out, own), reasons[name], own)
    yield Product("dataset", "report", partial(dataset_pages, out), reasons["dataset"], stale.get("dataset"))
    if knowledge.TRANSFER.is_file():
        yield Product("knowledge", "knowledge.pages", partial(knowledge.pages, out))
    yield Product("front", "report", partial(write_front, out, stale, commit))


def why_left_out(name: str, values: object) -> str | None:
    if value_at(values, name) is None:
        return f"{PARAMS} has no block {name!r}"
    if (found := readable_items(name, values)) and found.left_out:
        return found.left_out
    answers = curation_of(name).benchmark.answers
    if not any(manifest_path(answers / contestant).exists() for contestant in names_at(values, f"{name}.contestants")):
        return f"{answers} has no answers: `dvc repro` asks contestants, `dvc pull` fetches answers"
    return None


def write_benchmark(name: str, out: Path, stale: str | None) -> None:
    benchmark = curation_of(name).benchmark
    pages(benchmark, load(benchmark.params), out, stale)
