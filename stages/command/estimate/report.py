"""The estimate for a person: counts, requests by stage, GPU time, disk, and every figure it rests on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stages.command import profiles
from stages.command.estimate import benchmarks, figures
from stages.command.estimate.asks import Line, asks, disk, known_sum, lines
from stages.command.estimate.flow import Flow, flow, source_rows
from stages.command.estimate.switches import ADVISED, Step, steps
from stages.command.left_out import without_edition
from stages.command.terminal import BEGINS
from stages.dataset.shared.parameters import Params
from stages.evaluation.scoring.printed import show
from stages.leaderboard.rooms import rooms
from stages.project import settings
from stages.project.errors import UserError, nearest
from stages.project.pipeline import PARAMS
from stages.project.settings import Settings
from stages.publish.parameters import Everything, load_everything

WIDTH = 100
CARDS = (8, 128)
"""Numbers of cards to say a time for; the paper's run had 128."""


def estimate(profile: str | None, rows: Sequence[str]) -> None:
    """Print the estimate of a profile (None: params.yaml); `rows` are WAVE=COUNT of sources that are not here yet."""
    path = file_of(profile)
    everything, run_settings = load_everything(path), settings.load()
    params = everything.dataset
    counts = flow(params, source_rows(params, given_rows(rows)))
    asked = asks(params, counts)
    found = lines(params, asked, run_settings)
    measured, left_out = benchmark_lines(everything, run_settings)
    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    console.print(f"{path}: an estimate, nothing was asked\n")
    console.print(counts_in_words(counts), "")
    show(requests_table("Requests by stage of the dataset", found))
    if measured:
        for title, of in (
            ("Requests by stage of benchmarks", measured),
            ("Both by model", by_model([*found, *measured])),
        ):
            console.print()
            show(requests_table(title, of))
    console.print("\n".join(remarks(found, measured, left_out, counts)), "")
    if (taken := steps(params, asked))[0].hours:
        console.print(
            steps_table(taken, counts.kept), "\n".join(about_switches(params, taken, counts.kept)), "", sep="\n"
        )
    console.print(disk_table(disk(params, counts, asked)))
    console.print(
        "`gamut store prune --images` empties the store of its pictures once datasets/synthesized is finished."
    )
    console.print("", figures_table(any(line.gpu_hours is not None for line in found)), "")
    console.print(BEGINS if profile is None else f"`gamut use {profile}` puts it in place, then {BEGINS}")


def file_of(profile: str | None) -> Path:
    """Return the params file of a profile; a UserError for one that there is not."""
    path = PARAMS if profile is None else profiles.PROFILES / f"{profile}.yaml"
    if profile is not None and not path.exists():
        raise UserError(f"there is no profile {profile!r}{nearest(profile, profiles.names())}")
    return path


def given_rows(options: Iterable[str]) -> dict[str, int]:
    """Read WAVE=COUNT options; a UserError for what is none."""
    given = {}
    for option in options:
        wave, _, count = option.partition("=")
        if not (wave and count.isascii() and count.isdigit()):
            raise UserError(f"--rows {option}: WAVE=COUNT is wanted, for example --rows aesthetics-part01=2700000")
        given[wave] = int(count)
    return given


def counts_in_words(counts: Flow) -> str:
    """Return the way from rows to captions in a sentence."""
    return (
        f"{short(counts.rows)} source rows give {short(counts.candidates)} candidates; {short(counts.kept)} are kept, "
        f"with {short(counts.captions)} captions in each language."
    )


def benchmark_lines(everything: Everything, run_settings: Settings) -> tuple[list[Line], list[str]]:
    """Return what all benchmarks with contestants would ask, and words for those that cannot be measured as it is."""
    found, left_out = list[Line](), list[str]()
    for name, params in everything.benchmarks.items():
        benchmark = rooms()[name].benchmark
        if not params.contestants:
            continue
        if reason := without_edition(benchmark, params):
            left_out.append(f"Not counted: {name}. {reason}")
        else:
            found += [line for line in benchmarks.lines(benchmark, params, run_settings) if line.requests]
    return found, left_out


def by_model(found: Sequence[Line]) -> list[Line]:
    """Return the sums of several stages' lines by model."""
    return [
        Line(
            "",
            model,
            sum(line.requests for line in of_model),
            sum(line.read for line in of_model),
            sum(line.written for line in of_model),
            known_sum([line.gpu_hours for line in of_model]),
            known_sum([line.cost for line in of_model]),
            of_model[0].free,
        )
        for model in dict.fromkeys(line.model for line in found)
        for of_model in [[line for line in found if line.model == model]]
    ]


def requests_table(title: str, found: Sequence[Line]) -> Table:
    """Return requests, tokens, GPU-hours and cost by stage, or by model alone where lines have no stage; columns of
    which nothing is known are left out.
    """
    stages = any(line.stage for line in found)
    hours, costs = any(line.gpu_hours is not None for line in found), any(line.cost is not None for line in found)
    table = Table(title=title, title_justify="left", show_footer=True)
    if stages:
        table.add_column("stage", "total")
    table.add_column("model", "" if stages else "total")
    table.add_column("requests", short(sum(line.requests for line in found)), justify="right")
    real = [line for line in found if not line.free]
    if real:
        table.add_column("tokens read", short(sum(line.read for line in real)), justify="right")
        table.add_column("written", short(sum(line.written for line in real)), justify="right")
    if hours:
        table.add_column("H200-hours", short(known_sum([line.gpu_hours for line in found])), justify="right")
    if costs:
        table.add_column("cost", money(known_sum([line.cost for line in found])), justify="right")
    for line in found:
        counted = [short(line.read), short(line.written)] if line in real else ["–", "–"]
        known = [short(line.gpu_hours)] * hours + [money(line.cost)] * costs
        table.add_row(*[line.stage] * stages, line.model, short(line.requests), *(counted if real else []), *known)
    return table


def remarks(found: Sequence[Line], measured: Sequence[Line], left_out: Sequence[str], counts: Flow) -> list[str]:
    """Return what the tables do not say: how long it takes, what it costs, and what is not in it. `measured` are the
    lines of benchmarks, `left_out` says which could not be counted.
    """
    both, said = [*found, *measured], [*left_out]
    if all(line.free for line in both):
        who = "The embedded world answers" + (" what is counted" if left_out else "")
        return [*said, f"{who}: no GPU, no cost. The rates below are not its own."]
    if hours := known_sum([line.gpu_hours for line in both]):
        ideal = " and ".join(f"{hours / 24 / cards:,.1f} days on {cards}" for cards in CARDS)
        usual = " and ".join(f"{hours / 24 / cards / figures.SHARE_OF_IDEAL.value:,.1f}" for cards in CARDS)
        said += [
            "H200-hours are those of cards that never wait, prefixes reused within annotate alone: "
            f"{ideal} cards; {usual} days at {figures.SHARE_OF_IDEAL.value:.0%} {figures.SHARE_OF_IDEAL.meaning} "
            f"({figures.SHARE_OF_IDEAL.origin}).",
            f"Other cards for a FLUX.1-dev picture: {figures.OTHER_CARDS}.",
        ]
    if hours := known_sum([line.gpu_hours for line in found]):
        said.append(
            f"The dataset takes {a_picture(hours, counts.kept):,.1f} H200-seconds a kept picture. In the paper, all "
            f"in all, it was {figures.PAPER_GPU_SECONDS} A100-seconds (15,000 A100-days); an H200 calculates as fast "
            "as an H100, which does the work of 1.3 (vLLM, by GPUStack's report) to 3.2 A100 (peak)."
        )
    unmeasured = {line.model for line in both if line.gpu_hours is None and line.cost is None and not line.free}
    if unmeasured:
        said.append(
            f"No H200-hours and no cost of {', '.join(sorted(unmeasured))}: no measurement is known. Where it is "
            "bought, give input_price, output_price, image_price under its name in run.toml."
        )
    said.append("Repeated and repaired requests, and what a model writes while it thinks, come on top.")
    if measured:
        said.append("Judges are asked less where contestants refuse or fail.")
    return said


def a_picture(hours: float, kept: int) -> float:
    """Return seconds a kept picture."""
    return hours * 3600 / max(kept, 1)


def steps_table(taken: Sequence[Step], kept: int) -> Table:
    """Return H200-seconds a kept picture with one switch after the other."""
    table = Table(title="H200-seconds a kept picture, each switch with all above it", title_justify="left")
    table.add_column("switch")
    for name in ("painting", "asking", "both", "saves"):
        table.add_column(name, justify="right")
    table.add_column("")
    for before, step in zip([taken[0], *taken], taken, strict=False):
        seconds = (a_picture(hours, kept) for hours in (step.painting, step.asking, step.hours))
        saved = a_picture(before.hours - step.hours, kept)
        table.add_row(step.name, *(f"{n:.2f}" for n in seconds), f"{saved:.2f}" if saved else "", step.advice)
    return table


def about_switches(params: Params, taken: Sequence[Step], kept: int) -> list[str]:
    """Return what the switches come to, and where they are set; docs/throughput.md has the whole of it."""
    said = list[str]()
    if advised := [step for step in taken if step.advice == ADVISED]:
        names = ", ".join(step.name for step in advised)
        said.append(
            f"With what is advised ({names}) the dataset takes {a_picture(advised[-1].hours, kept):,.1f} H200-seconds "
            "a kept picture. Switches change answers a little, so they stand in params.yaml: docs/throughput.md."
        )
    known, slugs = (*figures.PAINTERS, *figures.DENSE_32B), dict.fromkeys(params.roles.filled().values())
    models = {slug: params.models[slug] for slug in slugs}
    if served := [slug for slug, of in models.items() if of.kind == "openai" and of.id in known]:
        said.append(
            f"{', '.join(served)}: behind servers, whose options the switches are. Write those that are on into "
            "`numerics` (such as bfloat16+compile+flash_3): so they are recorded, and counted here."
        )
    return said


def disk_table(places: Mapping[str, float]) -> Table:
    """Return bytes by place."""
    table = Table(title="Disk", title_justify="left", show_footer=True)
    table.add_column("place", "total")
    table.add_column("size", size(sum(places.values())), justify="right")
    for place, count in places.items():
        if count:
            table.add_row(place, size(count))
    return table


def figures_table(with_speeds: bool) -> Table:
    """Return every figure that the estimate rests on, with its origin."""
    table = Table(title="It rests on", title_justify="left", show_header=False, box=None)
    table.add_column(justify="right")
    for figure in (*figures.RATES, *figures.LENGTHS, *(figures.SPEEDS if with_speeds else ()), *figures.SIZES):
        table.add_row(f"{figure.value:,g}", figure.meaning, figure.origin)
    return table


def short(count: float | None) -> str:
    """Return a number in at most eight characters; a dash for what is not known."""
    if count is None:
        return "–"
    for unit, name in ((1e9, "bn"), (1e6, "M")):
        if count >= unit:
            return f"{count / unit:,.2f} {name}"
    return f"{count:,.0f}" if count >= 10 or count == round(count) else f"{count:.2f}"


def money(amount: float | None) -> str:
    """Return an amount in the currency of run.toml's prices."""
    return "–" if amount is None else f"{amount:,.2f}"


def size(count: float) -> str:
    """Return bytes in decimal units."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count / 1e3:,.1f} kB"
