"""The page of a benchmark's judges: how their trials went, with whom they agree, what is missing and what that took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from stages.evaluation.defining.parameters import TRIAL
from stages.project.settings import Endpoint
from stages.report.benchmarks.agreement import corrected_tables, tables_of
from stages.report.benchmarks.boards import remarks_of
from stages.report.benchmarks.measured import Measured, Value, number, place_of, value_at
from stages.report.site.folder import Folder
from stages.report.site.pages import page
from stages.report.site.texts import address, visible
from stages.tables.columns import Row
from stages.tables.reading import manifest_path, read_rows

SAID = ("item", "side", "question", "status", "reason")
REPLIES = tuple(f"replies.list.element.{name}" for name in ("fingerprint", "input_tokens", "output_tokens"))
FEW = 5
"""Failures of one status that are told with their reasons."""
DROP = ".drop"
NOBODY: Mapping[str, Endpoint] = MappingProxyType({})


class Verdict(NamedTuple):
    """A judge's trial in a view. `passed`: None of one that was not tried; `drops`: by control, how far it stands
    below.
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
    """`prices`: by the slug of a model, what its tokens cost, as run.toml has it; of others tokens stand there
    alone.
    """
    said = judgements(measured)
    verdicts = [*verdicts_of(measured)]
    taken = [
        Taken(who, side, usage, cost(usage, prices[model]) if (model := who.rpartition("/")[2]) in prices else None)
        for who, one in said.items()
        for side, usage in one.usage.items()
    ]
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


def cost(usage: Usage, endpoint: Endpoint) -> float | None:
    """Return what replies cost, in the currency of the prices, which are per million tokens; None without any."""
    if not (endpoint.input_price or endpoint.output_price):
        return None
    return (usage.input_tokens * endpoint.input_price + usage.output_tokens * endpoint.output_price) / 1e6


@dataclass
class Usage:
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Failure(NamedTuple):
    contestant: str
    item: str
    href: str
    question: str
    reason: str


@dataclass
class Said:
    """What one observer said of all contestants. `usage`: by side, None of controls; `asked`: requests counted."""

    statuses: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Failure]] = field(default_factory=dict)
    usage: dict[str | None, Usage] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


def judgements(measured: Measured) -> dict[str, Said]:
    found = {who: Said() for who in measured.raters}
    for contestant in measured.contestants:
        for who, said in found.items():
            count(said, contestant, rows_of(measured.benchmark.said(contestant, who)))
    for contestant in measured.block.controls_of:
        for judge in measured.tried:
            count_usage(found[judge], None, rows_of(measured.benchmark.said_of_controls(contestant, judge)))
    return found


def rows_of(table: Path) -> Iterator[Row]:
    if manifest_path(table).exists():
        yield from read_rows(table, [*SAID, *REPLIES])


def count(said: Said, contestant: str, rows: Iterable[Row]) -> None:
    asked: dict[str, list[Row]] = {}
    for row in rows:
        said.statuses[row["status"]] += 1
        asked.setdefault(row["side"], []).append(row)
        if row["status"] != "ok" and len(told := said.failures.setdefault(row["status"], [])) < FEW:
            href = f"items/{address(row['item'])}.html#{address(row['side'])}--{address(contestant)}"
            told.append(Failure(contestant, visible(row["item"]), href, row["question"], row["reason"] or ""))
    for side, of_side in asked.items():
        count_usage(said, side, of_side)


def count_usage(said: Said, side: str | None, rows: Iterable[Row]) -> None:
    """Add what the replies of one table took; what several rows are made of was asked for once."""
    every = (reply for row in rows for reply in row["replies"] or ())
    replies = {reply["fingerprint"]: reply for reply in every if reply["fingerprint"] not in said.asked}
    said.asked |= replies.keys()
    if not replies:
        return
    usage = said.usage.setdefault(side, Usage())
    usage.requests += len(replies)
    usage.input_tokens += sum(reply["input_tokens"] or 0 for reply in replies.values())
    usage.output_tokens += sum(reply["output_tokens"] or 0 for reply in replies.values())
