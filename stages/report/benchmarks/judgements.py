"""What judges and other observers said of answers, counted: scores, and those of two judges about the same; statuses,
failures with their reasons, requests and tokens. Tables are read once, one contestant's in memory at a time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from stages.evaluation.defining.measures import Scale
from stages.report.benchmarks.measured import Measured
from stages.report.site.texts import address, visible
from stages.tables.columns import Row
from stages.tables.reading import manifest_path, read_rows

SAID = ("item", "side", "sample", "part", "question", "repeat", "value", "status", "reason")
REPLIES = tuple(f"replies.list.element.{name}" for name in ("fingerprint", "input_tokens", "output_tokens"))
FEW = 5
"""Failures of one status that are told with their reasons."""
MOST_POINTS, POINTS = 20, 11
"""A scale of whole points is counted by these, a longer or a finer one at so many places."""


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
    """What one observer said of all contestants. `scores`: by measure, how often each value; `usage`: by side, the
    controls' apart (None); `asked`: the requests that are counted there, by fingerprint.
    """

    scores: dict[str, Counter[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Failure]] = field(default_factory=dict)
    usage: dict[str | None, Usage] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


Both = dict[tuple[str, str, str], Counter[tuple[float, float]]]
"""By two judges and a measure, how often the one gave this value and the other that, of the same answer, part and
repeat.
"""


def judgements(measured: Measured) -> tuple[dict[str, Said], Both]:
    """Return what every observer said, judges first, and what every two judges said of the same."""
    found = {who: Said() for who in measured.raters}
    compared = measured.block.judges or measured.raters
    both: Both = {}
    for contestant in measured.contestants:
        given: dict[str, dict[tuple[object, ...], float]] = {}
        for who, said in found.items():
            rows = rows_of(measured.benchmark.observations / contestant / who)
            values = counted(said, contestant, rows)
            if who in compared:
                given[who] = values
        for one, other in combinations(given, 2):
            for key, value in given[one].items():
                if key in given[other]:
                    pair = both.setdefault((one, other, str(key[0])), Counter())
                    pair[value, given[other][key]] += 1
    for contestant in measured.block.controls_of:
        for judge in measured.tried:
            count_usage(found[judge], None, rows_of(measured.benchmark.controls / contestant / judge))
    return found, both


def rows_of(table: Path) -> Iterator[Row]:
    """Yield a table's rows without what was replied; none where it was not made yet."""
    if manifest_path(table).exists():
        yield from read_rows(table, [*SAID, *REPLIES])


def counted(said: Said, contestant: str, rows: Iterable[Row]) -> dict[tuple[object, ...], float]:
    """Count an observer's rows about one contestant, and return its values by measure and what they are of."""
    values: dict[tuple[object, ...], float] = {}
    asked: dict[str, list[Row]] = {}
    for row in rows:
        said.statuses[row["status"]] += 1
        asked.setdefault(row["side"], []).append(row)
        if row["status"] == "ok":
            said.scores.setdefault(row["question"], Counter())[row["value"]] += 1
            values[tuple(row[name] for name in ("question", "side", "item", "sample", "part", "repeat"))] = row["value"]
        elif len(told := said.failures.setdefault(row["status"], [])) < FEW:
            href = f"items/{address(row['item'])}.html#{address(row['side'])}--{address(contestant)}"
            told.append(Failure(contestant, visible(row["item"]), href, row["question"], row["reason"] or ""))
    for side, of_side in asked.items():
        count_usage(said, side, of_side)
    return values


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


def points_of(scale: Scale, values: Iterable[float]) -> list[float]:
    """Return the places at which scores are counted: the whole points of a scale, as far as these are all that was
    given, or there are several; else POINTS, evenly from end to end.
    """
    lowest, highest = math.ceil(scale.lowest), math.floor(scale.highest)
    several = 1 < highest - lowest <= MOST_POINTS
    if several or (highest - lowest == 1 and all(float(value).is_integer() for value in values)):
        return [float(point) for point in range(lowest, highest + 1)]
    return [scale.lowest + (scale.highest - scale.lowest) * n / (POINTS - 1) for n in range(POINTS)]


def nearest(points: Sequence[float], value: float) -> int:
    """Return the number of the place at which a value is counted; of two that are as near, the higher."""
    step = points[1] - points[0]
    return min(len(points) - 1, max(0, math.floor((value - points[0]) / step + 0.5)))


def distribution(points: Sequence[float], scores: Mapping[float, int]) -> list[int]:
    """Return how many scores lie at each place."""
    found = [0] * len(points)
    for value, count in scores.items():
        found[nearest(points, value)] += count
    return found


def confusion(points: Sequence[float], pairs: Mapping[tuple[float, float], int]) -> list[list[int]]:
    """Return how often one judge's score lay at this place (rows) and the other's at that (columns)."""
    found = [[0] * len(points) for _ in points]
    for (one, other), count in pairs.items():
        found[nearest(points, one)][nearest(points, other)] += count
    return found
