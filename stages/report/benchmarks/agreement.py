"""The numbers of agreement.json in tables: who agrees with whom, overall and by group.

What has a key that is not understood here is handed on as it is: nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from stages.report.benchmarks.measured import Metrics, Value, number, value_at

AMONG = ("judges", "repeats", "people", "again")
"""Between whom agreement is measured (`evaluation.scoring.agreement`)."""
STATISTICS = ("alpha", "kappa", "pearson", "same", "identical", "mae", "distance")
"""Measures of agreement in the order of their columns; others follow."""
ENDS = ("_lo", "_hi")


class Agreed(NamedTuple):
    """One comparison. `who`: in words; `key`: what its keys begin with; `n`: answers; `found`: by statistic."""

    side: str
    group: str
    measure: str
    who: str
    key: str
    n: float | None
    found: dict[str, Value]


class Tables(NamedTuple):
    """All of agreement.json. `statistics`: those that any comparison has; `others`: what was not understood."""

    overall: Sequence[Agreed]
    by_group: Sequence[Agreed]
    statistics: Sequence[str]
    others: Metrics


class Key(NamedTuple):
    """A key in its parts: of which side, group (or none) and measure, and what of it."""

    side: str
    group: str
    measure: str
    rest: tuple[str, ...]


def tables_of(agreement: Metrics, measures: Collection[str]) -> Tables:
    compared: dict[str, Agreed] = {}
    others: dict[str, float | str] = {}
    for text, value in agreement.items():
        key = parsed(text, measures)
        match key.rest if key and number(value) is not None else ():
            case (among, *raters, name) if key and among in AMONG:
                start = text.removesuffix(f".{name}")
                n, found = number(agreement.get(f"{start}.n")), dict[str, Value]()
                agreed = Agreed(key.side, key.group, key.measure, who(among, raters), start, n, found)
                statistic = name[:-3] if name.endswith(ENDS) else name
                if name != "n":
                    compared.setdefault(start, agreed).found[statistic] = value_at(agreement, f"{start}.{statistic}")
                compared.setdefault(start, agreed)
            case _:
                others[text] = value
    there = {name for one in compared.values() for name in one.found}
    statistics = [name for name in STATISTICS if name in there] + sorted(there - {*STATISTICS})
    overall = [one for one in compared.values() if not one.group]
    by_group = [one for one in compared.values() if one.group]
    return Tables(overall, by_group, statistics, others)


def parsed(text: str, measures: Collection[str]) -> Key | None:
    """Return a key in its parts; None where no measure stands in its place. Names have no dots."""
    side, *parts = text.split(".")
    for group in (parts[:0], parts[:1]):
        measure, rest = parts[len(group) : len(group) + 1], parts[len(group) + 1 :]
        if measure and measure[0] in measures and rest and rest[0] in AMONG:
            return Key(side, "".join(group), measure[0], tuple(rest))
    return None


def who(among: str, raters: Sequence[str]) -> str:
    if among == "judges":
        return " and ".join(raters) or "all judges"
    if among == "repeats":
        return f"{', '.join(raters)} with itself"
    if among == "again":
        return f"{', '.join(raters)}, asked once more"
    if len(raters) > 1:
        return " and ".join(raters)
    return f"{', '.join(raters)} with people" if raters else "people with each other"
