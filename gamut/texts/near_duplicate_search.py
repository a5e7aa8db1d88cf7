"""Near-duplicates among millions of texts, found out of core: one band of MinHash signatures in memory at a time.

A word that most texts around change as well is the slot of a template: what fills it is what is asked for, so texts
that differ there are different texts. No pair of texts shows that, so only the search looks for it.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gamut.texts.near_duplicates import (
    ROWS,
    SEED,
    WORDS_TO_SPARE,
    Reading,
    count_bands,
    jaccard,
    minhash,
    near_duplicate_similarity,
    without_case_and_space,
)

Integers = NDArray[np.int64]

MOST_PARTNERS = 32
"""A text is compared with at most so many texts of a band: the earliest ones with the same hash there. So the work
stays linear in the number of texts, however many are alike; what one band leaves out, others mostly show."""

NEARBY = 0.75
"""Jaccard similarity of words from which on other texts tell whether a word is the slot of a template."""

SKETCH = 128
ALIKE = 0.6
"""Texts are compared only when this share of a sketch agrees: a byte each of the first signature values. It has a
standard deviation of sqrt(J (1 - J) / 128): at J = 0.75 it is lower in 1 of 20,000 pairs, at 0.5 higher in 1 of 80."""

BATCH = 8192
"""Texts worked on at a time."""


class NearDuplicates(NamedTuple):
    """What was found, by position. Where a text is kept: `of` -1, `similarity` 0, `exact` False."""

    of: NDArray[np.int64]
    """Position of the earlier, kept text that this one duplicates."""
    similarity: NDArray[np.float32]
    """How similar the two are, 0..1."""
    exact: NDArray[np.bool_]
    """Whether they are the same but for case and white space."""

    def reason(self, position: int) -> str | None:
        """Return what tables call a removal: `duplicate` (exact) or `near_duplicate`; None where the text is kept."""
        if self.of[position] < 0:
            return None
        return "duplicate" if self.exact[position] else "near_duplicate"


def find_near_duplicates(waves: Iterable[Iterable[str]], least_similarity: float, folder: Path) -> NearDuplicates:
    """Return which texts duplicate an earlier one that is kept, decided in order; positions run on from wave to
    wave, and later waves never change a decision. Texts and bands lie in `folder`, which nobody else uses, while it
    works: some 500 bytes a text. ValueError for a `least_similarity` outside 0.7..1.
    """
    bands = count_bands(least_similarity)
    shutil.rmtree(folder, ignore_errors=True)  # of a killed run
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch, ExitStack() as stack:
        path = Path(scratch, "texts.arrow")
        keys, ends = _spool(waves, path)
        if not len(keys):
            return NearDuplicates(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.bool_))
        file = pa.ipc.open_file(stack.enter_context(pa.memory_map(str(path))))
        columns = [file.get_batch(number).column(0) for number in range(file.num_record_batches)]
        first = _first_equal(keys)
        files = _write_bands(columns, first, bands, path.parent)
        letters, *groups = [_group(band, positions) for band, positions in files]
        sketches = np.memmap(path.parent / "sketches", np.uint8, "r", shape=(len(first), SKETCH))

        @lru_cache(maxsize=BATCH)
        def read(position: int) -> Reading:
            return Reading(columns[position // BATCH][position % BATCH].as_py())

        pairs = (_pairs(letters, groups, sketches, low, low + BATCH) for low in range(0, len(first), BATCH))
        return _with_copies(first, *_decide(pairs, ends, read, least_similarity))


def _spool(waves: Iterable[Iterable[str]], path: Path) -> tuple[NDArray[np.uint64], Integers]:
    """Write all texts to an Arrow file; return their keys, 128 bits each, and the position after each wave."""
    keys = bytearray()
    ends = []

    def texts() -> Iterator[str]:
        for wave in waves:
            if isinstance(wave, str):
                raise TypeError("find_near_duplicates takes waves of texts, not texts")
            for text in wave:
                keys.extend(hashlib.blake2b(without_case_and_space(text).encode(), digest_size=16).digest())
                yield text
            ends.append(len(keys) // 16)

    schema = pa.schema([pa.field("text", pa.string())])
    stream = texts()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        while batch := list(islice(stream, BATCH)):
            writer.write_batch(pa.record_batch([pa.array(batch, pa.string())], schema=schema))
    return np.frombuffer(keys, np.uint64).reshape(-1, 2), np.array(ends, np.int64)


def _first_equal(keys: NDArray[np.uint64]) -> Integers:
    order = np.lexsort((keys[:, 0], keys[:, 1]))  # stable: equal keys stay in order of position
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    first = np.empty(len(keys), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _write_bands(
    columns: Sequence[pa.StringArray], first: Integers, bands: int, folder: Path
) -> list[tuple[Path, Integers]]:
    """Hash every text that is the first of its kind: a file of 64-bit hashes for the letters of all, one for each
    band of those with words to spare, with the positions in it. The file `sketches` has a row for every text.
    """
    paths = [folder / f"band-{number:03d}" for number in range(bands + 1)]
    odd = np.random.default_rng(SEED).integers(0, 1 << 63, ROWS, np.uint64) * np.uint64(2) + np.uint64(1)
    every, long = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        sketches = stack.enter_context((folder / "sketches").open("wb"))
        for number, column in enumerate(columns):
            new = np.flatnonzero(first[number * BATCH :][: len(column)] == number * BATCH + np.arange(len(column)))
            readings = [Reading(text) for text in column.take(pa.array(new)).to_pylist()]
            to_spare = np.array([len(reading.words) >= WORDS_TO_SPARE for reading in readings], np.bool_)
            every.append(number * BATCH + new)
            long.append(number * BATCH + new[to_spare])
            files[0].write(b"".join(reading.letters for reading in readings))
            signatures = [minhash(reading, bands).hashvalues for reading in np.array(readings, object)[to_spare]]
            values = np.array(signatures, np.uint64).reshape(-1, bands * ROWS)
            for file, hashes in zip(files[1:], (values.reshape(-1, bands, ROWS) * odd).sum(axis=2).T, strict=True):
                file.write(hashes.tobytes())
            rows = np.zeros((len(column), SKETCH), np.uint8)
            rows[new[to_spare], : bands * ROWS] = values[:, :SKETCH].astype(np.uint8)
            sketches.write(rows.tobytes())
    return list(zip(paths, [np.concatenate(every), *[np.concatenate(long)] * bands], strict=True))


def _group(path: Path, positions: Integers) -> Integers:
    """Bring texts of equal hash together, mapped into memory: the texts, group by group; then, in order of position,
    each text, where its group begins, and how many of the group it is compared with.
    """
    hashes = np.fromfile(path, np.uint64)
    path.unlink()
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    new = np.ones(len(hashes), np.bool_)
    new[1:] = hashes[1:] != hashes[:-1]
    lengths = np.diff(np.flatnonzero(new), append=len(hashes))
    members = positions[order[np.repeat(lengths > 1, lengths)]]
    lengths = lengths[lengths > 1]
    by_position = np.argsort(members)
    begins = np.repeat(np.cumsum(lengths) - lengths, lengths)[by_position]
    counts = np.repeat(np.minimum(lengths, MOST_PARTNERS), lengths)[by_position]
    grouped = path.with_suffix(".npy")
    np.save(grouped, np.stack([members, members[by_position], begins, counts]))
    return np.load(grouped, mmap_mode="r")


def _pairs(
    letters: Integers, bands: Sequence[Integers], sketches: NDArray[np.uint8], low: int, high: int
) -> tuple[Integers, Integers]:
    """Return texts from `low` up to `high` with those they are to be compared with, in order of both."""
    pairs = _in_group(letters, low, high)
    for band in bands:
        more = _in_group(band, low, high)
        alike = (sketches[more >> 32] == sketches[more & 0xFFFFFFFF]).mean(axis=1)
        pairs = np.union1d(pairs, more[alike >= ALIKE])
    texts, partners = pairs >> 32, pairs & 0xFFFFFFFF
    return texts[texts != partners], partners[texts != partners]


def _in_group(group: Integers, low: int, high: int) -> Integers:
    """Return each text from `low` up to `high` with the earliest of its group: text << 32 | other, in no order."""
    members, texts, begins, counts = group
    block = slice(*np.searchsorted(texts, [low, high]))
    count = counts[block]
    steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(texts[block], count) << 32 | members[np.repeat(begins[block], count) + steps]


def _decide(
    pairs: Iterable[tuple[Integers, Integers]], ends: Integers, read: Callable[[int], Reading], least_similarity: float
) -> tuple[Integers, NDArray[np.float32]]:
    """Decide text by text about the first of each kind: what it duplicates (-1: nothing) and how similar they are."""
    of, similarities = np.full(ends[-1], -1, np.int64), np.zeros(ends[-1], np.float32)
    for texts, all_partners in pairs:
        edges = np.flatnonzero(np.diff(texts, prepend=-1, append=-1))
        for start, stop in pairwise(edges.tolist()):
            position, partners = int(texts[start]), all_partners[start:stop].tolist()
            end = ends[np.searchsorted(ends, position, side="right")]  # later waves have no say
            text, nearby = read(position), None
            for earlier in (partner for partner in partners if partner < position and of[partner] < 0):
                found = near_duplicate_similarity(read(earlier), text, least_similarity)
                if 0 < found < 1:
                    if nearby is None:
                        nearby = _texts_nearby(text, ((read(p), bool(of[p] < 0)) for p in partners if p < end))
                    if _is_slot(read(earlier), text, nearby):
                        continue
                if found:
                    of[position], similarities[position] = earlier, found
                    break
    return of, similarities


def _texts_nearby(text: Reading, partners: Iterable[tuple[Reading, bool]]) -> dict[frozenset[str], bool]:
    """Return the words of a sample of the texts around this one, and whether they are not removed so far."""
    nearby: dict[frozenset[str], bool] = {}
    for partner, own in partners:
        if jaccard(text, partner) >= NEARBY:
            nearby[partner.shingles] = own or nearby.get(partner.shingles, False)
    return dict(islice(nearby.items(), 0, None, len(nearby) // MOST_PARTNERS + 1))


def _is_slot(earlier: Reading, text: Reading, nearby: dict[frozenset[str], bool]) -> bool:
    """Return whether two texts differ in the slot of a template: half of the texts nearby that stay, too, lack what
    the earlier has.
    """
    gone = earlier.shingles - text.shingles
    lacking = [nearby[other] and not gone <= other for other in nearby.keys() - {earlier.shingles, text.shingles}]
    return any(lacking) and 2 * sum(lacking) >= len(lacking)


def _with_copies(first: Integers, of: Integers, similarities: NDArray[np.float32]) -> NearDuplicates:
    """Add the exact copies: each duplicates the first of its kind, or what that one duplicates."""
    copies = np.flatnonzero(first != np.arange(len(first)))
    originals = first[copies]
    exact = np.zeros(len(first), np.bool_)
    exact[copies] = of[originals] < 0
    similarities[copies] = np.where(exact[copies], 1, similarities[originals])
    of[copies] = np.where(exact[copies], originals, of[originals])
    return NearDuplicates(of, similarities, exact)
