"""`gamut gap`: how far text and pictures lie apart in counts that anybody has, as GapEval does it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stages.command.terminal import fitted
from stages.evaluation.defining.editions import not_blank
from stages.gapeval.shared.fitting import formula, identified, released
from stages.gapeval.shared.fitting.gaps import BOTH, NEITHER, normal_numbers
from stages.project.errors import UserError, in_one_line
from stages.project.inputs import regular, repeated_keys
from stages.project.plain_text import amount, decimals, one_line
from stages.project.validation import Strict, shown, validated

Floats = NDArray[np.float64]
LARGEST = 5_000_000
"""Bytes of a file."""
SEED = 0
MEANING = {
    "identified": "gap: median of what is known of a model, fitted alone, and its 95 % interval; 0 is none. A model's "
    "categories tell of each other; overall is the median of their mean, not the mean of their medians.",
    "released": "gap: of the released fit, with the least and the most over precision, 1,000 to 20,000 steps, and "
    "starts shifted by .000001: no ranking should rest on it.",
}
NO_ITEMS = (
    "no items are named: each count is an observation of its own there. Samples of one item are alike; where "
    "there are several of each, the interval is too narrow."
)
UNLIKE = "overall: models have unlike categories, so their means are not of the same; compare category by category."

Count = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Counts = Annotated[list[Count], Field(min_length=4, max_length=4)]
"""Samples with both sides right, text only, picture only, neither."""
Shares = Mapping[tuple[str, str | None], dict[str, Any]]
"""What is right, by model and category, of which none is `None`: that is a model's gap over all."""
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(not_blank)]


class Row(Strict):
    """A model's counts in a category, and of each item where they are known."""

    model: Name
    category: Name
    counts: Counts
    items: Annotated[list[Counts], Field(min_length=1)] | None = None


class Rows(Strict):
    """What a file holds."""

    rows: Annotated[list[Row], Field(min_length=1, max_length=1_000)]


class Gap(NamedTuple):
    """A gap with its interval or spread, 0..100, of a category; of the model where `category` is None."""

    model: str
    category: str | None
    gap: float
    low: float
    high: float


def gap(path: Path, mode: str, as_json: bool) -> None:
    """Print the gaps of a file's models, by category and overall; UserError for a file that cannot be taken."""
    rows = read(path)
    models = {name: [row for row in rows if row.model == name] for name in dict.fromkeys(row.model for row in rows)}
    found = of_released(models) if mode == "released" else of_identified(models, path)
    without = sum(row.items is None for row in rows) if mode == "identified" else 0
    unlike = len({frozenset(row.category for row in of_model) for of_model in models.values()}) > 1
    notes = [
        MEANING[mode],
        *([UNLIKE] if unlike else []),
        *([f"{amount(without, 'row')}: {NO_ITEMS}"] if without else []),
    ]
    shares: Shares = {(row.model, row.category): succeeded(row) for row in rows}
    if as_json:
        gaps = [one._asdict() | shares.get((one.model, one.category), {}) for one in found]
        print(json.dumps({"mode": mode, "gaps": gaps, "notes": notes}, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(found, shares, mode, notes)


def read(path: Path) -> list[Row]:
    """Read a file of rows; a UserError in one line says what is wrong with the first wrong one."""
    where = in_one_line(path)
    if regular(path).stat().st_size > LARGEST:
        raise UserError(f"{where}: is larger than {LARGEST:,} bytes: split it, models do not change each other")
    content = path.read_bytes()

    def no_number(text: str) -> NoReturn:
        raise ValueError(f"{text} is no number")

    try:
        values = json.loads(content, parse_constant=no_number)
    except RecursionError:
        raise UserError(f"{where}: its values are nested too deeply: a list of objects is wanted") from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise UserError(f"{where}: is no JSON ({one_line(str(error), 200)}): a list of objects is wanted") from None
    if repeated := repeated_keys(content):
        raise UserError(f"{where}: key {shown(repeated[0])} stands twice in one object: leave one")
    if not isinstance(values, list):
        raise UserError(f"{where}: a list of objects is wanted, not {one_line(shown(values), 100)}")
    try:
        rows = validated(Rows, {"rows": values}, path).rows
    except UserError as error:
        raise UserError(str(error).splitlines()[0]) from None
    seen = set()
    for number, row in enumerate(rows):
        at = f"{where}: rows.{number}"
        if (row.model, row.category) in seen:
            raise UserError(f"{at}: {shown(row.model)} has {shown(row.category)} twice: leave one")
        seen.add((row.model, row.category))
        if not sum(row.counts):
            raise UserError(f"{at}.counts: nothing was counted: leave the row out")
        if row.items is not None:
            samples = [sum(item) for item in row.items]
            if not np.allclose(np.sum(row.items, axis=0), row.counts, rtol=1e-9, atol=1e-9):
                raise UserError(f"{at}.items: do not add up to counts: mend one of the two")
            if max(samples) > min(samples) or min(samples) < 1:
                raise UserError(f"{at}.items: every item has the same number of samples, from 1")
    return rows


def of_identified(models: Mapping[str, Sequence[Row]], path: Path) -> list[Gap]:
    """Return gaps with intervals. UserError where something was not counted in whole numbers."""
    found = []
    for model, rows in models.items():
        for row in rows:
            if any(count != int(count) for counts in (row.counts, *(row.items or [])) for count in counts):
                raise UserError(
                    f"{in_one_line(path)}: {shown(model)}, {shown(row.category)}: shares do not say how many were "
                    "counted: whole numbers are wanted, or --mode released"
                )
        ordered = sorted(rows, key=lambda row: row.category)  # which stands first changes nothing
        known = identified.posterior([sums_of(row) for row in ordered])
        apart, shares = identified.draws(known, normal_numbers(len(rows), SEED))
        drawn = 100 * formula.gap(apart, shares[..., NEITHER], shares[..., BOTH])
        at = [ordered.index(row) for row in rows]
        for category, values in [
            *((row.category, drawn[:, place]) for row, place in zip(rows, at, strict=True)),
            (None, drawn.mean(axis=1)),
        ]:
            low, value, high = np.quantile(values, (0.025, 0.5, 0.975)).tolist()
            found.append(Gap(model, category, value, low, high))
    return found


def sums_of(row: Row) -> identified.Sums:
    """Return what counts of a row: its items, or each count by itself."""
    if row.items is None:
        return identified.counted(row.counts)
    samples = sum(row.items[0])
    return identified.sums(np.array(row.items, np.float64) / samples, samples)


def of_released(models: Mapping[str, Sequence[Row]]) -> list[Gap]:
    """Return released gaps with their spread; models with as many categories are fitted side by side."""
    by_model: dict[str, list[Gap]] = {}
    alike = sorted(models, key=lambda model: len(models[model]))
    for _, names in groupby(alike, key=lambda model: len(models[model])):
        group = list(names)
        shares = np.array([[np.divide(row.counts, sum(row.counts)) for row in models[model]] for model in group])
        ends = 100 * np.stack(released.spread(shares), axis=-1)  # models, categories, (gap, low, high)
        for model, of_model in zip(group, ends, strict=True):
            categories = [*(row.category for row in models[model]), None]
            values = [*of_model.tolist(), of_model.mean(axis=0).tolist()]
            by_model[model] = [Gap(model, name, *three) for name, three in zip(categories, values, strict=True)]
    return [one for model in models for one in by_model[model]]


def succeeded(row: Row) -> dict[str, Any]:
    """Return what is right, in percent of the samples: on both sides, in text, as a picture, and on neither."""
    both, text, picture, neither = (100 * count / sum(row.counts) for count in row.counts)
    return {"succ": both, "und": both + text, "gen": both + picture, "fail": neither}


def show(found: Sequence[Gap], shares: Shares, mode: str, notes: Sequence[str]) -> None:
    """Print the gaps for a person, in 80 columns."""
    table = Table(title=f"Gap, {mode}", title_justify="left")
    for heading in ("model", "category"):
        table.add_column(heading, overflow="fold")
    for heading in ("Succ", "Und", "Gen", "Fail", "gap", "95 %" if mode == "identified" else "spread"):
        table.add_column(heading, justify="right", no_wrap=True)
    before = None
    for one in found:
        of_row = shares.get((one.model, one.category), {})
        named = escape(one_line(one.model, 40)) if one.model != before else ""
        category = "overall" if one.category is None else escape(one_line(one.category, 40))
        cells = [decimals(of_row[key]) if of_row else "" for key in ("succ", "und", "gen", "fail")]
        table.add_row(
            named, category, *cells, decimals(one.gap), f"{decimals(one.low)}–{decimals(one.high)}",
            end_section=one.category is None,
        )  # fmt: skip
        before = one.model
    Console(soft_wrap=False).print(table)
    print(*map(fitted, notes), sep="\n")
