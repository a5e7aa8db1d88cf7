"""The items that nothing in a dataset may be: their texts, their rows, their pictures, and the tables of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from gamut.dataset.leaks.nearest import NO_VECTORS, ItemEmbeddings, Vectors, embeddings_of
from gamut.evaluation.defining.editions import Item, read_editions
from gamut.tables.columns import ASKED, Row, compute, table_schema
from gamut.tables.reading import read_rows, shard_columns
from gamut.texts.look_alikes import without_look_alikes
from gamut.texts.near_duplicates import Index

One = TypeVar("One")
NamedItem = tuple[str, Item]
"""An item, behind the name of its edition, `<benchmark>/<version>`."""
WORLD = "sandbox"
"""The embedded world's kind of model, and the version of all editions that it makes."""
ITEMS = "ITEMS"
"""The wave of items' texts: in capitals, which no wave of a source has."""
ITEMS_SCHEMA = table_schema("id edition item text row row_sha256 way vectors:[[float32]]", *ASKED)
"""`row`, `row_sha256`: the dataset row that the item was taken from. `way`: of a planted paraphrase of an item's text,
in which way it says the same; null of the text itself. `vectors`: of the whole text, then of its sentences; null where
one is lacking."""


class ItemText(NamedTuple):
    """A text of an item that nothing may resemble."""

    edition: str
    item: str
    text: str
    row: str | None = None
    row_sha256: str | None = None


class ItemPicture(NamedTuple):
    """A picture of an item: its name there, and which bytes it is."""

    edition: str
    item: str
    name: str
    sha256: str


@dataclass(frozen=True)
class Benchmarks:
    """Items by what in a dataset gives them away: texts as they are, or rows that became items."""

    texts: Sequence[ItemText]
    index: Index
    """Of `texts`, without look-alikes, to look up near-duplicates."""
    rows: Mapping[tuple[str, str], ItemText]
    """By the row's id and the hash of its source a text of the item."""


def gather_benchmarks(texts: Sequence[ItemText], similarity: float) -> Benchmarks:
    """`similarity` is that of near-duplicates."""
    return Benchmarks(
        texts,
        Index([without_look_alikes(one.text) for one in texts], similarity),
        {(one.row, one.row_sha256): one for one in reversed(texts) if one.row and one.row_sha256},
    )


def own_texts(rows: Iterable[Row]) -> list[ItemText]:
    """Return items' own texts from the table of all that was embedded."""
    return [ItemText(*(row[name] for name in ItemText._fields)) for row in rows if row["way"] is None]


def items_that_count(painter: str) -> list[NamedItem]:
    """Return the items of all frozen editions, by the kind of who paints: no other painter than the embedded world is
    measured by that one's editions.
    """
    return [one for one in read_editions() if painter == WORLD or not one[0].endswith(f"/{WORLD}")]


def texts_of(items: Iterable[NamedItem]) -> list[ItemText]:
    """Return all texts of items, each once an item, those of one item in a row."""
    return [
        ItemText(edition, str(item.id), text, item.row, item.row_sha256)
        for edition, item in items
        for text in dict.fromkeys(item.held_out)
    ]


def pictures_of(items: Iterable[NamedItem]) -> list[ItemPicture]:
    """Return the pictures of items, those of one item in a row, but for masks, which are outlines alone."""
    return [
        ItemPicture(edition, str(item.id), picture.name, picture.sha256)
        for edition, item in items
        for picture in item.images
        if picture.role != "mask"
    ]


def evenly_spread(things: Sequence[One], most: int) -> list[One]:
    return [things[place * len(things) // most] for place in range(most)] if len(things) > most else [*things]


def embedded_items(folder: Path) -> tuple[list[Row], ItemEmbeddings]:
    """Return the rows of the table of items' texts by their numbers, and the embeddings of items' own texts."""
    rows = list(read_rows(folder, [*ItemText._fields, "id", "way", "status"]))
    vectors = [one for _, columns in shard_columns(folder, ["vectors"]) for one in rows_of_vectors(columns["vectors"])]
    rows = [row | {"vectors": some} for row, some in zip(rows, vectors, strict=True)]
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["vectors"] is not None]
    owners = [(rows[number]["edition"], rows[number]["item"]) for number in own]
    return rows, embeddings_of([rows[number]["vectors"][0] for number in own], owners, own)


def rows_of_vectors(column: pa.ChunkedArray) -> list[Vectors | None]:
    """Return a column of lists of vectors, which are of one length, row by row."""
    counts = compute("list_value_length", column).to_pylist()
    flat = compute("list_flatten", column)
    matrix = compute("list_flatten", flat).to_numpy().reshape(len(flat), -1) if len(flat) else NO_VECTORS
    ends = np.cumsum([count or 0 for count in counts]).tolist()
    return [None if count is None else matrix[end - count : end] for count, end in zip(counts, ends, strict=True)]
