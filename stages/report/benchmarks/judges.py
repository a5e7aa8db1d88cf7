"""The page of a benchmark's judges: how their trials went, with whom they agree, what is missing and what that took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stages.evaluation.defining.parameters import TRIAL
from stages.project.settings import Endpoint
from stages.report.benchmarks.agreement import tables_of
from stages.report.benchmarks.boards import remarks_of
from stages.report.benchmarks.corrected import corrected_tables
from stages.report.benchmarks.judgements import FEW, Said, Usage, judgements
from stages.report.benchmarks.measured import Measured, Value, number, place_of, value_at
from stages.report.site.folder import Folder
from stages.report.site.pages import page

DROP = ".drop"
NOBODY: Mapping[str, Endpoint] = MappingProxyType({})


class Verdict(NamedTuple):
    """A judge's trial in a view. `passed`: 1, 0, or None of one that was not tried, under `key`; `drops`: by control,
    how far it stands below the answers; bars go from `least` to 100.
    """

    view: str
    judge: str
    anchor: str
    key: str
    passed: float | None
    remarks: Sequence[str]
    drops: Sequence[tuple[str, Value]]
    least: float


class Taken(NamedTuple):
    """What an observer's replies about answers on a side took, or (`side` None) about controls."""

    who: str
    side: str | None
    usage: Usage
    cost: float | None


def write_judges(folder: Folder, measured: Measured, prices: Mapping[str, Endpoint] = NOBODY) -> None:
    """Write the page of a benchmark's judges.

    `prices`: by the slug of a model, what its tokens cost, as run.toml has it; of others tokens stand there alone.
    """
    said = judgements(measured)
    verdicts = [*verdicts_of(measured)]
    taken = [*taken_by(measured, said, prices)]
    folder.write(
        "judges.html",
        page(
            "judges.html",
            root="",
            here="judges",
            title=f"{measured.benchmark.title}: {measured.rater}s",
            measured=measured,
            verdicts=verdicts,
            agreement=tables_of(measured.agreement, measured.benchmark.measures),
            corrected=[*corrected_tables(measured)],
            said=said,
            statuses=sorted({status for one in said.values() for status in one.statuses}, key=lambda one: one != "ok"),
            few=FEW,
            taken=taken,
            priced=any(one.cost is not None for one in taken),
        ),
    )


def verdicts_of(measured: Measured) -> Iterator[Verdict]:
    """Yield every judge's trial in every view that has a board."""
    remarks = remarks_of(measured)
    for view in measured.views:
        for judge in view.boards_by(measured.judges):
            start = f"{view.name}.{judge}."
            key = f"{start}{TRIAL}."
            drops = [
                (name.removesuffix(DROP), value_at(measured.board, f"{key}{name}"))
                for name in (one.removeprefix(key) for one in measured.board if one.startswith(key))
                if name.endswith(DROP)
            ]
            least = min([0.0, *(low for _, drop in drops for low in (drop.value, drop.low) if low is not None)])
            passed, told = number(measured.board.get(f"{key}passed")), remarks.get((view.name, judge), [])
            if any(one.startswith(start) for one in measured.board):
                anchor = place_of(view.name, judge)
                yield Verdict(view.name, judge, anchor, f"{key}passed", passed, told, drops, least)


def taken_by(measured: Measured, said: Mapping[str, Said], prices: Mapping[str, Endpoint]) -> Iterator[Taken]:
    """Yield what every observer's replies took, side by side, and what they cost where its prices are known."""
    for who, one in said.items():
        endpoint = prices.get(who.rpartition("/")[2])
        for side, usage in one.usage.items():
            yield Taken(who, side, usage, None if endpoint is None else cost(usage, endpoint))


def cost(usage: Usage, endpoint: Endpoint) -> float | None:
    """Return what replies cost, in the currency of the prices, which are per million tokens; None without any."""
    if not (endpoint.input_price or endpoint.output_price):
        return None
    return (usage.input_tokens * endpoint.input_price + usage.output_tokens * endpoint.output_price) / 1e6
