"""What became of every candidate, and what the release holds: metrics, plots, data card and contact sheet.

FLUX-Reason-6M, section 2 and figure 4. What the build took is written beside them, not declared: it is not
reproducible.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from stages.asking.limits import FAILURES
from stages.dataset.pipeline import ASKING, STATISTICS, Params
from stages.dataset.reporting.card import card
from stages.dataset.reporting.contact_sheet import contact_sheet, sections_of
from stages.dataset.reporting.costs import costs
from stages.dataset.reporting.figures import TABLES, Report, few, gather
from stages.dataset.reporting.outputs import CARD, CONTACT_SHEET, COST, METRICS, OVERVIEW, PLOTS, SUMMARY
from stages.dataset.reporting.overview import overview, write_plots
from stages.pipeline.steps import start
from stages.project.files import write_json, write_whole
from stages.project.plain_text import amount

COLUMNS = 80


def statistics(params: Params) -> None:
    build = gather(params)
    write_json(METRICS, build.report)
    write_json(SUMMARY, few(build.report))
    write_plots(build, PLOTS)
    shown = sections_of(params.seed)
    write_whole(CARD, card(params, build.report).encode())
    overview(OVERVIEW, build)
    contact_sheet(CONTACT_SHEET, shown, build.report)
    filled = params.roles.filled()
    models = {step.name: filled[step.role] for step in ASKING if step.role in filled}
    write_json(COST, costs(build.used, models, build.report["release"]["pictures"]))
    show(build.report)
    print(f"The same numbers and more: {METRICS}, {CARD}; pictures that stand for them: {CONTACT_SHEET}")


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
    for step in ASKING:
        if failed := sum(report[step.name].get(status, 0) for status in FAILURES):
            console.print(f"{step.name}: {amount(failed, 'row')} failed; `gamut retry {step.name}` asks them again")


if __name__ == "__main__":
    start(STATISTICS, statistics)
