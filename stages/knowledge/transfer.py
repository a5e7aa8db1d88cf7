"""The results of the studies: how much of what one side was taught the other side knows, what persists, and what is
damaged. Also how soon each side knows it (arXiv 2602.02140, findings 4 and 5); curves by step (figure 5) and bars
(figure 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from gamut.evaluation.scoring.estimates import Estimate, round_value
from gamut.project.files import delete_unwanted, write_csv, write_json
from gamut.project.stage import main
from gamut.tables.reading import read_rows
from stages.knowledge import changes
from stages.knowledge.changes import HELD_OUT, OLD, OUTCOMES, REFERENCE, SIDES, Kind, Levels
from stages.knowledge.parameters import Params
from stages.knowledge.stages import CURVES, FIGURES, KNOWLEDGE, METRICS, TABLES, TRANSFER

COLUMNS = ("study", "step", "entity", "cluster", "side", "fact", "wording", "value", "status")
NUMBERS = ("value", "low", "high", "clusters")
SHOWN = ("transfer", "steps.und", "steps.gen", "ratio")  # what DVC shows of each training
ENDS = ("", "_lo", "_hi")


class Cell(NamedTuple):
    model: str
    study: str
    strategy: str


Cells = Mapping[Cell, Levels]
Values = dict[str, Any]
"""Numbers by name, with an interval's ends as `_lo` and `_hi`; or `no_<name>`, why there is none."""


def transfer(params: Params) -> None:
    tables = {cell: TABLES["measured"] / "-".join(cell) for cell in cells_of(params)}
    cells = {cell: changes.levels_of(read_rows(table, COLUMNS)) for cell, table in tables.items()}
    said = {cell: values_of(cell, cells) for cell in cells}
    write_json(FIGURES, nested(said))
    shown = {cell: {key: of[key] for key in SHOWN if not isinstance(of.get(key, ""), str)} for cell, of in said.items()}
    write_json(METRICS, nested(shown))
    write_csv(CURVES, (*Cell._fields, "step", *Kind._fields, *NUMBERS, *OUTCOMES), curve_rows(cells))
    for cell, of in said.items():
        words = [f"{name} {value}" for name, value in of.items() if name in SHOWN or name.startswith("no_")]
        print(f"knowledge.transfer: {'-'.join(cell)}: {', '.join(words)}", flush=True)


def cells_of(params: Params) -> list[Cell]:
    block = params.knowledge
    return [Cell(*names) for names in product(block.models, block.studies, block.strategies)]


def forget_others(params: Params) -> None:
    delete_unwanted(TABLES["measured"], ["-".join(cell) for cell in cells_of(params)])


def values_of(cell: Cell, cells: Cells) -> Values:
    """Return the results of a cell, for held-out wordings. Steps of seeing and painting are compared as each was taught
    alone, if it was.
    """
    one, values = cells[cell], Values(last=cells[cell].last)
    if cell.strategy in SIDES:
        values |= keys_of("transfer", changes.transfer, one, cell.strategy)
    for side in SIDES:
        values |= keys_of(f"progress.{side}", changes.mean_progress, one, side)
        values |= keys_of(f"persistence.{side}", changes.level, one, Kind(side, OLD, HELD_OUT), one.last)
        values |= keys_of(f"damage.{side}", changes.damage, one, side)
        for end, step in zip(ENDS, changes.steps_to_learn(one, side), strict=True):
            values[f"steps.{side}{end}"] = f"> {one.last}" if step is None else step
    alone = (cells.get(cell._replace(strategy=side)) if cell.strategy in SIDES else one for side in SIDES)
    und, gen = (of and changes.steps_to_learn(of, side)[0] for of, side in zip(alone, SIDES, strict=True))
    return values | ({"ratio": round_value(gen / und)} if und and gen else {})


def keys_of(key: str, function: Callable[..., Estimate | None], *of: object) -> Values:
    try:
        found = function(*of)
    except changes.Unsaid as why:
        return {f"no_{key}": str(why)}
    ends = zip(ENDS, found or (), strict=False)
    return {f"{key}{end}": round_value(value) for end, value in ends if value is not None}


def nested(by_cell: Mapping[Cell, Values]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (model, study, strategy), values in by_cell.items():
        found.setdefault(model, {}).setdefault(study, {})[strategy] = values
    return found


def curve_rows(cells: Cells) -> Iterator[tuple[object, ...]]:
    for cell, one in cells.items():
        for kind, step in sorted(one.of, key=lambda place: (place[1], place[0])):
            if kind.fact != REFERENCE:
                counts = (one.counts[kind, step][name] for name in OUTCOMES)
                yield (*cell, step, *kind, *numbers_of(one, kind, step), *counts)


def numbers_of(one: Levels, kind: Kind, step: int) -> tuple[object, ...]:
    """Return the values of NUMBERS, empty if no number is given."""
    values = keys_of("value", changes.level, one, kind, step)
    return *(values.get(f"value{end}", "") for end in ENDS), len(one.of[kind, step])


if __name__ == "__main__":
    main("knowledge.transfer", transfer, Params, before=forget_others, record=KNOWLEDGE.record(TRANSFER))
