"""Metric files of the dataset in the form of the page: figures with their keys and bars."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from gamut.dataset.steps import STEPS
from gamut.pipeline.steps import Decides
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file

MOST_PLACES = 4
FUNNEL = (
    ("source rows that could be used", "source_rows.ok"),
    *((step.left, f"{step.name}.{'kept' if isinstance(step, Decides) else 'ok'}") for step in STEPS if step.left),
    ("released", "release.pictures"),
)
"""The steps from captions to the release: in words, and the figure's key."""
SCALES = (1, 10)
"""The upper ends of scales: shares end at 1, scores at 10."""


SHARES = re.compile(r"keep_rate\.|share|precision|recall")
"""Keys with one of these are figures from 0 to 1, which are shown in percent."""
WHOLE = "all rows ok"
"""The title of the group of tables whose rows are all ok."""


class Figure(NamedTuple):
    """One number of a metric file. `share` is the length of its bar in percent, None without a bar; `percent` says
    whether the number is a share itself.
    """

    key: str
    label: str
    value: float | str
    places: int
    share: float | None = None
    percent: bool = False


class Group(NamedTuple):
    title: str
    figures: Sequence[Figure]

    @property
    def scale(self) -> str:
        """The range of bars of shares or scores, in words."""
        values = [one.value for one in self.figures if isinstance(one.value, float) and one.share is not None]
        if not values or len(values) < len(self.figures) or max(values) > SCALES[-1]:
            return ""
        return "0 to 100 %" if all(one.percent for one in self.figures) else "0 to 10" * (max(values) > 1)


class Grid(NamedTuple):
    """Figures in rows and columns; a cell that is missing in the file is None."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Figure | None]]]


def read_calibration(path: Path) -> dict[str, dict[str, float | str]]:
    """Read the metric file of the filters: numbers by filter. UserError for a damaged one."""
    found = read_metric_file(path)
    if not all(isinstance(values, dict) and not has_sections(values) for values in found.values()):
        raise UserError(f"{path} has no metrics of filters: delete it and run `dvc repro`")
    return found


def figure(key: str, label: str, value: float | str, longest: float | None = None) -> Figure:
    share = None if longest is None or isinstance(value, str) else round(100 * value / longest, 2) if longest else 0.0
    percent = isinstance(value, float) and 0 <= value <= 1 and bool(SHARES.search(key))
    return Figure(key, spaced_name(label), value, decimals_of(value), share, percent)


def spaced_name(name: str) -> str:
    return name.replace("_", " ")


def decimals_of(value: float | str) -> int:
    """Return how many decimals of a number are shown: those that it has, at most four."""
    if not isinstance(value, float):
        return 0
    exponent = Decimal(repr(value)).as_tuple().exponent
    return min(MOST_PLACES, max(1, -exponent)) if isinstance(exponent, int) else 0


def folded_sections(metrics: Mapping[str, Any]) -> list[Group | Grid]:
    """Return all figures of a metric file; tables whose rows are all ok share one group, a line each."""
    found = list(sections(metrics))
    whole = [one for one in found if isinstance(one, Group) and [figure.label for figure in one.figures] == ["ok"]]
    lines = [one.figures[0]._replace(label=one.title, share=None) for one in whole]
    return [one for one in found if one not in whole] + ([Group(WHOLE, lines)] if whole else [])


def sections(metrics: Mapping[str, Any], path: str = "") -> Iterator[Group | Grid]:
    """Yield all figures of a metric file: a section of numbers as a group, a section of such sections as a grid."""
    loose = {key: value for key, value in metrics.items() if not isinstance(value, dict)}
    if loose:
        yield Group(spaced_name(path.rstrip(".")) or "figures", figures_of(loose, path))
    for key, value in metrics.items():
        if isinstance(value, dict):
            parts = list(value.values())
            if parts and all(isinstance(part, dict) and not has_sections(part) for part in parts):
                yield grid(spaced_name(f"{path}{key}"), value, f"{path}{key}.")
            else:
                yield from sections(value, f"{path}{key}.")


def has_sections(metrics: Mapping[str, Any]) -> bool:
    return any(isinstance(value, dict) for value in metrics.values())


def figures_of(values: Mapping[str, float | str], path: str) -> list[Figure]:
    """Return the figures of a section; they have bars if all are counts, all shares, or all scores."""
    numbers = [value for value in values.values() if not isinstance(value, str)]
    longest: float | None = None
    if len(numbers) == len(values) and all(isinstance(value, int) for value in numbers):
        longest = max(numbers)
    elif len(numbers) == len(values) and all(isinstance(value, float) for value in numbers):
        longest = next((end for end in SCALES if max(numbers) <= end), max(numbers))
    return [figure(f"{path}{key}", key, value, longest) for key, value in values.items()]


def grid(title: str, table: Mapping[str, Mapping[str, float | str]], path: str) -> Grid:
    """Return a section of sections as rows and columns, in the order of their first occurrence."""
    columns = list(dict.fromkeys(column for values in table.values() for column in values))
    rows = []
    for name, values in table.items():
        cells = [figure(f"{path}{name}.{c}", c, values[c]) if c in values else None for c in columns]
        rows.append((spaced_name(name), cells))
    return Grid(title, [spaced_name(column) for column in columns], rows)


def funnel(metrics: Mapping[str, Any]) -> list[Figure]:
    """Return how many rows are left after each step; steps that are missing in the file are left out."""
    steps = []
    for label, key in FUNNEL:
        section, _, name = key.partition(".")
        values = metrics.get(section)
        if isinstance(values, dict) and isinstance(values.get(name), int):
            steps.append((label, key, values[name]))
    longest = max((value for _, _, value in steps), default=0)
    return [figure(key, label, value, longest) for label, key, value in steps]
