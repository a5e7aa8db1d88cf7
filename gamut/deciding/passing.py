"""Labels for the filters: whether a row should pass, asked about the rows that were drawn, filter by filter."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from gamut.asking.requests import Picture
from gamut.dataset.calibration.filters import FILTERS, rows_shown
from gamut.dataset.calibration.labels import TASK, well_formed
from gamut.deciding.cards import Card, Place, Task, choices_of, shuffled, with_repeats
from gamut.evaluation.labelling.sheets import Shown
from gamut.pipeline.asks import Filter
from gamut.project.csv_forms import form_rows, refuse
from gamut.project.errors import nearest
from gamut.project.plain_text import amount

WORDS = {"1": "yes, it should pass", "0": "no, it should not"}


def labelling(path: Path, seed: int, reviewer: str) -> Task:
    places: list[Place] = []
    for name, rows in drawn(path).items():
        own = f"{seed}:{reviewer}:{name}"
        places += with_repeats([f"{name}/{row}" for row in shuffled(rows, own)], own)
    return Task(
        name=TASK,
        title=f"What filters should pass: {amount(len(places), 'question')}",
        places=places,
        cards=cards,
        abouts=abouts,
        afterwards=[f"With {path} at calibrate.labels in params.yaml `dvc repro calibrate` reads what was said"],
    )


def drawn(path: Path) -> dict[str, list[str]]:
    known = {filter_.name: list[str]() for filter_ in FILTERS}
    mistakes = []
    for line, row in form_rows(path, ("id", "filter"), ": `gamut calibrate --sample 50` draws rows to be labelled"):
        if row["filter"] not in known:
            mistakes.append((line, f"there is no filter {row['filter']!r}{nearest(row['filter'], known)}"))
        elif not well_formed([row["id"]]):
            mistakes.append((line, f"{row['id']!r} is no row's id"))
        else:
            known[row["filter"]].append(row["id"])
    refuse(path, mistakes)
    return {name: list(dict.fromkeys(rows)) for name, rows in known.items() if rows}


def cards(ids: Collection[str]) -> Iterator[Card]:
    """Yield the cards of some questions, `<filter>/<row>`; none where there is nothing to look at."""
    for filter_, rows in by_filter(ids):
        asked = filter_.asks
        for row, about, caption in rows_shown(filter_, rows, ["image"]):
            if row["image"] is None:  # it was painted anew, and failed
                continue
            shown = [Shown("", Picture(row["image"]["bytes"]))]
            shown += [Shown("caption", caption)] if caption else []
            yield Card(f"{filter_.name}/{row['id']}", about, asked, shown, choices_of(["1", "0"], WORDS))


def abouts(ids: Collection[str]) -> Iterator[tuple[str, str]]:
    for filter_, rows in by_filter(ids):
        yield from ((f"{filter_.name}/{one.row['id']}", one.about) for one in rows_shown(filter_, rows))


def by_filter(ids: Collection[str]) -> Iterator[tuple[Filter, list[str]]]:
    rows: dict[str, list[str]] = {}
    for one in ids:
        name, _, row = one.partition("/")
        rows.setdefault(name, []).append(row)
    yield from ((filter_, rows[filter_.name]) for filter_ in FILTERS if filter_.name in rows)
