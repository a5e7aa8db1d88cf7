"""The results of one benchmark, from its tables and metric files: all of its pages are made from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import Metric, words_of
from gamut.evaluation.defining.parameters import CONTROL, PANEL, VALIDATION, BenchmarkParameters, Params
from gamut.evaluation.defining.pictures import EditionPictures
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.report.site.texts import address
from gamut.tables.reading import manifest_path

Metrics = Mapping[str, float | str]
ENDS = ("_lo", "_hi", "_n")
"""The ends of keys that belong to a value: its interval, and its number of items."""


class Value(NamedTuple):
    """A reported value of a metric file: its key, its 95 % interval, and its number of items."""

    key: str
    value: float | None
    low: float | None
    high: float | None
    n: float | None


@dataclass(frozen=True)
class Results:
    """The results on one edition. `contestants` are those with answers. A missing metric file counts as empty."""

    benchmark: AnyBenchmark
    params: Params
    items: Sequence[Item]
    pictures: EditionPictures
    metrics: Sequence[Metric]
    contestants: Sequence[str]
    board: Metrics
    contestant_values: Mapping[str, Metrics]
    agreement: Metrics
    corrected: Metrics

    @property
    def name(self) -> str:
        return self.benchmark.name

    @property
    def block(self) -> BenchmarkParameters:
        block: BenchmarkParameters = self.benchmark.block(self.params)
        return block

    @property
    def settings(self) -> Sequence[str]:
        return self.benchmark.settings(self.block)

    @property
    def judges(self) -> Sequence[str]:
        """Return the judges, or panels of observers, that have boards."""
        return self.block.judged_by

    def title_of(self, metric: Metric, judge: str) -> str:
        """Return the title of a board: its metric, and who judged or observed."""
        return f"{metric.words}, {self.block.words_before_judge(metric)} {self.judge_words(judge)}"

    def judge_words(self, judge: str) -> str:
        """Return a judge's name; for observers the panel, and the observer that replaces another in it."""
        if judge in self.block.judges or judge not in self.judges:
            return judge
        return "the panel" if judge == PANEL else f"the panel with {judge}"

    def setting_words(self, setting: str) -> str:
        """Return the title of the metric with only this setting and its name; otherwise the setting's own words."""
        own = (one.words for one in self.metrics if (one.name, one.settings) == (setting, (setting,)))
        return next(own, words_of(setting).capitalize())

    @property
    def rater(self) -> str:
        return "judge" if self.block.judges else "panel"

    @property
    def raters(self) -> Sequence[str]:
        """Return the places of judgments of answers below a contestant's folder, judges first."""
        return self.benchmark.raters(self.block)

    @property
    def tried(self) -> Sequence[str]:
        """Return the places of judgments of controls."""
        places = (place for judge in self.judges for place in self.benchmark.control_places(self.block, judge))
        return list(dict.fromkeys(places))

    @property
    def folder(self) -> Path:
        return self.benchmark.metrics_folder(self.params)


def read_results(benchmark: AnyBenchmark, params: Params) -> Results:
    folder = benchmark.metrics_folder(params)
    contestants = [name for name in benchmark.contestants(params) if manifest_path(benchmark.answers / name).exists()]
    return Results(
        benchmark=benchmark,
        params=params,
        items=benchmark.items(params),
        pictures=benchmark.pictures(params),
        metrics=benchmark.metrics_in(params),
        contestants=contestants,
        board=metrics_of(folder / "board.json"),
        contestant_values={name: metrics_of(benchmark.metrics_of(params, name)) for name in contestants},
        agreement=metrics_of(folder / "agreement.json"),
        corrected=metrics_of(folder / "corrected.json"),
    )


def metrics_of(path: Path) -> Metrics:
    found = read_metric_file(path)
    if any(isinstance(value, dict) for value in found.values()):
        raise UserError(f"{path} has no metrics of a benchmark: delete it and run `dvc repro`")
    return found


def value_at(metrics: Metrics, key: str) -> Value:
    return Value(key, *(as_number(metrics.get(f"{key}{end}")) for end in ("", *ENDS)))


def as_number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def names_on_board(board: Metrics, metric: str, judge: str) -> Iterator[str]:
    """Yield the contestants and controls on a board, in its order."""
    start, end = f"{metric}.{judge}.", ".coverage"
    for key in board:
        if key.startswith(start) and key.endswith(end) and "." not in (name := key[len(start) : -len(end)]):
            yield name


def values_at(metrics: Metrics, start: str) -> list[tuple[str, Value]]:
    """Return the values whose keys begin with `start`, by the rest of the key, in the order of the file."""
    names = [key.removeprefix(start) for key in metrics if key.startswith(start)]
    beside = {f"{name}{end}" for name in names for end in ENDS}
    return [(name, value_at(metrics, f"{start}{name}")) for name in names if name not in beside]


def is_trusted(board: Metrics, metric: str, judge: str) -> bool:
    """Return whether a judge did not fail its validation in a metric; one that failed ranks no contestant."""
    return board.get(f"{metric}.{judge}.{VALIDATION}.passed") != 0


def is_control(name: str) -> bool:
    return name.startswith(CONTROL)


def board_anchor(metric: str, judge: str) -> str:
    return f"board-{address(metric)}-{address(judge)}"
