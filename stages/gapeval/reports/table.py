"""Table 2 of the paper: success, understanding, generation and gap in every category, and the gap over all of them.

Models that answer on both sides stand first, those of one side below in rows of their own. What is not there is
empty, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from stages.evaluation.defining.parameters import Contestant
from stages.evaluation.scoring.board import with_interval
from stages.evaluation.scoring.estimates import Estimate
from stages.gapeval.reports.standings import (
    GAP,
    GEN,
    OVERALL,
    PLACES,
    SCORES,
    SUCC,
    UND,
    Board,
    Values,
    sides_of,
    values_of,
)
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.putting import SIDES
from stages.project import markdown
from stages.project.plain_text import decimals

GROUPS: Mapping[tuple[str, ...], str] = {
    SIDES: "Unified models",
    (UND,): "Understanding alone",
    (GEN,): "Generation alone",
}
COLUMNS = [(category, score) for category in CATEGORIES for score in (SUCC, UND, GEN, GAP)] + [(OVERALL, GAP)]
HEAD = ("judge", "models", "contestant", *(GAP if place == OVERALL else f"{place}.{score}" for place, score in COLUMNS))
LONG = ("judge", "models", "contestant", "category", "score", "value", "low", "high", "items")
SHORT: Mapping[str, str] = dict(zip(CATEGORIES, ("WK", "NP", "IF", "RS"), strict=True))
"""Of the categories' names, where room is scarce."""
NONE = "–"
"""Stands where people read for what is not there."""
CAPTION = (
    "Succ.: right in words and as a picture, in the same sample. Und.: right in words. Gen.: right as a picture. "
    "Gap: how far the two lie apart, lower is better. All in percent; the last gap, over all categories, with its 95 % "
    "interval."
)


class Line(NamedTuple):
    """A contestant by a judge; `models`: its group."""

    judge: str
    models: str
    contestant: str
    values: Values


def lines(board: Board, judge: str, contestants: Mapping[str, Contestant], benchmark: str) -> list[Line]:
    """Return all that a judge has judged: group by group, those with a gap by it, the lowest first, others in their
    order.
    """
    found = []
    for sides, models in GROUPS.items():
        names = [name for name in contestants if sides_of(name, contestants, benchmark) == sides]
        of_group = [Line(judge, models, name, values_of(board, judge, name, sides)) for name in names]
        found += sorted((line for line in of_group if line.values), key=by_gap)
    return found


def by_gap(line: Line) -> float:
    """Return what lines of a group are put in order by."""
    found = line.values.get((OVERALL, GAP))
    return float("inf") if found is None else found.value


def wide(table: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 2 as a CSV file has them, under HEAD."""
    for line in table:
        yield *line[:3], *(number(line.values.get(column)) for column in COLUMNS)


def long(table: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    """Yield every score of every contestant with its interval and the number of items behind it, under LONG; also what
    Table 2 has no column for: success, understanding and generation over all categories, and failure.
    """
    for line in table:
        for place in PLACES:
            for score in SCORES:
                found = line.values.get((place, score))
                if found is not None:
                    ends = ("" if end is None else end for end in (found.low, found.high))
                    yield *line[:3], place, score, found.value, *ends, found.n


def number(found: Estimate | None) -> float | str:
    """Return a value as a CSV file has it, empty for none."""
    return "" if found is None else found.value


def cells(line: Line) -> list[str]:
    """Return what stands in a line for a person: numbers, and the last with its interval."""
    found = [line.values.get(column) for column in COLUMNS]
    shown = [NONE if one is None else decimals(one.value) for one in found[:-1]]
    return [*shown, NONE if found[-1] is None else with_interval(found[-1])]


def abbreviated(score: str) -> str:
    """Return what a score is called in Table 2."""
    return score.capitalize() + ("" if score == GAP else ".")


def heading(place: str, score: str) -> str:
    """Return the heading of a column in Markdown."""
    name = "" if place == OVERALL else f"{place.replace('_', ' ').capitalize()}<br>"
    return name + abbreviated(score)


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
    words = ", ".join(f"{short} {category.replace('_', ' ')}" for category, short in SHORT.items())
    caption = [] if said is None else [said]
    shown = Table(title=title, title_justify="left", caption_justify="left")
    shown.caption = "\n".join([*caption, f"{words}. {CAPTION}"])
    shown.add_column("", no_wrap=True)
    for place, score in COLUMNS:
        shown.add_column(f"{SHORT.get(place, '')}\n{abbreviated(score)}", justify="right", no_wrap=True)
    for before, line, after in zip([None, *table], table, [*table[1:], None], strict=False):
        if before is None or before.models != line.models:
            shown.add_row(Text(line.models, "bold"))
        shown.add_row(line.contestant, *cells(line), end_section=after is None or after.models != line.models)
    return shown
