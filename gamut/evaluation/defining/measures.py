"""What answers are judged for, what is reported (linear, from sums, or resampled), and the tables of papers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.project.validation import Strict


class Scale(NamedTuple):
    """The ends of a measure's scale. The highest is above the lowest."""

    lowest: float
    highest: float


class Place(NamedTuple):
    """An item's stratum, within which it is drawn, and the groups in which its scores count."""

    stratum: str
    groups: Sequence[str]


class Joint(NamedTuple):
    """A measure of one sample in two settings together, such as "right in both". It follows from the measures `of` in
    each.

    Its scores are stored in the last setting. `value`: from the sample's values in both. It is monotonic in each of
    them, so that its least and greatest values are at their ends.
    """

    measure: str
    settings: tuple[str, str]
    of: tuple[str, str]
    value: Callable[[float, float], float]

    @property
    def made_of(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.settings, self.of, strict=True))


class Column(NamedTuple):
    group: str
    setting: str
    measure: str


class Linear(NamedTuple):
    """A weighted sum of column means. `factors`: shape (columns,), 0 for a column that does not count."""

    factors: NDArray[np.float64]


class OfSums(NamedTuple):
    """A value that follows from sums over items and is not a mean of means: a ratio, a correlation, a fitted gap.

    * `terms`: from scores (items, columns), NaN if none was expected, what each item adds to every sum, shape (items,
      k). An item with a NaN among its terms adds nothing.
    * `value`: from sums (..., k) the value (...), NaN if undefined. `ends`: its least and greatest values, if known.
    * `parts`: how many contestants' terms there are next to each other.
    * `slopes`: for a value that scores move as they move a weighted sum: how it moves with each column's mean, shape
      (columns,). People's labels can correct only such values.
    """

    terms: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    value: Callable[[NDArray[np.float64]], NDArray[Any]]
    ends: Scale | None = None
    parts: int = 1
    slopes: NDArray[np.float64] | None = None


class Resampled(NamedTuple):
    """A value whose interval comes from the Bayesian bootstrap (Rubin 1981, "The Bayesian bootstrap").

    Such a value is not a mean of items, and is too skewed for a standard error. It is shown, but it does not rank.

    * `counted`: the columns that it uses, shape (columns,).
    * `value`: from their scores at their lowest, shape (items, counted), NaN if none was expected; NaN if undefined.
    * `draws`: from the same scores, the items' exponential weights (items, draws), equal for all contestants, and a
      generator for other draws: the least and the greatest value in each draw, shape (2, draws). They differ where a
      value that cannot be negative may also be 0.
    * `ends`: its least and greatest values, if known.
    """

    counted: NDArray[np.bool_]
    value: Callable[[NDArray[np.float64]], float]
    draws: Callable[[NDArray[np.float64], NDArray[np.float64], np.random.Generator], NDArray[np.float64]]
    ends: Scale | None = None


Summed = Linear | OfSums
Reportable = Summed | Resampled
ReportedValues = Mapping[str, Reportable]


class Metric(NamedTuple):
    """What is reported of one setting or several: a board for each judge, and the keys `<metric>.<judge>.<name>`.

    Boards have the values `shown`. The first one ranks, highest first, and it falls if answers are missing. The board's
    picture and `gamut compare` add `profile`. Pairs in `correlated` get their correlation over contestants, as
    `<metric>.<judge>.correlation.<one>.<other>`. If `paired`, an item counts in a group only with scores in all of the
    metric's settings with that group, so that a gap is of the same items. If a contestant was not asked in the first
    setting, those in `instead` replace it, in this order. A metric with a fixed judge has one board, with the name
    `by`. People read `title` in place of its name.
    """

    name: str
    settings: tuple[str, ...]
    columns: Sequence[Column]
    reported: ReportedValues
    shown: tuple[str, ...]
    profile: tuple[str, ...] = ()
    correlated: tuple[tuple[str, str], ...] = ()
    paired: bool = False
    instead: tuple[str, ...] = ()
    by: str = ""
    title: str = ""

    @property
    def words(self) -> str:
        return self.title or words_of(self.name).capitalize()

    @property
    def tabled(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.shown, *self.profile)))

    def boards_by(self, judges: Sequence[str]) -> Sequence[str]:
        return [self.by] if self.by else judges

    def settings_counted(self, there: Collection[str]) -> tuple[str, ...] | None:
        """Return the settings in which a contestant counts; None where it lacks one that is wanted."""
        first = next((setting for setting in (self.settings[0], *self.instead) if setting in there), None)
        wanted = (first, *self.settings[1:])
        return tuple(setting for setting in wanted if setting) if all(setting in there for setting in wanted) else None


def words_of(name: str) -> str:
    """Return the name of a metric, setting or value for people: `gain.rule_compliance` as `gain: rule compliance`."""
    return name.replace("_", " ").replace(".", ": ")


def averages(setting: str, groups: Sequence[str], measures: Mapping[str, Scale]) -> Metric:
    """Report one setting's means of means, 0..100: `overall`, each measure and, with several groups, each group and
    `<group>.<measure>`.
    """
    if any(scale.lowest != 0 or scale.highest <= 0 for scale in measures.values()):
        raise ValueError("averages of 0..100 need scales that begin at 0: report other combinations")
    columns = [Column(group, setting, measure) for group in groups for measure in measures]
    hundredths = np.array([100 / measures[column.measure].highest for column in columns])

    def mean_of(group: str | None, measure: str | None) -> Linear:
        counting = np.array([c.group == (group or c.group) and c.measure == (measure or c.measure) for c in columns])
        return Linear(counting * (hundredths / counting.sum()))

    reported = {"overall": mean_of(None, None)} | {measure: mean_of(None, measure) for measure in measures}
    shown = ("overall", *measures)
    if len(groups) == 1:
        return Metric(setting, (setting,), columns, reported, shown)
    reported |= {group: mean_of(group, None) for group in groups}
    reported |= {f"{column.group}.{column.measure}": mean_of(column.group, column.measure) for column in columns}
    return Metric(setting, (setting,), columns, reported, shown, tuple(groups))


def ends_of(metric: Metric, measures: Mapping[str, Scale]) -> dict[str, Scale]:
    """Return the least and greatest possible value of each reported value, if known."""
    scales = [measures[column.measure] for column in metric.columns]
    lowest, highest = (np.array(one) for one in zip(*scales, strict=True))
    found = {}
    for name, one in metric.reported.items():
        if isinstance(one, Linear):
            least = np.minimum(one.factors * lowest, one.factors * highest).sum()
            most = np.maximum(one.factors * lowest, one.factors * highest).sum()
            found[name] = Scale(round(float(least), 6), round(float(most), 6))  # not 99.99999999999999
        elif one.ends is not None:  # from sums or resampled
            found[name] = one.ends
    return found


class TableColumn(NamedTuple):
    """`value`: of `metric`, else of the row's metric; or `released`, a key of released.json with `{judge}` and
    `{contestant}`, which has no interval.
    """

    words: str
    value: str = ""
    metric: str = ""
    released: str = ""


class PaperTable(NamedTuple):
    """`rows`: metrics for which each contestant has a row, with the text after its name. Values are multiplied by
    `factor`, and shown with `places` decimals. `note`: what a reader must know.
    """

    name: str
    title: str
    columns: Sequence[TableColumn]
    rows: Mapping[str, str]
    places: int = 1
    factor: float = 1
    note: str = ""

    def values_of(self, metric: str) -> set[str]:
        """Return which of a metric's values the table shows."""
        own = metric in self.rows
        return {one.value for one in self.columns if one.value and (one.metric == metric or (own and not one.metric))}


class Printed(Strict):
    """The values that a paper prints: rows by table and name, null for a dash. `sources`: texts in the source of an
    edition that is the published one. `items`: how many it has at least. `note`: what was left out.
    """

    sources: list[str]
    items: int = 0
    note: str = ""
    tables: Mapping[str, Mapping[str, list[float | None]]] = MappingProxyType({})
