"""Metric files of the dataset as charts want them: figures with their keys, histograms, precision-recall curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from stages.project.csv_forms import form_rows
from stages.project.errors import UserError
from stages.report.site.metric_files import metric_file

MOST_PLACES = 4
FUNNEL = (
    ("source rows that could be used", "source_rows.ok"),
    ("prompts", "prompts.kept"),
    ("pictures painted", "synthesized.ok"),
    ("of sufficient quality", "admitted.kept"),
    ("with a category", "categorized.kept"),
    ("selected, lettering included", "selected.kept"),
    ("not a benchmark's", "held_out.kept"),
    ("released", "release.pictures"),
)
"""The way from captions to the release: in words, and the figure's key."""
SCALES = (1, 10)
"""Where fractions end: shares at 1, scores at 10."""


class Figure(NamedTuple):
    """One number of a metric file: its dotted key, its name, with how many decimals it is shown, and the length of its
    bar in percent of the longest that can be; None where it has no bar.
    """

    key: str
    label: str
    value: float | str
    places: int
    share: float | None = None


class Group(NamedTuple):
    """Figures that stand together, such as what became of the rows of one table."""

    title: str
    figures: Sequence[Figure]


class Grid(NamedTuple):
    """Figures in rows and columns; a cell that the file lacks is None."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Figure | None]]]


class Histogram(NamedTuple):
    """How many there are of each value: bars as (x, y, height, words), in units of a picture of 100 x 40."""

    title: str
    bars: Sequence[tuple[float, float, float, str]]
    width: float
    first: str
    last: str
    most: int
    total: int


class Curve(NamedTuple):
    """A precision-recall curve in a picture of 100 x 100: `points` as SVG has them, where the threshold in use is and
    where the suggested one, and the same in words.
    """

    name: str
    points: str
    used: tuple[float, float] | None
    suggested: tuple[float, float] | None
    words: str


def calibrated(path: Path) -> dict[str, dict[str, float | str]]:
    """Read the metric file of the filters: numbers by filter. UserError for a damaged one."""
    found = metric_file(path)
    if not all(isinstance(values, dict) and not nested(values) for values in found.values()):
        raise UserError(f"{path}: no metrics of filters: delete it, and `dvc repro` writes it anew")
    return found


def figure(key: str, label: str, value: float | str, longest: float | None = None) -> Figure:
    """Return a figure, with a bar where it is known what the longest one stands for."""
    share = None if longest is None or isinstance(value, str) else round(100 * value / longest, 2) if longest else 0.0
    return Figure(key, plain(label), value, places_of(value), share)


def plain(name: str) -> str:
    """Return the name of a figure as words."""
    return name.replace("_", " ")


def places_of(value: float | str) -> int:
    """Return the decimals that a number is shown with: those that it has, four at most."""
    if not isinstance(value, float):
        return 0
    exponent = Decimal(repr(value)).as_tuple().exponent
    return min(MOST_PLACES, max(1, -exponent)) if isinstance(exponent, int) else 0


def sections(found: Mapping[str, Any], path: str = "") -> Iterator[Group | Grid]:
    """Yield all figures of a metric file: a section of numbers as a group, one of sections of numbers as a grid."""
    loose = {key: value for key, value in found.items() if not isinstance(value, dict)}
    if loose:
        yield Group(plain(path.rstrip(".")) or "figures", figures_of(loose, path))
    for key, value in found.items():
        if isinstance(value, dict):
            parts = list(value.values())
            if parts and all(isinstance(part, dict) and not nested(part) for part in parts):
                yield grid(plain(f"{path}{key}"), value, f"{path}{key}.")
            else:
                yield from sections(value, f"{path}{key}.")


def nested(found: Mapping[str, Any]) -> bool:
    """Return whether a section has sections."""
    return any(isinstance(value, dict) for value in found.values())


def figures_of(found: Mapping[str, float | str], path: str) -> list[Figure]:
    """Return the figures of a section; those that can be compared have bars: all counts, all shares, all scores."""
    numbers = [value for value in found.values() if not isinstance(value, str)]
    longest: float | None = None
    if len(numbers) == len(found) and all(isinstance(value, int) for value in numbers):
        longest = max(numbers)
    elif len(numbers) == len(found) and all(isinstance(value, float) for value in numbers):
        longest = next((end for end in SCALES if max(numbers) <= end), max(numbers))
    return [figure(f"{path}{key}", key, value, longest) for key, value in found.items()]


def grid(title: str, found: Mapping[str, Mapping[str, float | str]], path: str) -> Grid:
    """Return a section of sections as rows and columns, in the order in which they first stand there."""
    columns = list(dict.fromkeys(column for values in found.values() for column in values))
    rows = []
    for name, values in found.items():
        cells = [figure(f"{path}{name}.{c}", c, values[c]) if c in values else None for c in columns]
        rows.append((plain(name), cells))
    return Grid(title, [plain(column) for column in columns], rows)


def funnel(found: Mapping[str, Any]) -> list[Figure]:
    """Return how many rows came so far, step by step; steps that the file lacks are left out."""
    steps = []
    for label, key in FUNNEL:
        section, _, name = key.partition(".")
        values = found.get(section)
        if isinstance(values, dict) and isinstance(values.get(name), int):
            steps.append((label, key, values[name]))
    longest = max((value for _, _, value in steps), default=0)
    return [figure(key, label, value, longest) for label, key, value in steps]


def histograms(path: Path, by: str) -> list[Histogram]:
    """Return a histogram a column of a file of counts by value; none where the file was not made."""
    if not path.exists():
        return []
    rows = [row for _, row in form_rows(path, (by,), "")]
    values = [row[by] for row in rows]
    names = [name for name in (rows[0] if rows else {}) if name != by]
    return [histogram(plain(name), values, [count_in(path, row, name) for row in rows]) for name in names]


def count_in(path: Path, row: Mapping[str, str], column: str) -> int:
    """Return a cell that is a count; UserError for another."""
    text = row.get(column, "")
    if not text.isdecimal():
        raise UserError(f"{path}: {text!r} is no count: delete it, and `dvc repro` writes it anew")
    return int(text)


def histogram(title: str, values: Sequence[str], counts: Sequence[int]) -> Histogram:
    """Return counts as bars; values behind the last that there is are left out."""
    end = max((n for n, count in enumerate(counts, start=1) if count), default=1)
    most, width = max([*counts, 1]), round(100 / end, 3)
    bars = []
    for n, (value, count) in enumerate(zip(values[:end], counts[:end], strict=True)):
        height = round(40 * count / most, 2)
        bars.append((round(n * width, 3), round(40 - height, 2), height, f"{value}: {count:,}"))
    return Histogram(title, bars, round(width * 0.9, 3), values[0], values[end - 1], max(counts), sum(counts))


def curves(folder: Path, calibration: Mapping[str, Mapping[str, Any]]) -> list[Curve]:
    """Return the precision-recall curve of every filter that has a file of points, those of the metric file first."""
    there = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    names = [*(name for name in calibration if name in there), *(name for name in there if name not in calibration)]
    return [curve(name, there[name], calibration.get(name, {})) for name in names]


def curve(name: str, path: Path, figures: Mapping[str, Any]) -> Curve:
    """Return one curve; UserError for a file that holds no numbers."""
    places: dict[int, tuple[float, float]] = {}
    words = []
    for line, row in form_rows(path, ("threshold", "precision", "recall"), ""):
        try:
            threshold, precision, recall = int(row["threshold"]), float(row["precision"]), float(row["recall"])
        except ValueError:
            raise UserError(f"{path}, line {line}: no numbers: delete it, and `dvc repro` writes it anew") from None
        places[threshold] = (round(100 * recall, 2), round(100 - 100 * precision, 2))
        words.append(f"threshold {threshold}: precision {precision:.3f}, recall {recall:.3f}")
    return Curve(
        name=plain(name),
        points=" ".join(f"{x:g},{y:g}" for x, y in places.values()),
        used=places.get(figures.get("threshold", -1)),
        suggested=places.get(figures.get("suggested", -1)),
        words="; ".join(words),
    )
