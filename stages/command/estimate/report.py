"""The estimate for a person: counts, requests by stage, GPU time, disk, and every figure it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stages.command import profiles
from stages.command.estimate import figures
from stages.command.estimate.asks import Line, asks, disk, known_sum, lines
from stages.command.estimate.flow import Flow, flow, source_rows
from stages.dataset.shared.parameters import Params
from stages.project import settings
from stages.project.errors import UserError, nearest
from stages.project.model_kinds import SandboxModel
from stages.project.pipeline import PARAMS
from stages.publish.parameters import load_everything

WIDTH = 100
CARDS = (8, 128)
"""Numbers of cards to say a time for; the paper's run had 128."""


def estimate(profile: str | None, rows: Sequence[str]) -> None:
    """Print the estimate of a profile (None: params.yaml); `rows` are WAVE=COUNT of sources that are not here yet."""
    path = file_of(profile)
    params, run_settings = load_everything(path).dataset, settings.load()
    counts = flow(params, source_rows(params, given_rows(rows)))
    asked = asks(params, counts)
    found = lines(params, asked, run_settings)
    console = Console(width=WIDTH, highlight=False)
    console.print(f"{path}: an estimate, nothing was asked\n")
    console.print(counts_in_words(counts), "")
    console.print(requests_table(found, params))
    console.print("\n".join(remarks(found, counts, params)), "")
    console.print(disk_table(disk(params, counts, asked)))
    console.print(
        "`gamut store prune --images` empties the store of its pictures once datasets/synthesized is finished."
    )
    console.print("", figures_table(any(line.gpu_hours is not None for line in found)))


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


def requests_table(found: Sequence[Line], params: Params) -> Table:
    """Return requests, tokens, GPU-hours and cost by stage; columns of which nothing is known are left out."""
    hours, costs = any(line.gpu_hours is not None for line in found), any(line.cost is not None for line in found)
    table = Table(title="Requests by stage", title_justify="left", show_footer=True)
    table.add_column("stage", "total")
    table.add_column("model")
    table.add_column("requests", short(sum(line.requests for line in found)), justify="right")
    real = [line for line in found if not isinstance(params.models[line.model], SandboxModel)]
    if real:
        table.add_column("tokens read", short(sum(line.read for line in real)), justify="right")
        table.add_column("written", short(sum(line.written for line in real)), justify="right")
    if hours:
        table.add_column("H100-hours", short(known_sum([line.gpu_hours for line in found])), justify="right")
    if costs:
        table.add_column("cost", money(known_sum([line.cost for line in found])), justify="right")
    for line in found:
        counted = [short(line.read), short(line.written)] if line in real else ["–", "–"]
        known = [short(line.gpu_hours)] * hours + [money(line.cost)] * costs
        table.add_row(line.stage, line.model, short(line.requests), *(counted if real else []), *known)
    return table


def remarks(found: Sequence[Line], counts: Flow, params: Params) -> list[str]:
    """Return what the table does not say: how long it takes, what it costs, and what is not in it."""
    if all(isinstance(params.models[line.model], SandboxModel) for line in found):
        return ["The embedded world answers: no GPU, no cost. The rates below are not its own."]
    said = []
    if hours := known_sum([line.gpu_hours for line in found]):
        ideal = " and ".join(f"{hours / 24 / cards:,.1f} days on {cards}" for cards in CARDS)
        usual = " and ".join(f"{hours / 24 / cards / figures.SHARE_OF_IDEAL.value:,.1f}" for cards in CARDS)
        said += [
            "H100-hours are those of cards that never wait, without prefix reuse: "
            f"{ideal} cards; {usual} days at {figures.SHARE_OF_IDEAL.value:.0%} {figures.SHARE_OF_IDEAL.meaning} "
            f"({figures.SHARE_OF_IDEAL.origin}).",
            f"That is {hours * 3600 / max(counts.kept, 1):,.1f} H100-seconds a kept picture. In the paper, all in all, "
            f"it was {figures.PAPER_GPU_SECONDS} A100-seconds (15,000 A100-days); an H100 does the work of 1.3 (vLLM, "
            "by GPUStack's report) to 3.2 A100 (peak).",
            f"Other cards for a FLUX.1-dev picture: {figures.OTHER_CARDS}.",
        ]
    unmeasured = {line.model for line in found if line.gpu_hours is None and line.cost is None}
    unmeasured -= {slug for slug, model in params.models.items() if isinstance(model, SandboxModel)}
    if unmeasured:
        said.append(
            f"No H100-hours and no cost of {', '.join(sorted(unmeasured))}: no measurement is known. Where it is "
            "bought, give input_price, output_price, image_price under its name in run.toml."
        )
    said.append("Repeated and repaired requests, and what a model writes while it thinks, come on top.")
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
