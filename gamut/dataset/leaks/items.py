"""The items that nothing in a dataset may be: their texts, their rows, their pictures, and the tables of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from gamut.dataset.leaks.nearest import ItemEmbeddings, embeddings_of
from gamut.evaluation.defining.editions import Item
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import read_rows, read_shard, shard_names
from gamut.texts.look_alikes import without_look_alikes
from gamut.texts.near_duplicates import Index

One = TypeVar("One")
NamedItem = tuple[str, Item]
"""An item, behind the name of its edition, `<benchmark>/<version>`."""
PICTURES = "PICTURES"
"""The wave of items' pictures, numbered as in the table of their hashes."""
PICTURES_SCHEMA = table_schema("id vector:[float32]", *ASKED)
ITEMS = "ITEMS"
"""The wave of items' texts: in capitals, which no wave of a source has."""
ITEMS_SCHEMA = table_schema("id edition item text way vectors:[[float32]]", *ASKED)
"""`way`: of a planted paraphrase of an item's text, in which way it says the same; null of the text itself. `vectors`:
of the whole text, then of its sentences; null where one is lacking."""


class ItemText(NamedTuple):
    """A text of an item that nothing may resemble."""

    edition: str
    item: str
    text: str


class ItemPicture(NamedTuple):
    """A picture of an item: its name there, and which bytes it is."""

    edition: str
    item: str
    name: str
    sha256: str


@dataclass(frozen=True)
class Benchmarks:
    """Items by what in a dataset gives them away: texts as they are, or rows that became items."""

    items: Sequence[NamedItem]
    texts: Sequence[ItemText]
    index: Index
    """Of `texts`, without look-alikes, to look up near-duplicates."""
    rows: Mapping[tuple[str, str], int]
    """By the row's id and the hash of its source."""


def gather_benchmarks(items: Sequence[NamedItem], similarity: float) -> Benchmarks:
    """`similarity` is that of near-duplicates."""
    texts = texts_of(items)
    return Benchmarks(
        items,
        texts,
        Index([without_look_alikes(one.text) for one in texts], similarity),
        {(item.row, item.row_sha256): n for n, (_, item) in enumerate(items) if item.row and item.row_sha256},
    )


def texts_of(items: Iterable[NamedItem]) -> list[ItemText]:
    """Return all texts of items, each once an item, those of one item in a row."""
    return [ItemText(edition, str(item.id), text) for edition, item in items for text in dict.fromkeys(item.held_out)]


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


def embedded_pictures(folder: Path) -> ItemEmbeddings:
    """Return the embeddings of items' pictures, each an item of its own; none where no model gives them."""
    shards = [shard for shard in shard_names(folder) if shard.rpartition("-")[0] == PICTURES]
    rows = [row for shard in shards for row in read_shard(folder, shard, ["id", "vector"]) if row["vector"] is not None]
    numbers = [int(row["id"].rpartition("-")[2]) for row in rows]
    return embeddings_of([row["vector"] for row in rows], numbers, numbers)


def embedded_items(folder: Path) -> tuple[list[Row], ItemEmbeddings]:
    """Return the rows of the table of items' texts by their numbers, and the embeddings of items' own texts."""
    rows = list(read_rows(folder, ["id", "edition", "item", "text", "way", "vectors", "status"]))
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["vectors"] is not None]
    vectors = [rows[number]["vectors"][0] for number in own]
    owners = [(rows[number]["edition"], rows[number]["item"]) for number in own]
    return rows, embeddings_of(vectors, owners, own)
