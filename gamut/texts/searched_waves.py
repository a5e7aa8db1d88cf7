"""The files that the search for near-duplicates keeps of a wave, in which later waves are looked up.

`texts`, their ends (`ends`), and a number from the caller for each (`numbers`). `keys` of the texts that equal no
earlier one, sorted, with their `positions`. Of the same texts `band-000`, with the letters of all, and a file for each
band of signatures, with texts in which words may differ: a hash in the upper half, a position below it, sorted.
`sketches`. Results: `of`, `similarity`, `exact`. Positions count from the first text of the first wave. `note.json` is
written last.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cache, lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.project.files import sha256_of, write_json
from gamut.texts.near_duplicates import ROWS, SEED, WORDS_TO_SPARE, Reading, minhash, without_case_and_space

Integers = NDArray[np.int64]
Packed = NDArray[np.uint64]
"""Numbers of two halves: a hash or a position in the upper half, a position in the lower one."""

HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)
SKETCH = 128
"""Bytes of a text's sketch: one each of the first signature values."""
BATCH = 8192
"""Texts worked on at a time."""
NOTE = "note.json"


class NearDuplicates(NamedTuple):
    """Results by position. For a kept text: `of` -1, `similarity` 0, `exact` False."""

    of: Integers
    """Position of the earlier, kept text that this one duplicates."""
    similarity: NDArray[np.float32]
    """How similar the two are, 0..1."""
    exact: NDArray[np.bool_]
    """Whether they are the same except for case and white space."""

    def reason(self, position: int) -> str | None:
        """Return the reason of a removal in tables: `duplicate` (exact) or `near_duplicate`; None for a kept text."""
        if self.of[position] < 0:
            return None
        return "duplicate" if self.exact[position] else "near_duplicate"


class Wave(NamedTuple):
    """A wave whose texts have the positions from `start` up to `end`."""

    folder: Path
    start: int
    end: int

    def band(self, number: int) -> Packed:
        return np.fromfile(band_path(self.folder, number), np.uint64)

    def sketches(self) -> NDArray[np.uint8]:
        shape, file = (self.end - self.start, SKETCH), self.folder / "sketches"
        return np.memmap(file, np.uint8, "r", shape=shape) if shape[0] else np.empty(shape, np.uint8)

    def numbers(self) -> Integers:
        return np.load(self.folder / "numbers.npy", mmap_mode="r")

    def found(self) -> NearDuplicates:
        return NearDuplicates(*(np.load(self.folder / f"{name}.npy", mmap_mode="r") for name in NearDuplicates._fields))


def band_path(folder: Path, number: int) -> Path:
    return folder / f"band-{number:03d}"


def text_reader(waves: Sequence[Wave]) -> Callable[[int], str]:
    """Return a function that reads a text by its position. Files are not mapped: mapped pages count as memory."""
    starts = [wave.start for wave in waves]
    ends = [np.load(wave.folder / "ends.npy", mmap_mode="r") for wave in waves]

    @lru_cache(maxsize=64)  # open files are few on many systems
    def opened(number: int) -> BinaryIO:
        return (waves[number].folder / "texts").open("rb", buffering=0)

    def text(position: int) -> str:
        number = bisect(starts, position) - 1
        begin, end = map(int, ends[number][position - starts[number] :][:2])
        return os.pread(opened(number).fileno(), end - begin, begin).decode()

    return text


def write_texts(texts: Iterable[tuple[int, str]], earlier: Sequence[Wave], start: int, folder: Path) -> Integers:
    """Write the texts of a wave, and the keys of new ones. Return for each text the position of the first text that is
    equal.
    """
    keys, numbers, ends = bytearray(), array("q"), array("q", [0])
    with (folder / "texts").open("wb") as file:
        for number, text in texts:
            numbers.append(number)
            keys += hashlib.blake2b(without_case_and_space(text).encode(), digest_size=16).digest()
            file.write(text.encode())
            ends.append(file.tell())
    np.save(folder / "numbers.npy", numbers)
    np.save(folder / "ends.npy", ends)
    different, firsts, which = np.unique(np.frombuffer(keys, "S16"), return_index=True, return_inverse=True)
    firsts = firsts.astype(np.int64) + start
    new = np.ones(len(different), np.bool_)
    for wave in earlier:
        theirs = np.load(wave.folder / "keys.npy")
        places = np.minimum(np.searchsorted(theirs, different), len(theirs) - 1)
        equal = theirs[places] == different if len(theirs) else np.zeros(len(different), np.bool_)
        firsts[equal] = np.load(wave.folder / "positions.npy")[places[equal]]
        new &= ~equal
    np.save(folder / "keys.npy", different[new])
    np.save(folder / "positions.npy", firsts[new])
    return firsts[which]


def write_bands(wave: Wave, first: Integers, text: Callable[[int], str], bands: int) -> None:
    """Hash every text of a wave that is the first of its kind."""
    paths = [band_path(wave.folder, number) for number in range(bands + 1)]
    odd = np.random.default_rng(SEED).integers(0, 1 << 63, ROWS, np.uint64) * np.uint64(2) + np.uint64(1)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        sketches = stack.enter_context((wave.folder / "sketches").open("wb"))
        for low in range(wave.start, wave.end, BATCH):
            positions = np.arange(low, min(low + BATCH, wave.end))
            new = positions[first[positions - wave.start] == positions]
            readings = [Reading(text(position)) for position in new.tolist()]
            to_spare = np.array([len(reading.words) >= WORDS_TO_SPARE for reading in readings], np.bool_)
            letters = np.frombuffer(b"".join(reading.letters for reading in readings), np.uint64)
            files[0].write(packed(letters, new).tobytes())
            signatures = [minhash(reading, bands).hashvalues for reading in np.array(readings, object)[to_spare]]
            values = np.array(signatures, np.uint64).reshape(-1, bands * ROWS)
            for file, hashes in zip(files[1:], (values.reshape(-1, bands, ROWS) * odd).sum(axis=2).T, strict=True):
                file.write(packed(hashes, new[to_spare]).tobytes())
            rows = np.zeros((len(positions), SKETCH), np.uint8)
            rows[new[to_spare] - low, : bands * ROWS] = values[:, :SKETCH].astype(np.uint8)
            sketches.write(rows.tobytes())
    for path in paths:
        hashes = np.fromfile(path, np.uint64)
        hashes.sort()
        hashes.tofile(path)


def packed(hashes: Packed, positions: Integers) -> Packed:
    return hashes & ~LOWER | positions.astype(np.uint64)


def note_wave(wave: Wave, found: NearDuplicates, folder: Path) -> Wave:
    """Write what was found of a wave, and move it to where it stays."""
    for name, column in found._asdict().items():
        np.save(wave.folder / f"{name}.npy", column)
    files = {path.name: sha256_of(path) for path in sorted(wave.folder.iterdir())}
    write_json(wave.folder / NOTE, {"texts": wave.end - wave.start, "files": files})
    wave.folder.rename(folder)
    return wave._replace(folder=folder)


def open_wave(folder: Path, earlier: Sequence[Wave]) -> Wave | None:
    """Return a wave that was searched after these; None if it does not exist, or a file was changed."""
    try:
        note = json.loads((folder / NOTE).read_text("utf-8"))
        if any(digest_as_it_is(folder / name) != digest for name, digest in note["files"].items()):
            return None
    except (FileNotFoundError, ValueError):
        return None
    start = end_of(earlier)
    return Wave(folder, start, start + note["texts"])


def digest_as_it_is(path: Path) -> str:
    found = path.stat()
    return _digest(path, found.st_size, found.st_mtime_ns)


@cache
def _digest(path: Path, size: int, time: int) -> str:
    """Hash a file, only once in a process that makes one shard after the other."""
    return sha256_of(path)


def end_of(waves: Sequence[Wave]) -> int:
    return waves[-1].end if waves else 0
