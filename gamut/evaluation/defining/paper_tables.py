"""Tables as a benchmark's paper has them: which values stand in which columns, and what is printed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gamut.project.validation import Strict


class TableColumn(NamedTuple):
    """`value`: of `metric`, else of the row's; or `released`, a key of released.json with `{judge}` and `{contestant}`,
    which has no interval.
    """

    words: str
    value: str = ""
    metric: str = ""
    released: str = ""


class PaperTable(NamedTuple):
    """`rows`: metrics of which each contestant has a row, with what stands behind its name there. Values are shown
    `factor` times, to so many `places`. `note`: what a reader has to know.
    """

    name: str
    title: str
    columns: Sequence[TableColumn]
    rows: Mapping[str, str]
    places: int = 1
    factor: float = 1
    note: str = ""

    def values_of(self, metric: str) -> set[str]:
        """Return which of a metric's values it shows."""
        own = metric in self.rows
        return {one.value for one in self.columns if one.value and (one.metric == metric or (own and not one.metric))}


class Printed(Strict):
    """What a paper prints: rows by table and name, null where it has a dash. `sources`: what stands in the source of an
    edition that is the published one, `items`: how many it has at least; `note`: what was left out.
    """

    sources: list[str]
    items: int = 0
    note: str = ""
    tables: Mapping[str, Mapping[str, list[float | None]]] = MappingProxyType({})
