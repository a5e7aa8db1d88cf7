"""The page of a benchmark's boards: a table a view and judge, controls apart, and profiles over groups."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from ruamel.yaml import YAML

from gamut.evaluation.defining.editions import counted
from gamut.evaluation.defining.measures import Linear, Scale, View, ends_of
from gamut.evaluation.defining.parameters import CORRELATION, Contestant
from gamut.evaluation.scoring.board import RULE
from gamut.evaluation.scoring.tables import REMARKS
from gamut.project.csv_forms import form_rows
from gamut.report.benchmarks.measured import (
    Measured,
    Value,
    is_control,
    is_trusted,
    named_in,
    number,
    place_of,
    value_at,
    values_at,
)
from gamut.report.site.folder import Folder
from gamut.report.site.pages import page
from gamut.report.site.texts import without_secrets

OVER = "over_"
"""What the keys of a variant's gains begin with, before the name of what it is a variant of."""


class Row(NamedTuple):
    """One row of a board. `key`: what the keys of its values begin with; the first of `values` ranks; `spec`: the
    hash of what was asked; `gains`: of a variant, how far it stands above what it is one of.
    """

    name: str
    control: bool
    key: str
    values: Sequence[Value]
    scored: float | None
    ranks: tuple[float, float] | None
    tie_group: float | None
    coverage: float | None
    profile: Sequence[Value]
    spec: str | None
    gains: Sequence[tuple[str, Value]]


class Board(NamedTuple):
    """A view by one judge. `ends`: of what each value can be; `correlated`: how two values go together over
    contestants.
    """

    view: View
    judge: str
    anchor: str
    rows: Sequence[Row]
    ends: dict[str, Scale]
    trusted: bool
    remarks: Sequence[str]
    correlated: Sequence[tuple[str, Value]]

    @property
    def raised(self) -> list[tuple[str, str]]:
        """Return the shown values that an answer missing on a side that is taken off raises, each with such sides."""
        shown = [(name, self.view.reported[name]) for name in self.view.shown]
        sides = {
            name: [self.view.columns[number].side for number in np.flatnonzero(one.factors < 0)]
            for name, one in shown
            if isinstance(one, Linear)
        }
        return [(name, " and ".join(dict.fromkeys(own))) for name, own in sides.items() if own]

    @property
    def axis(self) -> Scale:
        """Return from where to where bars of what ranks go: over all that it can be, else all that is there."""
        first = [row.values[0] for row in self.rows]
        found = [end for value in first for end in (value.value, value.low, value.high) if end is not None]
        return self.ends.get(self.view.shown[0]) or Scale(min([0, *found]), max([1, *found]))


def write_boards(folder: Folder, measured: Measured, stale: str | None = None) -> None:
    folder.write(
        "index.html",
        page(
            "boards.html",
            root="",
            here="boards",
            title=f"{measured.benchmark.title}: boards",
            measured=measured,
            stale=stale,
            boards=boards(measured),
            settings={name: settings(measured.params.contestants[name]) for name in measured.contestants},
            edition=counted(measured.items),
            rule=RULE,
            over=OVER,
        ),
    )


def boards(measured: Measured) -> list[Board]:
    remarks = remarks_of(measured)
    found = []
    for view in measured.views:
        for judge in view.boards_by(measured.judges):
            rows = [row_of(measured, view, judge, name) for name in named_in(measured.board, view.name, judge)]
            start = f"{view.name}.{judge}."
            trusted = is_trusted(measured.board, view.name, judge)
            ends, said = ends_of(view, measured.benchmark.measures), remarks.get((view.name, judge), [])
            correlated = values_at(measured.board, f"{start}{CORRELATION}.")
            if rows:
                found.append(Board(view, judge, place_of(view.name, judge), rows, ends, trusted, said, correlated))
    return found


def row_of(measured: Measured, view: View, judge: str, name: str) -> Row:
    board, own = measured.board, measured.contestant_values.get(name, {})
    start, key = f"{view.name}.{judge}.", f"{view.name}.{judge}.{name}."
    best, worst = number(board.get(f"{key}rank_best")), number(board.get(f"{key}rank_worst"))
    beside = measured.judges[0] if view.by else judge
    specs = [str(own[spec]) for side in view.sides if (spec := f"spec.{side}.{beside}") in own]
    return Row(
        name=name,
        control=is_control(name),
        key=key,
        values=[value_at(board, f"{key}{shown}") for shown in view.shown],
        scored=number(board.get(f"{key}{view.shown[0]}_scored")),
        ranks=None if best is None or worst is None else (best, worst),
        tie_group=number(board.get(f"{key}tie_group")),
        coverage=number(board.get(f"{key}coverage")),
        profile=[value_at(own, f"{start}{part}") for part in view.profile],
        spec=", ".join(specs) or None,
        gains=[(told, value) for told, value in values_at(board, f"{key}{OVER}") if f"{OVER}{told}" not in view.shown],
    )


def remarks_of(measured: Measured) -> dict[tuple[str, str], list[str]]:
    path = measured.folder / "plots" / REMARKS
    found: dict[tuple[str, str], list[str]] = {}
    for _, row in form_rows(path, ("side", "judge", "remark"), "") if path.exists() else ():
        found.setdefault((row["side"], row["judge"]), []).append(row["remark"])
    return found


def settings(contestant: Contestant) -> str:
    """Return a contestant's block of params.yaml, as YAML without what is left at its default, or may be a secret."""
    out = io.StringIO()
    yaml = YAML()
    yaml.width = 100
    yaml.dump(without_secrets(contestant.model_dump(mode="json", by_alias=True, exclude_defaults=True)), out)
    return out.getvalue()
