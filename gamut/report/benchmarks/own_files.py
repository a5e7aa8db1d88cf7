"""Other files in a benchmark's folder of metrics: copied for download; small tables are shown."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.measures import words_of
from gamut.project.errors import UserError
from gamut.report.benchmarks.results import Results, metrics_of
from gamut.report.site.folder import Folder
from gamut.tables.columns import grouped

FILES = "files"
"""The folder of copies in the folder of pages."""
ON_PAGES = ("board.json", "board.csv", "agreement.json", "corrected.json")
"""Files whose numbers are on other pages."""
OF_ALL = ("contestants", "plots", "tables")
"""Folders that every benchmark has."""
RELEASED = "released"
"""The file, or folder of files, with the results by the authors' code."""
MOST_CELLS = 600
"""A table with more cells is not shown, only its file."""


Cell = tuple[float | str, str, str]
"""A value, its key and its file's name."""


class OwnTable(NamedTuple):
    """A table of metric files. `files`: copies; `columns`: contestants, if keys name them; `rows`: none if too many."""

    title: str
    files: Sequence[str]
    columns: Sequence[str]
    rows: Mapping[str, Mapping[str, Cell]]


class Chart(NamedTuple):
    """A plot that the record asks for, with equal limits on both axes. Each of `points` has the numbers of its
    contestants among `names`, and the text of its lines.
    """

    title: str
    file: str
    x: str
    y: str
    lowest: float
    highest: float
    names: Sequence[str]
    points: Sequence[tuple[float, float, str, str]]


def copy_file(folder: Folder, results: Results, path: Path) -> str | None:
    """Copy a file and return its place in the folder of pages; None if the file does not exist."""
    if not path.is_file():
        return None
    name = f"{FILES}/{path.relative_to(results.folder).as_posix()}"
    folder.write(name, path.read_bytes())
    return name


def board_files(folder: Folder, results: Results, metric: str, judge: str) -> list[str]:
    tables = (results.folder / "tables" / f"{metric}.{judge}.{kind}" for kind in ("md", "tex"))
    return [name for path in tables if (name := copy_file(folder, results, path))]


def own_files(results: Results, kind: str) -> list[Path]:
    known, there = {*OF_ALL, *ON_PAGES}, sorted(results.folder.rglob(f"*{kind}"))
    return [one for one in there if known.isdisjoint(one.relative_to(results.folder).parts)]


def own_tables(folder: Folder, results: Results) -> Iterator[OwnTable]:
    """Yield metric files as tables: one line per key, one column per contestant that the key or the file names. Files
    of one contestant each are joined into one table.
    """
    files = own_files(results, ".json")
    together = grouped((path.parent.name if path.stem in results.contestants else path.stem, path) for path in files)
    for name, paths in together.items():
        rows: dict[str, dict[str, Cell]] = {}
        with suppress(UserError):  # no flat metrics: its file is there
            for path in paths:
                for key, value in metrics_of(path).items():
                    parts = key.split(".")
                    who = next((part for part in (path.stem, *parts) if part in results.contestants), "")
                    row = ".".join(part for part in parts if part != who)
                    rows.setdefault(row, {})[who] = (value, key, path.stem)
        columns = list(dict.fromkeys(who for cells in rows.values() for who in cells))
        copies = [copy for path in paths if (copy := copy_file(folder, results, path))]
        title = words_of("the released arithmetic" if name == RELEASED else name).capitalize()
        yield OwnTable(title, copies, columns, rows if len(rows) * len(columns) <= MOST_CELLS else {})


def own_charts(folder: Folder, results: Results) -> Iterator[Chart]:
    """Yield a chart of each CSV file for which the record names two columns of numbers to plot."""
    plots = results.benchmark.released.plots if results.benchmark.released else {}
    for path in own_files(results, ".csv"):
        copy, plot = copy_file(folder, results, path), plots.get(path.name, {})
        with path.open(encoding="utf-8", newline="") as file:
            lines = [*csv.DictReader(file)] if {"x", "y"} <= {*plot} else []
        lines = [line for line in lines if line[plot["x"]] and line[plot["y"]]]
        names = list(dict.fromkeys(line["contestant"] for line in lines))
        points = []
        for at, same in grouped(((float(line[plot["x"]]), float(line[plot["y"]])), line) for line in lines).items():
            label = ",".join(dict.fromkeys(str(names.index(line["contestant"]) + 1) for line in same))
            points.append((*at, label, "\n".join(words_of(", ".join(line.values())) for line in same)))
        ends = [0.0, *(end for point in points for end in point[:2])]
        x, y = (plot.get(f"{axis}_label", plot.get(axis, "")) for axis in "xy")
        highest = 100.0 if 1 < max(ends) <= 100 else max(*ends, 1.0)
        yield Chart(words_of(path.stem).capitalize(), copy or "", x, y, min(ends), highest, names, points)
