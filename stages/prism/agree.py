"""How far PRISM-Bench's judges agree with each other, with themselves and with people, on the edition's answers.

A leaf: no stage depends on it. People's scores stand in datasets/labels/prism.csv, on the judges' scale 0..10.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stages.evaluation.agreement import Agreement, Measured, Rating, agreements, flat, ratings
from stages.evaluation.labels import Known, read_labels
from stages.params import Params
from stages.prism.averages import AXES
from stages.prism.items import OBSERVATIONS, items_of, metrics_folder
from stages.stage import main
from stages.tables import read_rows, write_json

LABELS = Path("datasets/labels/prism.csv")
OBSERVED = ["item", "side", "sample", "part", "question", "repeat", "value", "status"]
LOWEST, HIGHEST = 0, 10


def agree(params: Params) -> None:
    """Compare all that was scored more than once; write metrics, and a table for a person."""
    judges = (
        ratings(contestant, judge, read_rows(OBSERVATIONS / contestant / judge, OBSERVED))
        for contestant in params.contestants
        for judge in params.prism.judges
    )
    found = agreements(chain.from_iterable(judges), labels(params), params.seed)
    path = metrics_folder(params) / "agreement.json"
    write_json(path, flat(found))
    show(found)
    print(f"The same numbers stand in {path}")


def labels(params: Params) -> Sequence[Rating]:
    """What people said; nothing where nobody was asked."""
    if not LABELS.exists():
        return []
    items = [item.id for item in items_of(params)]
    known = Known(params.contestants.keys(), items, params.prism.languages, AXES, LOWEST, HIGHEST)
    return read_labels(LABELS, known)


def show(found: Sequence[Agreement]) -> None:
    """Print the measures for a person, or what it takes to have some."""
    if not found:
        print(f"agree: nothing was scored twice: name another judge, more repeats, or put people's scores in {LABELS}")
        return
    table = Table(title="Agreement about the same pictures", title_justify="left")
    for heading in ("side", "axis", "of", "measure"):
        table.add_column(heading)
    for heading in ("value", "95 % interval", "pictures"):
        table.add_column(heading, justify="right")
    for agreement in found:
        among, raters, n, measures = agreement.compared
        who = f"{among}: {', '.join(raters)}" if raters else among
        for name, measured in measures.items() or [("undefined", None)]:
            table.add_row(agreement.side, agreement.measure, who, name, *in_words(measured), f"{n:,}")
    Console(soft_wrap=False).print(table)


def in_words(measured: Measured | None) -> tuple[str, str]:
    """A measure and its interval, dashes where there is none."""
    if measured is None:
        return "-", "-"
    value, low, high = measured
    return f"{value:.2f}", "-" if low is None else f"{low:.2f}–{high:.2f}"


if __name__ == "__main__":
    main("prism.agree", agree)
