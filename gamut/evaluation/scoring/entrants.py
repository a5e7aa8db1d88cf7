"""Who can be compared: a contestant of the project as it lies here or at a revision, its scores read once and laid out.

However many others one is compared with, its table of scores is read once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.defining.parameters import VALIDATION, Params
from gamut.evaluation.scoring.scores import (
    SCHEMA,
    Bounds,
    by_metric_and_judge,
    by_setting_and_judge,
    score_bounds,
    too_little_judged,
)
from gamut.evaluation.scoring.specs import Items, read_metric_specs, specs_of
from gamut.project.errors import UserError
from gamut.project.files import read_metrics
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

WORKSPACE = "workspace"
"""What DVC calls the files as they lie here."""


def as_it_lies(path: Path) -> Path:
    return path


class Entrant(NamedTuple):
    """A contestant of the project as it lies here, or at a revision, of whose files `get` returns copies."""

    contestant: str
    revision: str = WORKSPACE
    get: Callable[[Path], Path] = as_it_lies

    def __str__(self) -> str:
        return self.contestant if self.revision == WORKSPACE else f"{self.contestant}@{self.revision}"


class Asked(NamedTuple):
    """What makes scores of one setting and judge comparable; `names`: the strata and measures that they are of."""

    specs: Items
    prompt: frozenset[str]
    names: frozenset[str]


class Laid(NamedTuple):
    """Scores of one metric and judge; `strata`: that of each item; `bounds`: shape (items, columns of the metric)."""

    strata: Mapping[str, str]
    bounds: Bounds
    too_little: str | None


@dataclass(frozen=True)
class Scored:
    """The scores of an entrant in one benchmark. `followed`: by metric the digest of how its values followed from them;
    `failed`: metrics and judges that failed their validation there.
    """

    entrant: Entrant
    asked: Mapping[tuple[str, str], Asked]
    laid: Mapping[tuple[str, str], Laid]
    followed: Mapping[str, str]
    failed: frozenset[tuple[str, str]]


def read_scored(entrant: Entrant, benchmark: AnyBenchmark, params: Params) -> Scored:
    metrics, most = benchmark.metrics_in(params), benchmark.block(params).judge.max_unjudged
    folder = entrant.get(benchmark.scores / entrant.contestant)
    rows = list(read_rows(folder))
    if rows and (lacking := [name for name in SCHEMA.names if name not in rows[0]]):
        raise UserError(
            f"scores of {entrant} are of an earlier layout, without {', '.join(lacking)}: have them scored again "
            "(`dvc repro`)"
        )
    by_name, placed = {metric.name: metric for metric in metrics}, by_metric_and_judge(rows, metrics, benchmark.joint)
    try:
        return Scored(
            entrant,
            {key: asked(own) for key, own in by_setting_and_judge(rows).items()},
            {(name, judge): laid(own, by_name[name], most) for (name, judge), own in placed.items()},
            read_metric_specs(folder),
            failed_validations(entrant, benchmark.metrics_folder(params) / "board.json", placed),
        )
    except UserError as error:
        raise UserError(f"scores of {entrant}: {error}") from None


def failed_validations(entrant: Entrant, board: Path, places: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    try:
        copy = entrant.get(board)
        found = read_metrics(copy) if copy.exists() else {}
    except UserError:  # no board at that revision, or a damaged one
        found = {}
    return frozenset(place for place in places if found.get(f"{'.'.join(place)}.{VALIDATION}.passed") == 0)


def asked(rows: Iterable[Row]) -> Asked:
    """Return what scores of one setting and judge are of; equal texts are kept once, of many entrants too."""
    rows = list(rows)
    specs = {item: {measure: sys.intern(spec) for measure, spec in own.items()} for item, own in specs_of(rows).items()}
    prompt = frozenset(row["item"] for row in rows if row["low"] is not None)
    return Asked(specs, prompt, frozenset(row[name] for row in rows for name in ("stratum", "measure")))


def laid(rows: Sequence[Row], metric: Metric, max_unjudged: float) -> Laid:
    """Return scores of one metric and judge as matrices, of what was put to it: two are compared on common items."""
    rows = [row for row in rows if not row.get("off_task")]
    strata = {row["item"]: row["stratum"] for row in rows}
    return Laid(strata, score_bounds(rows, list(strata), metric), too_little_judged(rows, max_unjudged))
