"""The page of a benchmark's judges: how their trials went, with whom they agree, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.parameters import VALIDATION
from gamut.report.benchmarks.agreement import corrected_tables, tables_of
from gamut.report.benchmarks.boards import remarks_of
from gamut.report.benchmarks.measured import Measured, Value, number, place_of, value_at
from gamut.report.site.folder import Folder
from gamut.report.site.pages import page
from gamut.report.site.texts import address, visible
from gamut.tables.columns import Row
from gamut.tables.reading import manifest_path, read_rows

SAID = ("item", "setting", "question", "status", "reason")
FEW = 5
"""Failures of one status that are told with their reasons."""
DROP = ".drop"


class Verdict(NamedTuple):
    """How a judge was validated in a metric. `passed`: None where it was not; `drops`: by control, how far it stands
    below.
    """

    metric: str
    judge: str
    anchor: str
    key: str
    passed: float | None
    remarks: Sequence[str]
    drops: Sequence[tuple[str, Value]]
    least: float


def write_judges(folder: Folder, measured: Measured) -> None:
    said = judgements(measured)
    folder.write(
        "judges.html",
        page(
            "judges.html",
            root="",
            here="judges",
            title=f"{measured.benchmark.title}: {measured.rater}s",
            measured=measured,
            verdicts=[*verdicts_of(measured)],
            agreement=tables_of(measured.agreement, measured.benchmark.measures),
            corrected=[*corrected_tables(measured)],
            said=said,
            statuses=sorted({status for one in said.values() for status in one.statuses}, key=lambda one: one != "ok"),
            few=FEW,
        ),
    )


def verdicts_of(measured: Measured) -> Iterator[Verdict]:
    remarks = remarks_of(measured)
    for metric in measured.metrics:
        for judge in metric.boards_by(measured.judges):
            start = f"{metric.name}.{judge}."
            key = f"{start}{VALIDATION}."
            drops = [
                (name.removesuffix(DROP), value_at(measured.board, f"{key}{name}"))
                for name in (one.removeprefix(key) for one in measured.board if one.startswith(key))
                if name.endswith(DROP)
            ]
            least = min([0.0, *(low for _, drop in drops for low in (drop.value, drop.low) if low is not None)])
            passed, told = number(measured.board.get(f"{key}passed")), remarks.get((metric.name, judge), [])
            if any(one.startswith(start) for one in measured.board):
                anchor = place_of(metric.name, judge)
                yield Verdict(metric.name, judge, anchor, f"{key}passed", passed, told, drops, least)


class Failure(NamedTuple):
    contestant: str
    item: str
    href: str
    question: str
    reason: str


@dataclass
class Said:
    """What one observer said of all contestants."""

    statuses: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Failure]] = field(default_factory=dict)


def judgements(measured: Measured) -> dict[str, Said]:
    found = {who: Said() for who in measured.raters}
    for contestant in measured.contestants:
        for who, said in found.items():
            count(said, contestant, rows_of(measured.benchmark.said(contestant, who)))
    return found


def rows_of(table: Path) -> Iterator[Row]:
    if manifest_path(table).exists():
        yield from read_rows(table, SAID)


def count(said: Said, contestant: str, rows: Iterable[Row]) -> None:
    for row in rows:
        said.statuses[row["status"]] += 1
        if row["status"] != "ok" and len(told := said.failures.setdefault(row["status"], [])) < FEW:
            href = f"items/{address(row['item'])}.html#{address(row['setting'])}--{address(contestant)}"
            told.append(Failure(contestant, visible(row["item"]), href, row["question"], row["reason"] or ""))
