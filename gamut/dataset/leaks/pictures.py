"""Perceptual hashes of pictures: nearly equal however a picture was encoded or scaled.

Pictures of items also have hashes of their cropped and mirrored versions. So have pictures of the dataset if
`same_pictures` compares them. A hash says for each of the lowest frequencies (DCT) of a small grey picture whether it
is above their median (Zauner 2010, section 3.2.1). 143 frequencies are used, because with 63 different pictures of the
same layout look equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gamut.dataset.leaks.items import ItemPicture
from gamut.dataset.shared.joins import pictures as painted_pictures
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import HASH_BITS
from gamut.evaluation.defining.pictures import EditionPictures, pictures_of
from gamut.pipeline.shards import ByShard
from gamut.project.inputs import regular_file
from gamut.tables.columns import Row, table_schema
from gamut.tables.images import causes_in_words, decode_upright, open_carefully, upright_jpeg
from gamut.tables.reading import cut_into_slices, read_rows, shard_names
from gamut.tables.writing import TableWriter

Hashes = NDArray[np.uint64]
"""Hashes of HASH_BITS bits, filled up with zeros, shape (WORDS, hashes)."""
SIDE = 128
"""Pixels of each side of the picture that is transformed."""
LOWEST = 12
"""How many frequencies in each direction are kept; HASH_BITS is the square of this, less one for the brightness."""
WORDS = -(-HASH_BITS // 64)
KEPT = (1.0, 0.95, 0.9, 0.85, 0.8)
"""How much of a side a crop keeps."""
CUT = (0.95, 0.9, 0.85, 0.8, 0.75)
"""How much of a side crops keep where pictures of the dataset are compared with each other."""
STEP = 0.05
"""How far apart crops of one size begin."""
OUTLINE = 32
"""Pixels of each side of the picture in which crops are moved until they fit."""
MOVES = np.array([*product((-1, 0, 1), repeat=2)])
"""How both ends of a crop are moved, in steps."""
MIRRORED = np.where(np.arange(LOWEST) % 2, -1, 1)
"""Mirroring changes the sign of odd waves."""
BLANK = 2.0
"""A picture whose grey levels (0..255) have a smaller standard deviation shows nothing: all such pictures are alike."""
SCHEMA = table_schema("edition item name sha256 hashes:[uint64] reason")
"""`hashes`: the words of all hashes in a row. `reason`: why a picture has none; null if it has, or is blank."""


COMPARES = Path("datasets/compares.json")
"""Says whether items have pictures: all that the hashes of painted pictures depend on."""


class Likeness(NamedTuple):
    """The number of an item's picture that is like another picture, and in how many bits their hashes differ."""

    picture: int
    distance: int


def hash_of(data: bytes) -> Hashes | None:
    """Return a hash, shape (WORDS, 1); None for a blank picture. ValueError if the data are not a picture."""
    small = grey_pixels(data)
    return None if small.std() < BLANK else whole_hash(small)


def whole_hash(small: NDArray[np.float32]) -> Hashes:
    waves = cosines(0.0, SIDE)
    return bits_of((waves @ small @ waves.T)[None])


def hashes_of(data: bytes) -> Hashes:
    """Return the hashes of a picture as it is, cropped and mirrored, each once; none for a blank picture."""
    small = grey_pixels(data)
    if small.std() < BLANK:
        return np.zeros((WORDS, 0), np.uint64)
    waves = np.stack([cosines(*span) for kept in KEPT for span in spans(kept)])
    crops = np.stack([down @ across.T for down, across in product(waves @ small, waves)])
    return np.unique(np.concatenate([bits_of(crops), bits_of(crops * MIRRORED)], axis=1), axis=1)


def spans(kept: float) -> list[tuple[float, float]]:
    """Return where crops of this share of a side begin and end, in pixels."""
    starts = np.arange(0, 1 - kept + STEP / 2, STEP).tolist()
    return [(SIDE * start, SIDE * (start + kept)) for start in starts]


@cache
def places() -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the crops whose hashes are versions of a picture, the whole one first: rows and columns of pixels. A crop
    keeps the same share of both sides, or all of one side.
    """
    whole = (0.0, float(SIDE))
    of_one = [pair for kept in CUT for span in spans(kept) for pair in ((span, whole), (whole, span))]
    return [(whole, whole), *of_one, *(pair for kept in CUT for pair in product(spans(kept), spans(kept)))]


def versions_of(small: NDArray[np.float32]) -> Hashes:
    """Return the hashes of a grey picture, first mirrored, then of its `places`."""
    down, across = (np.stack([cosines(*span) for span in some]) for some in zip(*places(), strict=True))
    crops = (down @ small) @ across.transpose(0, 2, 1)
    return np.concatenate([bits_of(crops[:1] * MIRRORED), bits_of(crops)], axis=1)


def bits_apart(outline: NDArray[np.uint8], version: int, hash_: Hashes) -> int:
    """Return in how many bits a hash, shape (WORDS, 1), differs from that of the best crop near a version's place."""
    small = (outline if version else outline[:, ::-1]).astype(np.float32)
    edges, best = np.array(places()[max(version - 1, 0)]) / SIDE, HASH_BITS
    for step in (STEP / 2, STEP / 4, STEP / 8):
        tried = np.clip(edges[:, None] + step * MOVES, 0, 1) * OUTLINE
        down, across = (waves_between(some[:, :1, None], some[:, 1:, None], OUTLINE) for some in tried)
        crops = (down @ small)[:, None] @ across.transpose(0, 2, 1)
        apart = distances(hash_, bits_of(crops.reshape(-1, LOWEST, LOWEST)))
        if apart.min() < best:
            best, (row, column) = int(apart.min()), divmod(int(apart.argmin()), len(MOVES))
            edges = np.stack([tried[0, row], tried[1, column]]) / OUTLINE
    return best


def grey_pixels(data: bytes) -> NDArray[np.float32]:
    """Return a picture in grey, upright, resized to a square; a large JPEG is decoded at a fraction of its size."""
    with causes_in_words():
        opened, _ = open_carefully(data)
        opened.draft("L", (SIDE, SIDE))
        small = decode_upright(opened).convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, np.float32)


@cache
def cosines(start: float, end: float) -> NDArray[np.float32]:
    """Return the lowest waves of a DCT-II from `start` to `end`, fractions of pixels allowed: shape (LOWEST, SIDE)."""
    return waves_between(start, end, SIDE)


def waves_between(start: Any, end: Any, side: int) -> NDArray[np.float32]:
    pixels = np.arange(side)
    inside = np.clip(np.minimum(pixels + 1, end) - np.maximum(pixels, start), 0, 1)
    waves = np.cos(np.pi * np.arange(LOWEST)[:, None] * (pixels + 0.5 - start) / (end - start)) * inside
    waves[..., 0, :] /= np.sqrt(2)
    return np.asarray(waves, np.float32)


def bits_of(waves: NDArray[np.floating]) -> Hashes:
    """Return for each frequency except the brightness whether it is above their median."""
    values = waves.reshape(len(waves), -1)[:, 1:]
    bits = np.zeros((len(waves), 64 * WORDS), np.bool_)
    bits[:, :HASH_BITS] = values > np.median(values, axis=1, keepdims=True)
    return np.ascontiguousarray(np.packbits(bits, axis=1).view("<u8").astype(np.uint64).T)


def distances(hash_: Hashes, others: Hashes) -> NDArray[np.uint8]:
    """Return in how many bits one hash, shape (WORDS, 1), differs from each of the others."""
    apart = np.zeros(others.shape[1], np.uint8)
    for word, of_others in zip(hash_, others, strict=True):
        apart += np.bitwise_count(of_others ^ word)
    return apart


def most_alike(hash_: Hashes | None, others: Hashes, owners: Sequence[int]) -> Likeness | None:
    """Return the picture with the hash that differs least; `owners`: the picture of each hash."""
    if hash_ is None or not others.size:
        return None
    apart = distances(hash_, others)
    place = int(apart.argmin())
    return Likeness(owners[place], int(apart[place]))


def upright_pictures(pictures: Iterable[ItemPicture]) -> Iterator[tuple[int, bytes]]:
    """Yield the pictures of items that exist here and can be decoded, as upright JPEGs, each with its number."""
    for number, one in enumerate(pictures):
        benchmark, _, version = one.edition.partition("/")
        try:
            yield number, upright_jpeg(pictures_of(benchmark, version)[one.sha256].data)
        except (LookupError, ValueError):  # the table of hashes says why
            continue


def hash_pictures(pictures: Sequence[ItemPicture]) -> list[Row]:
    """Return pictures of items with their hashes; a picture that occurs several times is read once."""
    editions: dict[str, EditionPictures] = {}
    known: dict[str, Row] = {}
    for picture in pictures:
        if picture.sha256 not in known:
            benchmark, _, version = picture.edition.partition("/")
            edition = editions.setdefault(picture.edition, pictures_of(benchmark, version))
            try:
                hashes = hashes_of(edition[picture.sha256].data).T.ravel().tolist()
                known[picture.sha256] = {"hashes": hashes, "reason": None}
            except (LookupError, ValueError) as error:
                why = str(error.args[0]) if isinstance(error, LookupError) else f"the picture {error}"
                known[picture.sha256] = {"hashes": [], "reason": why}
    return [picture._asdict() | known[picture.sha256] for picture in pictures]


def hashes_by_shard(params: Any) -> ByShard:
    """Hash all pictures if items have pictures to compare them with, and their versions if they are compared with each
    other.
    """
    compares = json.loads(regular_file(COMPARES).read_bytes())["pictures"]
    versions = params.same_pictures.bits is not None

    def make(shard: str) -> Iterator[list[list[Row]]]:
        for _, _, rows in cut_into_slices(shard, painted_pictures(shard) if compares or versions else ()):
            found = [(row["id"], *hashes_in(row["image"]["bytes"], versions)) for row in rows]
            hashed = [{"id": row_id, "hash": own, "reason": reason} for row_id, own, _, reason in found]
            yield [hashed, [{"id": row_id, **of} for row_id, _, of, _ in found if of]]

    return ByShard(shard_names(table_of("synthesize")), make, lambda _: versions)


def hashes_in(data: bytes, versions: bool) -> tuple[list[int] | None, Row, str | None]:
    """Return the hash of a picture, columns about its versions if these are wanted, and the reason why it has none."""
    try:
        small = grey_pixels(data)
    except ValueError as error:
        return None, {}, f"the picture {error}"
    if small.std() < BLANK:
        return None, {}, None
    of = {"versions": versions_of(small).T.ravel(), "outline": outline_of(small).ravel()} if versions else {}
    return whole_hash(small)[:, 0].tolist(), of, None


def outline_of(small: NDArray[np.float32]) -> NDArray[np.uint8]:
    each = SIDE // OUTLINE
    return small.reshape(OUTLINE, each, OUTLINE, each).mean((1, 3)).round().astype(np.uint8)


def read_hashes(folder: Path) -> tuple[Hashes, list[int]]:
    """Return all hashes, and the number of the picture of each."""
    numbered = [(number, row["hashes"]) for number, row in enumerate(read_rows(folder, ["hashes"]))]
    hashes = np.array([word for _, words in numbered for word in words], np.uint64).reshape(-1, WORDS).T
    return np.ascontiguousarray(hashes), [number for number, words in numbered for _ in range(len(words) // WORDS)]


def write_hashes(folder: Path, pictures: list[Row]) -> None:
    with TableWriter(folder, SCHEMA) as table:
        table.write("pictures", pictures)
    if lacking := [picture for picture in pictures if picture["reason"]]:
        first = lacking[0]
        print(
            f"{folder.name}: {len(lacking):,} of {len(pictures):,} pictures of items are not compared; the first "
            f"is {first['name']} of {first['edition']} {first['item']}: {first['reason']}"
        )
