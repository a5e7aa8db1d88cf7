"""`gamut gap`: how far text and pictures lie apart, of a contestant of the project or in counts that anybody has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple, NoReturn
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stages.command.terminal import fitted, say_stale
from stages.evaluation.defining.editions import not_blank
from stages.evaluation.scoring.statistics.inference import LEVEL
from stages.evaluation.scoring.statistics.resampled import Draws, in_interval, quantiles
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.fitting import bootstrap, released
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.views import BOTH_SIDES
from stages.gapeval.standings import (
    DELTA,
    FAIL,
    GAP,
    GEN,
    OVERALL,
    PLACES,
    SUCC,
    UND,
    Values,
    across_at,
    cells_of,
)
from stages.project.errors import UserError, in_one_line, nearest
from stages.project.inputs import regular, repeated_keys
from stages.project.parameters import load
from stages.project.plain_text import amount, decimals, one_line
from stages.project.validation import Strict, shown, validated

Floats = NDArray[np.float64]
LARGEST = 5_000_000
"""Bytes of a file."""
SEED, DRAWS = 0, 10_000
MEANING = {
    "identified": "gap: of a model by itself, with its 95 % interval, which begins at 0 where the model is not told "
    "apart from one without a gap. Δθ: by how many logits text lies above pictures. A gap says how unlike two sides "
    "are, not how good: read it beside Succ.",
    "released": "gap: of the released fit, with the least and the most over precision, 1,000 to 20,000 steps, and "
    "starts shifted by .000001: no ranking should rest on it.",
}
NO_ITEMS = (
    "no items are named: each count is an observation of its own there. Samples of one item are alike; where "
    "there are several of each, the interval is too narrow."
)
IN_PART = "overall: there is none, since not all categories have scores."
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


class Tally(NamedTuple):
    """What a model got right in a category: `cells`, how much of it on both sides, in text alone, as a picture alone,
    on neither, shape (4,); and the shares of each item, shape (items, 4), where they are known.
    """

    model: str
    category: str
    cells: Floats
    items: Floats | None

    @property
    def worth(self) -> float:
        """Return of how many observations an item is."""
        return 1.0 if self.items is None else bootstrap.likeness(self.items)


class Gap(NamedTuple):
    """A gap with its interval or spread, 0..100, of a category; of the model where `category` is None. `delta_theta`
    with its ends is not released. Ends are None where a judge left too much unjudged.
    """

    model: str
    category: str | None
    gap: float
    low: float | None
    high: float | None
    delta_theta: tuple[float, float | None, float | None] | None = None


def gap(of: str, mode: str, as_json: bool) -> None:
    """Print the gaps of a contestant, or of the models of a file, by category and overall; UserError for a file that
    cannot be taken, and where there is neither.
    """
    path = Path(of)
    in_file = path.is_file() or bool(path.suffix)
    found, shares, remarks = of_file(path, mode) if in_file else of_contestant(of, mode)
    notes = [MEANING[mode], *remarks]
    if as_json:
        gaps = [plain(one) | shares.get((one.model, one.category), {}) for one in found]
        print(json.dumps({"mode": mode, "gaps": gaps, "notes": notes}, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(found, shares, mode, notes)


def of_file(path: Path, mode: str) -> tuple[list[Gap], Shares, list[str]]:
    """Return the gaps of the models of a file, what is right, and what a reader has to know of them."""
    tallies = tallies_in(path, mode)
    models = {model: [*own] for model, own in groupby(sorted_by_model(tallies), key=lambda one: one.model)}
    found = of_released(models) if mode == "released" else [*of_identified(models)]
    unlike = len({frozenset(one.category for one in of_model) for of_model in models.values()}) > 1
    without = sum(one.items is None for one in tallies) if mode == "identified" else 0
    remarks = [*([UNLIKE] if unlike else []), *([f"{amount(without, 'row')}: {NO_ITEMS}"] if without else [])]
    return found, {(one.model, one.category): succeeded(one.cells) for one in tallies}, remarks


def of_contestant(contestant: str, mode: str) -> tuple[list[Gap], Shares, list[str]]:
    """Return the same of a contestant of the project, by each judge."""
    by_judge = values_by_judge(contestant)
    found = reported(by_judge) if mode == "identified" else of_released(tallies_of(by_judge))
    shares = {key: one for model, values in by_judge.items() for key, one in shares_of(model, values).items()}
    in_part = not all((model, None) in shares for model in by_judge)
    # of a part of the categories the released fit has a mean too, which is none of all
    return [one for one in found if (one.model, one.category) in shares], shares, [IN_PART] if in_part else []


def sorted_by_model(tallies: Sequence[Tally]) -> list[Tally]:
    """Return tallies model by model, in the order in which each comes first."""
    order = [*dict.fromkeys(one.model for one in tallies)]
    return sorted(tallies, key=lambda one: order.index(one.model))


def plain(one: Gap) -> dict[str, Any]:
    """Return a gap for a machine."""
    found = one._asdict()
    ends = found.pop("delta_theta")
    named = zip(("delta_theta", "delta_theta_low", "delta_theta_high"), ends or (), strict=False)
    return found | dict(named)


def values_by_judge(contestant: str) -> dict[str, Values]:
    """Return what a contestant of the project has across both sides, as its metrics have it, by a name with its judge.

    UserError where it has no metrics, or answered on one side alone.
    """
    params = load(GAPEVAL.params)
    folder = GAPEVAL.metrics(params)
    known = [name for name in params.contestants if (folder / f"{name}.json").is_file()]
    if contestant not in known:
        raise UserError(
            f"{in_one_line(Path(contestant))}: no such file, and no contestant with scores{nearest(contestant, known)}"
        )
    stage = f"{GAPEVAL.name}.score@{contestant}"
    say_stale(contestant, [stage])
    try:
        metrics = json.loads((folder / f"{contestant}.json").read_text("utf-8"))
    except ValueError:
        raise UserError(
            f"{folder}/{contestant}.json: is no JSON: remove it, and `dvc repro` the stage {stage}"
        ) from None
    judges = dict.fromkeys(key.split(".")[1] for key in metrics if key.startswith(f"{BOTH_SIDES}."))
    found: dict[str, Values] = {}
    for judge in judges:
        values = [across_at(metrics, f"{BOTH_SIDES}.{judge}.", place) for place in PLACES]
        whole = [of_place for of_place in values if None not in of_place.values()]
        there = {key: one for of_place in whole for key, one in of_place.items() if one is not None}
        if there:
            found[f"{contestant}, judged by {judge}"] = there
    if not found:
        raise UserError(f"{contestant}: answers on one side alone, and so has no gap")
    return found


def reported(by_judge: Mapping[str, Values]) -> list[Gap]:
    """Return gaps as a contestant's metrics have them."""
    return [
        Gap(model, category_of(place), *values[place, GAP][:3], values[place, DELTA][:3])
        for model, values in by_judge.items()
        for place in PLACES
        if (place, GAP) in values
    ]


def tallies_of(by_judge: Mapping[str, Values]) -> dict[str, list[Tally]]:
    """Return what a contestant got right in each category, without its items."""
    found = {
        model: [
            Tally(model, category, cells, None)
            for category in CATEGORIES
            if (cells := cells_of(values, category)) is not None
        ]
        for model, values in by_judge.items()
    }
    return {model: own for model, own in found.items() if own}


def shares_of(model: str, values: Values) -> Shares:
    """Return what a contestant got right in each category, and over all of them."""
    return {
        (model, category_of(place)): {score: values[place, score].value for score in (SUCC, UND, GEN, FAIL)}
        for place in PLACES
        if (place, SUCC) in values
    }


def category_of(place: str) -> str | None:
    """Return a category, None for all of them."""
    return None if place == OVERALL else place


def tallies_in(path: Path, mode: str) -> list[Tally]:
    """Return what the models of a file got right; UserError where `mode` wants whole numbers, and it has others."""
    rows = read(path)
    for row in rows if mode == "identified" else ():
        if any(count != int(count) for counts in (row.counts, *(row.items or [])) for count in counts):
            raise UserError(
                f"{in_one_line(path)}: {shown(row.model)}, {shown(row.category)}: shares do not say how many were "
                "counted: whole numbers are wanted, or --mode released"
            )
    items = [None if row.items is None else np.array(row.items, np.float64) / sum(row.items[0]) for row in rows]
    return [
        Tally(row.model, row.category, np.array(row.counts, np.float64) if own is None else own.sum(axis=0), own)
        for row, own in zip(rows, items, strict=True)
    ]


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


def of_identified(models: Mapping[str, Sequence[Tally]]) -> Iterator[Gap]:
    """Yield gaps with intervals, each model and category by itself."""
    for model, tallies in models.items():
        drawn = [draws_of(one) for one in tallies]
        parts = [([one], [own]) for one, own in zip(tallies, drawn, strict=True)]
        for category, (own, draws) in zip(
            [*(one.category for one in tallies), None], [*parts, (tallies, drawn)], strict=True
        ):
            least, most = 100 * bootstrap.gap_draws(draws)
            gaps = in_interval(
                Draws(100 * fmean(bootstrap.gap_of(one.cells, one.worth) for one in own), least, most), LEVEL
            )
            apart = np.mean([bootstrap.delta_theta(one) for one in draws], axis=0)
            deltas = in_interval(
                Draws(fmean(bootstrap.delta_theta_of(one.cells, one.worth) for one in own), apart, apart), LEVEL
            )
            delta_theta = deltas.value, *quantiles(deltas, LEVEL)
            yield Gap(model, category, gaps.value, *quantiles(gaps, LEVEL), delta_theta)


def draws_of(one: Tally) -> Floats:
    """Return the drawn cells of a category, shape (DRAWS, 4): the same whoever else is there, and in whatever order."""
    chance = np.random.default_rng([SEED, crc32(one.category.encode())])
    if one.items is None:
        return bootstrap.draws_of_counts(one.cells, DRAWS, chance)
    rows = one.items[np.lexsort(one.items.T)]
    return bootstrap.draws(rows, chance.standard_exponential((len(rows), DRAWS)), chance)


def of_released(models: Mapping[str, Sequence[Tally]]) -> list[Gap]:
    """Return released gaps with their spread; models with as many categories are fitted side by side."""
    by_model: dict[str, list[Gap]] = {}
    alike = sorted(models, key=lambda model: len(models[model]))
    for _, names in groupby(alike, key=lambda model: len(models[model])):
        group = list(names)
        shares = np.array([[one.cells / one.cells.sum() for one in models[model]] for model in group])
        ends = 100 * np.stack(released.spread(shares), axis=-1)  # models, categories, (gap, low, high)
        for model, of_model in zip(group, ends, strict=True):
            categories = [*(one.category for one in models[model]), None]
            values = [*of_model.tolist(), of_model.mean(axis=0).tolist()]
            by_model[model] = [Gap(model, name, *three) for name, three in zip(categories, values, strict=True)]
    return [one for model in models for one in by_model[model]]


def succeeded(cells: Floats) -> dict[str, float]:
    """Return what is right, in percent of the samples: on both sides, in text, as a picture, and on neither."""
    both, text, picture, neither = (100 * cells / cells.sum()).tolist()
    return {"succ": both, "und": both + text, "gen": both + picture, "fail": neither}


def show(found: Iterable[Gap], shares: Shares, mode: str, notes: Sequence[str]) -> None:
    """Print the gaps for a person, a table a model."""
    identified, console = mode == "identified", Console(soft_wrap=False)
    headings = ("Succ", "Und", "Gen", "Fail", "gap", "95 %" if identified else "spread")
    for model, own in groupby(found, key=lambda one: one.model):
        title = f"{escape(one_line(model, 60))}: gap, {mode}"
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        table.add_column("", overflow="fold")
        for heading in (*headings, *(("Δθ", "95 %") if identified else ())):
            table.add_column(heading, justify="right", no_wrap=True)
        for one in own:
            of_row = shares.get((one.model, one.category), {})
            category = "overall" if one.category is None else escape(one_line(one.category, 40).replace("_", " "))
            cells = [decimals(of_row[key]) if of_row else "" for key in ("succ", "und", "gen", "fail")]
            cells += [decimals(one.gap), ends_in_words(one.low, one.high, decimals, "–")]
            if one.delta_theta is not None:
                value, low, high = one.delta_theta
                cells += [signed(value), ends_in_words(low, high, signed, " to ")]
            table.add_row(category, *cells)
        console.print(table)
    print(*map(fitted, notes), sep="\n")


def signed(value: float) -> str:
    """Return a number of logits with its sign, which a 0 has not."""
    return f"{value:+.1f}" if round(value, 1) else "0.0"


def ends_in_words(low: float | None, high: float | None, number: Callable[[float], str], between: str) -> str:
    """Return an interval; nothing where there is none."""
    return "" if low is None or high is None else f"{number(low)}{between}{number(high)}"
