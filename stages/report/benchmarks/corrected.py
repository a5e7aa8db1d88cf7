"""The numbers of corrected.json in tables: values as a judge has them and as people would, how far two lie apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stages.report.benchmarks.measured import Measured, Value, number, place_of, value_at

LABELS = ".labels"


class Corrected(NamedTuple):
    """A value of a contestant, `name`, under `key`; `start`: what keys of the contestant begin with; `ranks`: the best
    and the worst rank that it may have, where it is the value that ranks.
    """

    contestant: str
    name: str
    start: str
    key: str
    raw: Value
    value: Value
    labels: float | None
    to_halve: float | None
    ranks: tuple[float | None, float | None]
    tie_group: float | None


class Apart(NamedTuple):
    """How far the first contestant stands above the second, in what ranks."""

    first: str
    second: str
    value: Value


class Table(NamedTuple):
    """A judge's board in a view, corrected; `by`: what ranks."""

    view: str
    judge: str
    anchor: str
    by: str
    rows: list[Corrected]
    apart: list[Apart]


def corrected_tables(measured: Measured) -> Iterator[Table]:
    """Yield what people corrected, board by board."""
    found = measured.corrected
    for view in measured.views:
        for judge in measured.judges:
            start, rows = f"{view.name}.{judge}.", list[Corrected]()
            for key in found:
                if key.startswith(start) and key.endswith(LABELS):
                    contestant, _, name = key.removeprefix(start).removesuffix(LABELS).partition(".")
                    own, whose = key.removesuffix(LABELS), f"{start}{contestant}."
                    ranks = name == view.shown[0]
                    best, worst, tied = (
                        number(found.get(f"{whose}{of}")) if ranks else None
                        for of in ("rank_best", "rank_worst", "tie_group")
                    )
                    raw, value = (value_at(found, f"{own}.{of}") for of in ("raw", "corrected"))
                    labels, to_halve = (number(found.get(f"{own}.{of}")) for of in ("labels", "labels_to_halve"))
                    rows.append(
                        Corrected(contestant, name, whose, own, raw, value, labels, to_halve, (best, worst), tied)
                    )
            names = dict.fromkeys(row.contestant for row in rows)
            pairs = ((one, other, f"{start}{one}.over_{other}") for one in names for other in names)
            apart = [Apart(one, other, value_at(found, key)) for one, other, key in pairs if key in found]
            if rows:
                yield Table(view.name, judge, place_of(view.name, judge), view.shown[0], rows, apart)
