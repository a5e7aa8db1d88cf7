"""The page of a benchmark's judges: validation, agreement, corrections by people, and what is missing.

An unknown key of agreement.json is shown as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.parameters import VALIDATION
from gamut.evaluation.scoring.tables import read_remarks
from gamut.report.benchmarks.results import Metrics, Results, Value, as_number, board_anchor, value_at
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import address, make_visible
from gamut.tables.columns import Row
from gamut.tables.reading import manifest_path, read_rows

MOST_FAILURES = 5
"""How many failures of one status are listed with their reasons."""
DROP = ".drop"


class Verdict(NamedTuple):
    """The verdict in one metric. `passed` is None without validation; `drops`: how far controls score below."""

    title: str
    anchor: str
    key: str
    passed: float | None
    remarks: Sequence[str]
    drops: Sequence[tuple[str, Value]]
    least: float


def write_judges(folder: Folder, results: Results) -> None:
    said = observed_by_rater(results)
    write_page(
        folder,
        "judges.html",
        "judges.html",
        f"{results.benchmark.title}: {results.rater}s",
        "judges",
        results=results,
        verdicts=[*verdicts_of(results)],
        agreement=agreement_tables(results.agreement, results.benchmark.measures),
        corrected=[*corrected_tables(results)],
        said=said,
        statuses=sorted({status for one in said.values() for status in one.statuses}, key=lambda one: one != "ok"),
    )


def verdicts_of(results: Results) -> Iterator[Verdict]:
    remarks = read_remarks(results.folder)
    for metric in results.metrics:
        for judge in metric.boards_by(results.judges):
            start = f"{metric.name}.{judge}."
            key = f"{start}{VALIDATION}."
            drops = [
                (name.removesuffix(DROP), value_at(results.board, f"{key}{name}"))
                for name in (one.removeprefix(key) for one in results.board if one.startswith(key))
                if name.endswith(DROP)
            ]
            least = min([0.0, *(low for _, drop in drops for low in (drop.value, drop.low) if low is not None)])
            passed, told = as_number(results.board.get(f"{key}passed")), remarks.get((metric.name, judge), [])
            if any(one.startswith(start) for one in results.board):
                anchor = board_anchor(metric.name, judge)
                title = results.title_of(metric, judge)
                yield Verdict(title, anchor, f"{key}passed", passed, told, drops, least)


class Failure(NamedTuple):
    contestant: str
    item: str
    href: str
    question: str
    reason: str


@dataclass
class Observed:
    """What one observer said of all contestants."""

    statuses: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Failure]] = field(default_factory=dict)


def observed_by_rater(results: Results) -> dict[str, Observed]:
    found = {who: Observed() for who in results.raters}
    for contestant in results.contestants:
        for who, said in found.items():
            count_statuses(said, contestant, judgment_rows(results.benchmark.answer_judgments(contestant, who)))
    return found


def judgment_rows(table: Path) -> Iterator[Row]:
    if manifest_path(table).exists():
        yield from read_rows(table, ("item", "setting", "question", "status", "reason"))


def count_statuses(observed: Observed, contestant: str, rows: Iterable[Row]) -> None:
    for row in rows:
        observed.statuses[row["status"]] += 1
        if row["status"] != "ok" and len(told := observed.failures.setdefault(row["status"], [])) < MOST_FAILURES:
            href = f"items/{address(row['item'])}.html#{address(row['setting'])}--{address(contestant)}"
            told.append(Failure(contestant, make_visible(row["item"]), href, row["question"], row["reason"] or ""))


AMONG = ("judges", "repeats", "people", "again")
"""The kinds of compared raters (`evaluation.scoring.agreement`)."""
STATISTICS = ("alpha", "kappa", "pearson", "same", "identical", "mae", "distance")
"""Measures of agreement in the order of their columns; others follow."""


class Agreement(NamedTuple):
    """One comparison. `raters`: in words; `key`: the prefix of its keys; `n`: answers; `values`: by statistic."""

    setting: str
    group: str
    measure: str
    raters: str
    key: str
    n: float | None
    values: dict[str, Value]


class AgreementTables(NamedTuple):
    """All of agreement.json. `statistics` are those of any comparison; `others` has the unknown keys."""

    overall: Sequence[Agreement]
    by_group: Sequence[Agreement]
    statistics: Sequence[str]
    others: Metrics


class Key(NamedTuple):
    """A key in its parts: setting, group ("" for none), measure, and the rest."""

    setting: str
    group: str
    measure: str
    rest: tuple[str, ...]


def agreement_tables(agreement: Metrics, measures: Collection[str]) -> AgreementTables:
    compared: dict[str, Agreement] = {}
    others: dict[str, float | str] = {}
    for text, value in agreement.items():
        key = parse_key(text, measures)
        match key.rest if key and as_number(value) is not None else ():
            case (among, *raters, name) if key and among in AMONG:
                start = text.removesuffix(f".{name}")
                n, found = as_number(agreement.get(f"{start}.n")), dict[str, Value]()
                agreed = Agreement(key.setting, key.group, key.measure, name_raters(among, raters), start, n, found)
                statistic = name[:-3] if name.endswith(("_lo", "_hi")) else name
                if name != "n":
                    compared.setdefault(start, agreed).values[statistic] = value_at(agreement, f"{start}.{statistic}")
                compared.setdefault(start, agreed)
            case _:
                others[text] = value
    there = {name for one in compared.values() for name in one.values}
    statistics = [name for name in STATISTICS if name in there] + sorted(there - {*STATISTICS})
    overall = [one for one in compared.values() if not one.group]
    by_group = [one for one in compared.values() if one.group]
    return AgreementTables(overall, by_group, statistics, others)


def parse_key(text: str, measures: Collection[str]) -> Key | None:
    """Return a key in its parts; None if there is no measure at its place. Names have no dots."""
    setting, *parts = text.split(".")
    for group in (parts[:0], parts[:1]):
        measure, rest = parts[len(group) : len(group) + 1], parts[len(group) + 1 :]
        if measure and measure[0] in measures and rest and rest[0] in AMONG:
            return Key(setting, "".join(group), measure[0], tuple(rest))
    return None


def name_raters(among: str, raters: Sequence[str]) -> str:
    if among == "judges":
        return " and ".join(raters) or "all judges"
    if among == "repeats":
        return f"{', '.join(raters)} with itself"
    if among == "again":
        return f"{', '.join(raters)}, asked once more"
    if len(raters) > 1:
        return " and ".join(raters)
    return f"{', '.join(raters)} with people" if raters else "people with each other"


RAW, NOT_CORRECTED = ".raw", "not_corrected"
COUNTS = "labels", "blank", "labels_to_halve"


class Corrected(NamedTuple):
    """A corrected value. `start` is the prefix of the contestant's keys; `blank` counts drawn answers without a label;
    `lacking` says why it is not corrected.
    """

    contestant: str
    name: str
    start: str
    key: str
    raw: Value
    value: Value
    labels: float | None
    blank: float | None
    to_halve: float | None
    ranks: tuple[float | None, float | None]
    tie_group: float | None
    lacking: str


class Lead(NamedTuple):
    """How much the first contestant scores above the second in the ranking value."""

    first: str
    second: str
    value: Value


class CorrectedTable(NamedTuple):
    title: str
    anchor: str
    by: str
    rows: list[Corrected]
    leads: list[Lead]
    lacking: str = ""


def corrected_tables(results: Results) -> Iterator[CorrectedTable]:
    found = results.corrected
    for metric in results.metrics:
        for judge in metric.boards_by(results.judges):
            start, rows = f"{metric.name}.{judge}.", list[Corrected]()
            for key in found:
                if key.startswith(start) and key.endswith(RAW):
                    contestant, _, name = key.removeprefix(start).removesuffix(RAW).partition(".")
                    own, whose = key.removesuffix(RAW), f"{start}{contestant}."
                    by = name == metric.shown[0]
                    best, worst, tied = (
                        as_number(found.get(f"{whose}{of}")) if by else None
                        for of in ("rank_best", "rank_worst", "tie_group")
                    )
                    raw, value = (value_at(found, f"{own}.{of}") for of in ("raw", "corrected"))
                    labels, blank, to_halve = (as_number(found.get(f"{own}.{of}")) for of in COUNTS)
                    why, ranks = str(found.get(f"{own}.{NOT_CORRECTED}", "")), (best, worst)
                    counts = labels, blank, to_halve
                    rows.append(Corrected(contestant, name, whose, own, raw, value, *counts, ranks, tied, why))
            names = dict.fromkeys(row.contestant for row in rows)
            pairs = ((one, other, f"{start}{one}.over_{other}") for one in names for other in names)
            leads = [Lead(one, other, value_at(found, key)) for one, other, key in pairs if key in found]
            lacking = str(found.get(f"{start}{NOT_CORRECTED}", ""))
            if rows or lacking:
                anchor = board_anchor(metric.name, judge)
                title = results.title_of(metric, judge)
                yield CorrectedTable(title, anchor, metric.shown[0], rows, leads, lacking)
