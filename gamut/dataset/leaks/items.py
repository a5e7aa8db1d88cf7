"""The items that must not be in a dataset: their texts, rows and pictures, and the tables of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from gamut.dataset.leaks.nearest import NO_VECTORS, ItemEmbeddings, Vectors, embeddings_of
from gamut.evaluation.defining.editions import Item, read_editions
from gamut.tables.columns import ASKED, Row, compute, prompt_id, table_schema
from gamut.tables.reading import read_rows, shard_columns
from gamut.texts.look_alikes import without_look_alikes
from gamut.texts.near_duplicates import Index

One = TypeVar("One")
NamedItem = tuple[str, Item]
"""The name of an edition, `<benchmark>/<version>`, and one of its items."""
WORLD = "sandbox"
"""The embedded world's kind of model, and the version of all editions that it makes."""
ITEMS = "ITEMS"
"""The wave of items' texts: in capitals, which waves of sources never have."""
ITEMS_SCHEMA = table_schema("id edition item text row row_sha256 way vectors:[[float32]]", *ASKED)
"""`row`, `row_sha256`: the dataset row that the item was taken from. `way`: how a planted paraphrase was made; null for
an item's own text. `vectors`: of the whole text, then of its sentences; null if one is missing."""


class ItemText(NamedTuple):
    """A text of an item that no picture's text may resemble."""

    edition: str
    item: str
    text: str
    row: str | None = None
    row_sha256: str | None = None


class ItemPicture(NamedTuple):
    """A picture of an item: its name in the item, and the sha256 of its bytes."""

    edition: str
    item: str
    name: str
    sha256: str


@dataclass(frozen=True)
class Benchmarks:
    """Items as a dataset may contain them: as texts, or as the rows that became items."""

    texts: Sequence[ItemText]
    index: Index
    """An index of `texts` without look-alikes, to look up near-duplicates."""
    rows: Mapping[tuple[str, str], ItemText]
    """A text of the item, by the id of the row's prompt and the hash of its source."""


def gather_benchmarks(texts: Sequence[ItemText], similarity: float) -> Benchmarks:
    """Gather what pictures are compared with; `similarity` is the one from which texts are near-duplicates."""
    return Benchmarks(
        texts,
        Index([without_look_alikes(one.text) for one in texts], similarity),
        {(prompt_id(one.row), one.row_sha256): one for one in reversed(texts) if one.row and one.row_sha256},
    )


def own_texts(rows: Iterable[Row]) -> list[ItemText]:
    """Return items' own texts from the table of all embedded texts."""
    return [ItemText(*(row[name] for name in ItemText._fields)) for row in rows if row["way"] is None]


def items_that_count(painter: str) -> list[NamedItem]:
    """Return the items of all frozen editions that count for this kind of painter: editions of the embedded world count
    only if the embedded world paints.
    """
    return [one for one in read_editions() if painter == WORLD or not one[0].endswith(f"/{WORLD}")]


def texts_of(items: Iterable[NamedItem]) -> list[ItemText]:
    """Return all texts of items, each once per item; the texts of one item are adjacent."""
    return [
        ItemText(edition, str(item.id), text, item.row, item.row_sha256)
        for edition, item in items
        for text in dict.fromkeys(item.held_out)
    ]


def pictures_of(items: Iterable[NamedItem]) -> list[ItemPicture]:
    """Return the pictures of items, those of one item adjacent. Masks are left out: they are only outlines."""
    return [
        ItemPicture(edition, str(item.id), picture.name, picture.sha256)
        for edition, item in items
        for picture in item.images
        if picture.role != "mask"
    ]


def evenly_spread(things: Sequence[One], most: int) -> list[One]:
    return [things[place * len(things) // most] for place in range(most)] if len(things) > most else [*things]


def embedded_items(folder: Path) -> tuple[list[Row], ItemEmbeddings]:
    """Return the rows of the table of items' texts by number, and the embeddings of items' own texts."""
    rows = list(read_rows(folder, [*ItemText._fields, "id", "way", "status"]))
    vectors = [one for _, columns in shard_columns(folder, ["vectors"]) for one in rows_of_vectors(columns["vectors"])]
    rows = [row | {"vectors": some} for row, some in zip(rows, vectors, strict=True)]
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["vectors"] is not None]
    owners = [(rows[number]["edition"], rows[number]["item"]) for number in own]
    return rows, embeddings_of([rows[number]["vectors"][0] for number in own], owners, own)


def rows_of_vectors(column: pa.ChunkedArray) -> list[Vectors | None]:
    """Return a column of lists of vectors, all of one length, row by row."""
    counts = compute("list_value_length", column).to_pylist()
    flat = compute("list_flatten", column)
    matrix = compute("list_flatten", flat).to_numpy().reshape(len(flat), -1) if len(flat) else NO_VECTORS
    ends = np.cumsum([count or 0 for count in counts]).tolist()
    return [None if count is None else matrix[end - count : end] for count, end in zip(counts, ends, strict=True)]
