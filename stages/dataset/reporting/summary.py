"""What a person reads at the end of a build: a table of what became of every row, 80 columns wide."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from stages.asking.limits import FAILURES
from stages.dataset.reporting.figures import TABLES, Report
from stages.dataset.shared.asked import ASKED
from stages.project.plain_text import amount

COLUMNS = 80


def show(report: Report, console: Console | None = None) -> None:
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
    console = console or Console(width=COLUMNS)
    console.print(table)
    for stage, (folder, _) in ASKED.items():
        if failed := sum(report[folder.name].get(status, 0) for status in FAILURES):
            console.print(f"{stage}: {amount(failed, 'row')} failed; `gamut retry {stage}` asks them again")
