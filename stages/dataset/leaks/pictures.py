"""The pictures of items as they are compared: their hashes, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from stages.dataset.leaks.items import ItemPicture
from stages.dataset.leaks.picture_hash import WORDS, Hashes, hashes_of
from stages.evaluation.defining.pictures import EditionPictures, pictures_of
from stages.tables.columns import Row
from stages.tables.images import upright_jpeg
from stages.tables.reading import read_rows

SCHEMA = pa.schema(
    [
        pa.field("edition", pa.string()),
        pa.field("item", pa.string()),
        pa.field("name", pa.string()),
        pa.field("hashes", pa.list_(pa.uint64())),
        pa.field("reason", pa.string()),
    ]
)
"""`hashes`: the words of all in a row. `reason`: why a picture has none, null where it has, or shows nothing."""


def stored(pictures: Iterable[ItemPicture]) -> Iterator[tuple[int, bytes]]:
    """Yield the pictures of items that are here and can be decoded, upright JPEGs, each behind its number."""
    for number, one in enumerate(pictures):
        benchmark, _, version = one.edition.partition("/")
        try:
            yield number, upright_jpeg(pictures_of(benchmark, version)[one.sha256].data)
        except (LookupError, ValueError):  # the table of hashes says why
            continue


def hashed(pictures: Sequence[ItemPicture]) -> list[Row]:
    """Return pictures of items with their hashes; one that stands in several places is read once."""
    editions: dict[str, EditionPictures] = {}
    known: dict[str, Row] = {}
    for one in pictures:
        if one.sha256 not in known:
            benchmark, _, version = one.edition.partition("/")
            edition = editions.setdefault(one.edition, pictures_of(benchmark, version))
            known[one.sha256] = hashed_one(edition, one.sha256)
    return [{"edition": one.edition, "item": one.item, "name": one.name, **known[one.sha256]} for one in pictures]


def hashed_one(edition: EditionPictures, sha256: str) -> Row:
    """Return the hashes of one picture, or the reason why it has none."""
    try:
        return {"hashes": hashes_of(edition[sha256].data).T.ravel().tolist(), "reason": None}
    except LookupError as error:
        return {"hashes": [], "reason": str(error.args[0])}
    except ValueError as error:
        return {"hashes": [], "reason": f"the picture {error}"}


def read_hashes(folder: Path) -> tuple[Hashes, list[int]]:
    """Return the hashes of a table of pictures, and the number of the picture of each."""
    numbered = [(number, row["hashes"]) for number, row in enumerate(read_rows(folder, ["hashes"]))]
    hashes = np.array([word for _, words in numbered for word in words], np.uint64).reshape(-1, WORDS).T
    return np.ascontiguousarray(hashes), [number for number, words in numbered for _ in range(len(words) // WORDS)]
