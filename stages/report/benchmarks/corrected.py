"""The numbers of corrected.json in tables: values as boards have them and as people would, how far two lie apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stages.report.benchmarks.measured import Measured, Value, number, place_of, value_at

RAW, NOT_CORRECTED = ".raw", "not_corrected"
COUNTS = "labels", "blank", "labels_to_halve"


class Corrected(NamedTuple):
    """A value of a contestant under `key`; `start`: what keys of the contestant begin with; `blank`: how many drawn
    ones have no label; `lacking`: why it is not corrected.
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


class Apart(NamedTuple):
    """How far the first contestant stands above the second, in what ranks."""

    first: str
    second: str
    value: Value


class Table(NamedTuple):
    view: str
    judge: str
    anchor: str
    by: str
    rows: list[Corrected]
    apart: list[Apart]
    lacking: str = ""


def corrected_tables(measured: Measured) -> Iterator[Table]:
    found = measured.corrected
    for view in measured.views:
        for judge in view.boards_by(measured.judges):
            start, rows = f"{view.name}.{judge}.", list[Corrected]()
            for key in found:
                if key.startswith(start) and key.endswith(RAW):
                    contestant, _, name = key.removeprefix(start).removesuffix(RAW).partition(".")
                    own, whose = key.removesuffix(RAW), f"{start}{contestant}."
                    by = name == view.shown[0]
                    best, worst, tied = (
                        number(found.get(f"{whose}{of}")) if by else None
                        for of in ("rank_best", "rank_worst", "tie_group")
                    )
                    raw, value = (value_at(found, f"{own}.{of}") for of in ("raw", "corrected"))
                    labels, blank, to_halve = (number(found.get(f"{own}.{of}")) for of in COUNTS)
                    why, ranks = str(found.get(f"{own}.{NOT_CORRECTED}", "")), (best, worst)
                    counts = labels, blank, to_halve
                    rows.append(Corrected(contestant, name, whose, own, raw, value, *counts, ranks, tied, why))
            names = dict.fromkeys(row.contestant for row in rows)
            pairs = ((one, other, f"{start}{one}.over_{other}") for one in names for other in names)
            apart = [Apart(one, other, value_at(found, key)) for one, other, key in pairs if key in found]
            lacking = str(found.get(f"{start}{NOT_CORRECTED}", ""))
            if rows or lacking:
                yield Table(view.name, judge, place_of(view.name, judge), view.shown[0], rows, apart, lacking)
