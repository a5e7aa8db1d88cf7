"""Write a build's report on itself: metrics, plots, data card and contact sheet; print a table for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from gamut.asking.limits import FAILURES
from gamut.dataset.reporting.card import card
from gamut.dataset.reporting.contact_sheet import sections_of, write_contact_sheet
from gamut.dataset.reporting.counts import WORDS_PER_BIN
from gamut.dataset.reporting.figures import TABLES, Build, Report, gather_figures, reasons_by_step, summary_figures
from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET, METRICS, PLOTS, SUMMARY
from gamut.dataset.steps import ASKING, Params
from gamut.project.files import write_csv, write_json, write_whole
from gamut.project.plain_text import amount

COLUMNS = 80
Plot = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names, and rows."""


def statistics(params: Params) -> None:
    build = gather_figures(params)
    write_json(METRICS, build.report)
    write_json(SUMMARY, summary_figures(build.report))
    write_plots(build, PLOTS)
    write_whole(CARD, card(params, build.report).encode())
    write_contact_sheet(CONTACT_SHEET, sections_of(build.drawn), build.report)
    print_table(build.report)
    print(f"{METRICS} and {CARD} have these numbers and more; {CONTACT_SHEET} shows examples")


def write_plots(build: Build, folder: Path) -> None:
    for name, (columns, rows) in tables(build).items():
        write_csv(folder / f"{name}.csv", columns, rows)


def tables(build: Build) -> dict[str, Plot]:
    report = build.report
    pictures = {int(number): count for number, count in build.captions["pictures"].items()}
    return {
        "word_counts": side_by_side("words", until_the_last(build.captions["lengths"]), WORDS_PER_BIN),
        "scores": side_by_side("score", build.scores, 1),
        "sources": (("source", "pictures"), [(wave, of["released"]) for wave, of in report["sources"].items()]),
        "reasons": (("reason", "rows"), reasons(report)),
        "captions_per_picture": (
            ("captions", "pictures"),
            [(number, pictures.get(number, 0)) for number in range(1, max(pictures, default=1) + 1)],
        ),
    }


def side_by_side(x: str, counts: Mapping[str, Sequence[int]], width: int) -> Plot:
    """Return a plot: the start of each bin, then a column for each histogram."""
    rows = zip(*counts.values(), strict=True)
    return (x, *counts), [(number * width, *row) for number, row in enumerate(rows)]


def until_the_last(counts: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """Cut the last bins that are empty in all histograms; the first bin stays."""
    filled = np.flatnonzero(np.sum(list(counts.values()), axis=0))
    end = int(filled.max(initial=0)) + 1
    return {name: column[:end] for name, column in counts.items()}


def reasons(report: Report) -> list[tuple[str, int]]:
    """Return how many rows each filter left out for each reason of its own, in the order of the filters."""
    return [
        (f"{name}: {reason.removeprefix(f'{name}_')}", count)
        for name, own in reasons_by_step(report).items()
        for reason, count in own.items()
        if reason != "kept"
    ]


def print_table(report: Report, console: Console | None = None) -> None:
    table = Table(title="From captions to the release", title_justify="left")
    table.add_column("table")
    table.add_column("rows", justify="right")
    table.add_column("what became of them")
    for folder in TABLES:
        counts = report[folder.name]
        if rows := sum(counts.values()):
            words = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
            table.add_row(str(folder), f"{rows:,}", words)
    final = report["release"]
    words = f"{final['captions_english']:,} captions in each language, {final['captions_per_picture']} a picture"
    table.add_row("datasets/release", f"{final['pictures']:,}", words)
    beside = {"preferences": report.get("preferences", {}), "captions": report["captions"]["length"]}
    for name, rows in {name: sum(of.values()) for name, of in beside.items() if of}.items():
        table.add_row(f"datasets/{name}", f"{rows:,}", "")
    console = console or Console(width=COLUMNS)
    console.print(table)
    for step in ASKING:
        if failed := sum(report[step.name].get(status, 0) for status in FAILURES):
            console.print(f"{step.name}: {amount(failed, 'row')} failed; `gamut retry {step.name}` asks them again")
