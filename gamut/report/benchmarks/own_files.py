"""What lies in a benchmark's folder of metrics beside its boards: copied to be downloaded, small tables shown."""

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
"""Where copies lie in the folder of pages."""
ON_PAGES = ("board.json", "board.csv", "agreement.json", "corrected.json")
"""Files whose numbers stand on other pages."""
OF_ALL = ("contestants", "plots", "tables")
"""Folders that every benchmark has."""
RELEASED = "released"
"""The file, or folder of files, of what the authors' code would say."""
MOST_CELLS = 600
"""A larger table is not shown: its file is there."""


Cell = tuple[float | str, str, str]
"""A value, its key and its file's name."""


class OwnTable(NamedTuple):
    """`files`: their copies; `columns` are contestants where keys name them; no rows where it is too large."""

    title: str
    files: Sequence[str]
    columns: Sequence[str]
    rows: Mapping[str, Mapping[str, Cell]]


class Chart(NamedTuple):
    """A file that the record has plotted, on axes of the same ends. `points`: each with the numbers of its contestants
    among `names`, and all that its lines say.
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
    """Return where a copy lies in the folder of pages; None where there is no such file."""
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
    """Yield metric files as tables: a line a key, a column a contestant that the key or the file names; files of one
    contestant each are one table.
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
    """Yield a chart of each CSV file of the folder that the record says how to plot: a number in both columns."""
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
