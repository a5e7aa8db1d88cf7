"""Every filter and characteristic that a threshold decides: its score, its threshold, and its question to people. A
digest stands for a row as it is shown, so that no label counts that was given to another picture.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from gamut.dataset import steps
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.reviewed import ABOUT
from gamut.pipeline.asks import Filter
from gamut.project.decisions import digest_of
from gamut.tables.columns import Row, grouped, place, prompt_id
from gamut.tables.reading import shard_rows

FILTERS = tuple(steps.filters())
"""In the order of the build."""
KNOWN_BY = {table_of("synthesize"): ABOUT, table_of("source_rows"): ("source", "source_id", "caption")}
"""Columns that identify a picture, by table. Pictures themselves are not read for this, which would take long."""


class ShownRow(NamedTuple):
    """A row of a filter's pictures, the digest of what is shown (`about`), and the text shown with it, if any."""

    row: Row
    about: str
    text: str | None


def rows_shown(filter_: Filter, ids: Collection[str], columns: Iterable[str] = ()) -> Iterator[ShownRow]:
    """Yield some rows of a filter as they are now, with these columns of their pictures, in order of id."""
    known_by = KNOWN_BY[filter_.pictures]
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        rows, texts = set(of_shard), dict[str, str | None]()
        if filter_.beside == "caption":
            named = shard_rows(table_of("source_rows"), shard, ["id", "caption"], set(map(prompt_id, rows)))
            texts = {row["id"]: row["caption"] for row in named}
        for row in shard_rows(filter_.pictures, shard, ["id", *known_by, *columns], rows):
            text = texts.get(prompt_id(row["id"])) if filter_.beside == "caption" else row.get(filter_.beside)
            shown = [filter_.asks, [row[name] for name in known_by], text]
            yield ShownRow(row, f"p{digest_of(shown)}", text)  # a letter, or a spreadsheet might make it a number


def abouts_now(keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the digests of rows (filter, id) as they are shown now; rows that do not exist are left out."""
    ids = grouped(keys)
    return {
        (filter_.name, shown.row["id"]): shown.about
        for filter_ in FILTERS
        for shown in rows_shown(filter_, ids.get(filter_.name, ()))
    }
