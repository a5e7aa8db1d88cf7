"""The estimate for a person: counts, requests by stage, GPU time, disk space, and every assumption."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gamut.command import profiles
from gamut.command.estimate import asks, benchmarks, figures
from gamut.command.estimate.asks import Ask, Line, dataset_asks, dataset_lines, disk_space, known_sum, total_line
from gamut.command.estimate.flow import SHARES, Flow, expected_flow, source_rows
from gamut.command.left_out import benchmark_items
from gamut.command.terminal import NEXT_STEPS, print_json
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.scoring.printed import print_table
from gamut.pipeline.studies import studies
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.project.settings import Settings
from gamut.project.validation import parse_yaml, read_yaml
from gamut.publish.files import size_words
from gamut.publish.parameters import Everything, check_everything

WIDTH = 100
CARDS = (8, 128)
"""Numbers of cards for which the time is given; the paper's run had 128."""


@dataclass(frozen=True)
class Bill:
    """What the dataset and all benchmarks with contestants would ask. `uncounted`, `about`: lines about benchmarks that
    cannot be counted, or only with stand-ins.
    """

    counts: Flow
    asks: list[Ask]
    of_dataset: list[Line]
    of_benchmarks: list[Line]
    uncounted: list[str]
    about: list[str]

    @property
    def by_model(self) -> list[Line]:
        both = [*self.of_dataset, *self.of_benchmarks]
        models = dict.fromkeys(line.model for line in both)
        return [total_line([line for line in both if line.model == model]) for model in models]


def expected_bill(everything: Everything, run_settings: Settings, rows: Mapping[str, int] | None = None) -> Bill:
    params = everything.dataset
    counts = expected_flow(params, source_rows(params, rows or {}))
    asked = dataset_asks(params, counts)
    measured, left_out, about = list[Line](), list[str](), list[str]()
    for name, of in everything.benchmarks.items():
        if not of.contestants:
            continue
        there, items = benchmark_items(benchmark := curations()[name].benchmark, of), list[Item]()
        if there.missing and not benchmark.edition(of).exists():
            items = benchmarks.published_stand_ins(curations()[name])
            stand_for = f"{amount(len(items), 'item')} made of the edition {benchmarks.SANDBOX} stand for"
            about += [f"Rough: {name}. {stand_for} the published ones. {there.missing}"] * bool(items)
        if there.missing and not items:
            left_out.append(f"Not counted: {name}. {there.missing}")
            continue
        lines = benchmarks.benchmark_lines(benchmark, of, run_settings, items)
        measured += [line for line in lines if line.requests]
    return Bill(counts, asked, dataset_lines(params, asked, run_settings), measured, left_out, about)


def print_estimate(names: Sequence[str], rows: Sequence[str], as_json: bool = False) -> None:
    path = Path(profiles.profile_paths(names)) if names else PARAMS
    everything = check_everything(parse_yaml(profiles.composed_text(names)) if names else read_yaml(path), path)
    bill = expected_bill(everything, settings.load(), given_rows(rows))
    disk_used = disk_space(everything.dataset, bill.counts, bill.asks)
    if as_json:
        lines = {"dataset": bill.of_dataset, "benchmarks": bill.of_benchmarks, "models": bill.by_model}
        requests = {name: [asdict(line) for line in of] for name, of in lines.items()}
        words = {"not_counted": bill.uncounted, "about": bill.about}
        print_json({"rows": asdict(bill.counts), **requests, **words, "bytes": disk_used})
        return
    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    console.print(f"{path}: an estimate; no model was asked\n")
    measures_only = all(line.free for line in bill.of_dataset) and not all(line.free for line in bill.of_benchmarks)
    if measures_only:
        console.print(
            f"The dataset: {amount(sum(line.requests for line in bill.of_dataset), 'request')}, all to the embedded "
            "world: no GPU, no cost. They are left out below.\n"
        )
    else:
        print_dataset(console, bill)
    if bill.of_benchmarks:
        print_table(requests_table("Requests of benchmarks, by stage", bill.of_benchmarks))
        console.print()
        models = [line for line in bill.by_model if not (measures_only and line.free)]
        print_table(requests_table("By model" if measures_only else "Both, by model", models))
    trainings = [line for name, params in everything.studies.items() for line in studies()[name].bill(params)]
    console.print("\n".join([*bill_remarks(bill), *trainings]), "")
    if not measures_only:
        print_disk(console, disk_used)
    hours = any(line.gpu_hours is not None for line in [*bill.of_dataset, *bill.of_benchmarks])
    print_assumptions(console, everything, measures_only, hours)
    console.print(f"`gamut use {' '.join(names)}` puts it in place, then {NEXT_STEPS}" if names else NEXT_STEPS)


def print_dataset(console: Console, bill: Bill) -> None:
    counts = bill.counts
    console.print(
        f"{short_number(counts.rows)} source rows give {short_number(counts.candidates)} candidates; "
        f"{short_number(counts.kept)} are kept, with {short_number(counts.captions)} captions in each language.\n"
    )
    print_table(requests_table("Requests of the dataset, by stage", bill.of_dataset))
    console.print()


def print_disk(console: Console, disk_used: Mapping[str, float]) -> None:
    table = Table(title="Disk", title_justify="left", show_footer=True)
    table.add_column("place", "total")
    table.add_column("size", size_words(sum(disk_used.values())), justify="right")
    for place, count in disk_used.items():
        if count:
            table.add_row(place, size_words(count))
    console.print(table)
    console.print("`gamut store prune --images` deletes the store's pictures once datasets/synthesize is finished.\n")


def print_assumptions(console: Console, everything: Everything, measures_only: bool, with_speeds: bool) -> None:
    """Print each figure that the estimate takes for granted, and where it is from."""
    encoding = everything.dataset.synthesize.encoding
    of_dataset = [*SHARES.values(), *figures.COUNTS, *figures.LENGTHS, figures.picture_bytes(encoding), *figures.SIZES]
    table = Table(title="Assumptions", title_justify="left", show_header=False, box=None)
    table.add_column(justify="right")
    for figure in (
        *([] if measures_only else of_dataset),
        *figures.MEASURED_LENGTHS,
        *(figures.SPEEDS if with_speeds else ()),
    ):
        table.add_row(f"{figure.value:,g}", figure.meaning, figure.origin)
    console.print(table, "")


def given_rows(options: Iterable[str]) -> dict[str, int]:
    rows = {}
    for option in options:
        wave, _, count = option.partition("=")
        if not (wave and count.isascii() and count.isdigit()):
            raise UserError(f"--rows {option}: write it as WAVE=COUNT, such as --rows aesthetics-part01=2700000")
        rows[wave] = int(count)
    return rows


def requests_table(title: str, lines: Sequence[Line]) -> Table:
    stages = any(line.stage for line in lines)
    hours, costs = any(line.gpu_hours is not None for line in lines), any(line.cost is not None for line in lines)
    table = Table(title=title, title_justify="left", show_footer=True)
    if stages:
        table.add_column("stage", "total")
    table.add_column("model", "" if stages else "total")
    table.add_column("requests", short_number(sum(line.requests for line in lines)), justify="right")
    real = [line for line in lines if not line.free]
    if real:
        table.add_column("tokens read", short_number(sum(line.input_tokens for line in real)), justify="right")
        table.add_column("written", short_number(sum(line.output_tokens for line in real)), justify="right")
    if hours:
        table.add_column("H200-hours", short_number(known_sum([line.gpu_hours for line in lines])), justify="right")
    if costs:
        table.add_column("cost", money(known_sum([line.cost for line in lines])), justify="right")
    for line in lines:
        counted = [short_number(line.input_tokens), short_number(line.output_tokens)] if line in real else ["–", "–"]
        known = [short_number(line.gpu_hours)] * hours + [money(line.cost)] * costs
        table.add_row(
            *[line.stage] * stages, line.model, short_number(line.requests), *(counted if real else []), *known
        )
    return table


def bill_remarks(bill: Bill) -> list[str]:
    both, remarks = [*bill.of_dataset, *bill.of_benchmarks], [*bill.uncounted, *bill.about]
    if all(line.free for line in both):
        what = "all that is counted" if bill.uncounted else "everything"
        return [*remarks, f"The embedded world answers {what}: no GPU, no cost. The speeds below are not its own."]
    if hours := known_sum([line.gpu_hours for line in both]):
        days = " or ".join(f"{hours / 24 / cards:,.2f} days on {cards}" for cards in CARDS)
        real = short_number(hours / figures.SHARE_OF_IDEAL.value)
        remarks.append(
            f"{short_number(hours)} H200-hours if no card ever waits and only annotate reuses prefixes ({days} cards); "
            f"{real} at {figures.SHARE_OF_IDEAL.value:.0%} {figures.SHARE_OF_IDEAL.meaning} "
            f"({figures.SHARE_OF_IDEAL.origin}). Other cards and the models' options: docs/throughput.md."
        )
    if hours := known_sum([line.gpu_hours for line in bill.of_dataset]):
        remarks.append(
            f"The dataset takes {hours * 3600 / max(bill.counts.kept, 1):,.1f} H200-seconds for each kept "
            f"picture. In the paper it was {figures.PAPER_GPU_SECONDS} A100-seconds in all (15,000 A100-days)."
        )
    unmeasured = {line.model for line in both if line.gpu_hours is None and line.cost is None and not line.free}
    if unmeasured:
        remarks.append(
            f"H200-hours and costs of {', '.join(sorted(unmeasured))} are not known. If you pay for a model, give "
            "input_price, output_price, image_price under its name in run.toml."
        )
    known = {(line.stage, line.model) for line in both} & asks.logged_tokens().keys()
    measured = f"In {amount(len(known), 'line')} they are averages from replies, with thinking. " if known else ""
    remarks.append(
        f"Tokens are counted from the texts of the questions. {measured}If a model thinks, write `thinking_tokens` "
        "under its name in run.toml. Repeated and repaired requests come on top."
    )
    if bill.of_benchmarks:
        remarks.append("Judges are asked less if contestants refuse or fail.")
    return remarks


def short_number(count: float | None) -> str:
    if count is None:
        return "–"
    small = f"{count:,.0f}" if count >= 10 or count == round(count) else f"{count:.2f}"
    return next((f"{count / unit:,.2f} {name}" for unit, name in ((1e9, "bn"), (1e6, "M")) if count >= unit), small)


def money(amount: float | None) -> str:
    return "–" if amount is None else f"{amount:,.2f}"
