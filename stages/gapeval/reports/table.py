"""Table 2 of the paper: success, understanding, generation and gap in every category, and over all of them.

Models that answer on both sides stand first, by what is right on both sides; beside it stand the gap, the gap by the
released fit, and the place that it has in the paper's order. Those of one side stand below in rows of their own. What
is not there is empty, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from stages.evaluation.defining.parameters import Contestant
from stages.evaluation.scoring.board import with_interval
from stages.evaluation.scoring.estimates import Estimate, rounded
from stages.gapeval.reports.standings import (
    DELTA,
    GAP,
    GEN,
    OVERALL,
    PLACES,
    SCORES,
    SUCC,
    UND,
    Board,
    Values,
    cells_of,
    sides_of,
    values_of,
)
from stages.gapeval.shared.fitting import released
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.putting import SIDES
from stages.project import markdown
from stages.project.plain_text import decimals

GROUPS: Mapping[tuple[str, ...], str] = {
    SIDES: "Unified models",
    (UND,): "Understanding alone",
    (GEN,): "Generation alone",
}
RELEASED, PLACE = "released_gap", "place_by_released_gap"
COLUMNS: list[tuple[str, str]] = [(category, score) for category in CATEGORIES for score in (SUCC, UND, GEN, GAP)]
COLUMNS += [(OVERALL, score) for score in (SUCC, GAP, DELTA, RELEASED, PLACE)]
HEAD = (
    *("judge", "models", "contestant"),
    *(score if place == OVERALL else f"{place}.{score}" for place, score in COLUMNS),
)
LONG = ("judge", "models", "contestant", "category", "score", "value", "low", "high", "items")
SHORT: Mapping[str, str] = dict(zip(CATEGORIES, ("WK", "NP", "IF", "RS"), strict=True)) | {OVERALL: "all"}
"""Of the categories' names, where room is scarce."""
NAMES: Mapping[str, str] = {GAP: "Gap", DELTA: "Δθ", RELEASED: "Released gap", PLACE: "Paper's place"}
NONE = "–"
"""Stands where people read for what is not there."""
CAPTION = (
    "Succ.: right in words and as a picture, in the same sample. Und.: right in words. Gen.: right as a picture. "
    "Gap: how far the two lie apart; it ranks nobody, since who spoils the better side has a smaller one. All in "
    "percent. Δθ: by how many logits words lie above pictures. Released gap: by the released fit; the paper ranks by "
    "it, the lowest first. The last columns are over all categories, with 95 % intervals."
)

Floats = NDArray[np.float64]


class Line(NamedTuple):
    """A contestant by a judge; `models`: its group."""

    judge: str
    models: str
    contestant: str
    values: Values


def lines(board: Board, judge: str, contestants: Mapping[str, Contestant], benchmark: str) -> list[Line]:
    """Return all that a judge has judged: group by group, those right on both sides most often first, others in their
    order.
    """
    found = []
    for sides, models in GROUPS.items():
        names = [name for name in contestants if sides_of(name, contestants, benchmark) == sides]
        of_group = [Line(judge, models, name, values_of(board, judge, name, sides)) for name in names]
        found += sorted((line for line in of_group if line.values), key=by_success)
    return with_released(found)


def by_success(line: Line) -> float:
    """Return what lines of a group are put in order by."""
    found = line.values.get((OVERALL, SUCC))
    return float("inf") if found is None else -found.value


def with_released(table: Sequence[Line]) -> list[Line]:
    """Return lines with the released gaps of those that have shares in every category, and their places by them."""
    cells = {number: cells for number, line in enumerate(table) if (cells := all_cells(line.values)) is not None}
    if not cells:
        return [*table]
    found = 100 * released.released(np.array([*cells.values()]))
    overall = found.mean(axis=1)
    lines = [*table]
    for number, own, mean in zip(cells, found, overall, strict=True):
        n = lines[number].values[OVERALL, GAP].n
        values: dict[tuple[str, str], float] = {
            (category, RELEASED): value for category, value in zip(CATEGORIES, own.tolist(), strict=True)
        }
        values |= {(OVERALL, RELEASED): float(mean), (OVERALL, PLACE): 1 + int((overall < mean).sum())}
        told = {key: Estimate(rounded(value), None, None, n) for key, value in values.items()}
        lines[number] = lines[number]._replace(values={**lines[number].values, **told})
    return lines


def all_cells(values: Values) -> Floats | None:
    """Return the joint shares p11, p10, p01, p00 of every category, shape (categories, 4); None where one has none."""
    found = [cells for category in CATEGORIES if (cells := cells_of(values, category)) is not None]
    return np.stack(found) if len(found) == len(CATEGORIES) else None


def wide(table: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 2 as a CSV file has them, under HEAD."""
    for line in table:
        yield *line[:3], *(number(line.values.get(column)) for column in COLUMNS)


def long(table: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    """Yield every score of every contestant with its interval and the number of items behind it, under LONG; also what
    Table 2 has no column for.
    """
    for line in table:
        for place in PLACES:
            for score in (*SCORES, RELEASED, PLACE):
                found = line.values.get((place, score))
                if found is not None:
                    ends = ("" if end is None else end for end in (found.low, found.high))
                    yield *line[:3], place, score, found.value, *ends, found.n


def number(found: Estimate | None) -> float | str:
    """Return a value as a CSV file has it, empty for none."""
    return "" if found is None else found.value


def cells(line: Line) -> list[str]:
    """Return what stands in a line for a person: numbers, those over all categories with their intervals."""
    return [cell(line.values.get(column), *column) for column in COLUMNS]


def cell(found: Estimate | None, place: str, score: str) -> str:
    """Return what stands in a cell for a person."""
    if found is None:
        return NONE
    if score == PLACE:
        return f"{found.value:.0f}"
    return with_interval(found) if place == OVERALL else decimals(found.value)


def abbreviated(score: str) -> str:
    """Return what a score is called in Table 2."""
    return NAMES.get(score) or f"{score.capitalize()}."


def heading(place: str, score: str) -> str:
    """Return the heading of a column in Markdown."""
    return f"{place.replace('_', ' ').capitalize()}<br>{abbreviated(score)}"


def as_markdown(title: str, tables: Mapping[str, Sequence[Line]], said: Mapping[str, str]) -> str:
    """Return the tables, by judge, as a page of Markdown; `said`: what a reader has to know of a judge."""
    parts = [f"# {title}", CAPTION]
    for judge, table in tables.items():
        rows: list[list[str]] = []
        for before, line in zip([None, *table], table, strict=False):
            if before is None or before.models != line.models:
                rows.append([f"**{line.models}**", *[""] * len(COLUMNS)])
            rows.append([markdown.plain(line.contestant), *cells(line)])
        parts.append(f"## Judged by {markdown.plain(judge)}")
        parts += [markdown.plain(said[judge])] if judge in said else []
        parts.append(
            markdown.table(["", *(heading(*column) for column in COLUMNS)], rows) if rows else "Nobody is judged yet."
        )
    return "\n\n".join(parts) + "\n"


FAILED = "failed its trial: these numbers rank nobody."


def as_rich(title: str, table: Sequence[Line], said: str | None = None) -> Table:
    """Return a table for a terminal; `said`: what a reader has to know of the judge."""
    words = ", ".join(f"{SHORT[category]} {category.replace('_', ' ')}" for category in CATEGORIES)
    caption = [] if said is None else [said]
    shown = Table(title=title, title_justify="left", caption_justify="left")
    shown.caption = "\n".join([*caption, f"{words}. {CAPTION}"])
    shown.add_column("", no_wrap=True)
    for place, score in COLUMNS:
        shown.add_column(f"{SHORT[place]}\n{abbreviated(score)}", justify="right", no_wrap=True)
    for before, line, after in zip([None, *table], table, [*table[1:], None], strict=False):
        if before is None or before.models != line.models:
            shown.add_row(Text(line.models, "bold"))
        shown.add_row(line.contestant, *cells(line), end_section=after is None or after.models != line.models)
    return shown
