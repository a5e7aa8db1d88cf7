"""What judges and other observers said of answers, counted: statuses, failures, requests and tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stages.report.benchmarks.measured import Measured
from stages.report.site.texts import address, visible
from stages.tables.columns import Row
from stages.tables.reading import manifest_path, read_rows

SAID = ("item", "side", "question", "status", "reason")
REPLIES = tuple(f"replies.list.element.{name}" for name in ("fingerprint", "input_tokens", "output_tokens"))
FEW = 5
"""Failures of one status that are told with their reasons."""


@dataclass
class Usage:
    """What replies took: requests, and tokens read and written."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Failure(NamedTuple):
    """An observation that is missing, with the page on which it stands."""

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
    """Return what every observer said, judges first."""
    found = {who: Said() for who in measured.raters}
    for contestant in measured.contestants:
        for who, said in found.items():
            count(said, contestant, rows_of(measured.benchmark.observations / contestant / who))
    for contestant in measured.block.controls_of:
        for judge in measured.tried:
            count_usage(found[judge], None, rows_of(measured.benchmark.controls / contestant / judge))
    return found


def rows_of(table: Path) -> Iterator[Row]:
    """Yield a table's rows without what was replied; none where it was not made yet."""
    if manifest_path(table).exists():
        yield from read_rows(table, [*SAID, *REPLIES])


def count(said: Said, contestant: str, rows: Iterable[Row]) -> None:
    """Count an observer's rows about one contestant."""
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
    """Add what the replies of one table took. What several rows are made of, also those of contestants that answered
    alike, was asked for once.
    """
    every = (reply for row in rows for reply in row["replies"] or ())
    replies = {reply["fingerprint"]: reply for reply in every if reply["fingerprint"] not in said.asked}
    said.asked |= replies.keys()
    if not replies:
        return
    usage = said.usage.setdefault(side, Usage())
    usage.requests += len(replies)
    usage.input_tokens += sum(reply["input_tokens"] or 0 for reply in replies.values())
    usage.output_tokens += sum(reply["output_tokens"] or 0 for reply in replies.values())
