"""Finds near-duplicates among millions of texts, out of core and wave by wave: only one band of MinHash signatures of
one wave is in memory at a time. A wave is compared with those before it, so a new wave costs only its own size.

A word that most similar texts also change is the slot of a template. The word in the slot is what the text asks for, so
texts that differ there are different. A pair of texts does not show that, so only this search checks it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from gamut.texts.near_duplicates import Reading, count_bands, jaccard, near_duplicate_similarity
from gamut.texts.searched_waves import (
    BATCH,
    HALF,
    LOWER,
    Integers,
    NearDuplicates,
    Packed,
    Wave,
    end_of,
    note_wave,
    text_reader,
    write_bands,
    write_texts,
)

MOST_PARTNERS = 32
"""A text is compared with at most so many texts of a band, the earliest with the same hash. So the work stays linear in
the number of texts, even if many are alike. Pairs that one band leaves out are mostly found by others."""

NEARBY = 0.75
"""Texts with at least this Jaccard similarity of words tell whether a word is the slot of a template."""

ALIKE = 0.6
"""Texts are compared only when this share of a sketch agrees. It has a standard deviation of sqrt(J (1 - J) / 128): at
J = 0.75 it is lower in 1 of 20,000 pairs, at 0.5 higher in 1 of 80."""


def find_near_duplicates(texts: Iterable[str], least_similarity: float, folder: Path) -> NearDuplicates:
    """Return which texts duplicate an earlier one that is kept, decided in order. Meanwhile, texts and bands are in
    `folder`, which must not be shared: some 500 bytes a text. Raise ValueError for a `least_similarity` outside 0.7..1.
    """
    shutil.rmtree(folder, ignore_errors=True)  # of a killed run
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        return _all_found([search_wave(enumerate(texts), [], least_similarity, Path(scratch, "wave")).found()])


def search_wave(
    texts: Iterable[tuple[int, str]], earlier: Sequence[Wave], least_similarity: float, folder: Path
) -> Wave:
    """Decide about the texts of one wave, each with a number from the caller, which come after the `earlier` waves.
    Then `folder` has all that the search of later waves needs, complete or not at all.
    """
    bands = count_bands(least_similarity)
    temporary = folder.with_name(folder.name + ".new")
    for left in (folder, temporary):  # damaged, of a killed run
        shutil.rmtree(left, ignore_errors=True)
    temporary.mkdir(parents=True)
    start = end_of(earlier)
    first = write_texts(texts, earlier, start, temporary)
    wave = Wave(temporary, start, start + len(first))
    text = text_reader([*earlier, wave])
    write_bands(wave, first, text, bands)
    nothing = NearDuplicates(np.full(len(first), -1), np.zeros(len(first), np.float32), np.zeros(len(first), np.bool_))
    found = _all_found([*(one.found() for one in earlier), nothing])
    with tempfile.TemporaryDirectory(dir=temporary) as pairs:
        _write_pairs(wave, earlier, bands, Path(pairs))
        batches = (np.unique(np.fromfile(path, np.uint64)) for path in sorted(Path(pairs).iterdir()))
        _decide(batches, found, text, least_similarity)
    _add_copies(found, first, start)
    own = NearDuplicates(found.of[start:], found.similarity[start:], found.exact[start:])
    return note_wave(wave, own, folder)


def _all_found(waves: Iterable[NearDuplicates]) -> NearDuplicates:
    of, similarity, exact = zip(*waves, strict=True)
    return NearDuplicates(np.concatenate(of), np.concatenate(similarity), np.concatenate(exact))


def _write_pairs(wave: Wave, earlier: Sequence[Wave], bands: int, folder: Path) -> None:
    """Write the pairs to compare, each text of a wave and its partner, one file for each batch of texts."""
    sketches = [one.sketches() for one in (*earlier, wave)]
    edges = np.arange(wave.start, wave.end + BATCH, BATCH, np.uint64)
    for band in range(bands + 1):
        own = wave.band(band)
        room = np.full(len(own), MOST_PARTNERS)
        found = [np.empty(0, np.uint64)]
        for other, theirs in zip((*earlier, wave), sketches, strict=True):
            for pairs in _in_group(own, other.band(band), room):
                texts, partners = pairs >> HALF, pairs & LOWER
                if band:
                    own_rows, their_rows = (sketches[-1][texts - wave.start], theirs[partners - other.start])
                    pairs = pairs[(own_rows == their_rows).mean(axis=1) >= ALIKE]
                found.append(pairs)
        every = np.concatenate(found)
        every.sort()
        for number, (begin, end) in enumerate(pairwise(np.searchsorted(every, edges << HALF).tolist())):
            with (folder / f"{number:06d}").open("ab") as file:
                file.write(every[begin:end].tobytes())


def _in_group(own: Packed, others: Packed, room: Integers) -> Iterator[Packed]:
    """Yield each text of a band with the earliest others of equal hash, while there is `room` for more."""
    begins = np.searchsorted(others, own & ~LOWER)
    counts = np.minimum(np.searchsorted(others, own | LOWER, side="right") - begins, room)
    room -= counts
    found = np.flatnonzero(counts)
    for low in range(0, len(found), BATCH):
        texts = found[low : low + BATCH]
        count = counts[texts]
        steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        partners = others[np.repeat(begins[texts], count) + steps] & LOWER
        pairs = np.repeat(own[texts] << HALF, count) | partners
        yield pairs[pairs >> HALF != partners]


def _decide(
    all_pairs: Iterable[Packed], decided: NearDuplicates, text_at: Callable[[int], str], least_similarity: float
) -> None:
    """Decide text by text about the first text of each kind of a wave; `decided` has the results of earlier waves."""

    @lru_cache(maxsize=BATCH)
    def read(position: int) -> Reading:
        return Reading(text_at(position))

    of = decided.of
    for pairs in all_pairs:
        texts, all_partners = (pairs >> HALF).astype(np.int64), (pairs & LOWER).astype(np.int64)
        for begin, end in pairwise(np.flatnonzero(np.diff(texts, prepend=-1, append=-1)).tolist()):
            position, partners = int(texts[begin]), all_partners[begin:end].tolist()
            text, nearby = read(position), None
            for earlier in (partner for partner in partners if partner < position and of[partner] < 0):
                found = near_duplicate_similarity(read(earlier), text, least_similarity)
                if 0 < found < 1:
                    if nearby is None:
                        nearby = _texts_nearby(text, ((read(p), bool(of[p] < 0)) for p in partners))
                    if _is_slot(read(earlier), text, nearby):
                        continue
                if found:
                    of[position], decided.similarity[position] = earlier, found
                    break


def _add_copies(found: NearDuplicates, first: Integers, start: int) -> None:
    """Add the exact copies: each duplicates the first text of its kind, or the text that this one duplicates."""
    copies = np.flatnonzero(first != np.arange(start, start + len(first)))
    originals, copies = first[copies], copies + start
    exact = found.of[originals] < 0
    found.exact[copies] = exact
    found.similarity[copies] = np.where(exact, 1, found.similarity[originals])
    found.of[copies] = np.where(exact, originals, found.of[originals])


def _texts_nearby(text: Reading, partners: Iterable[tuple[Reading, bool]]) -> dict[frozenset[str], bool]:
    """Return the words of a sample of similar texts, and whether these are still kept."""
    nearby: dict[frozenset[str], bool] = {}
    for partner, own in partners:
        if jaccard(text, partner) >= NEARBY:
            nearby[partner.shingles] = own or nearby.get(partner.shingles, False)
    return dict(islice(nearby.items(), 0, None, len(nearby) // MOST_PARTNERS + 1))


def _is_slot(earlier: Reading, text: Reading, nearby: dict[frozenset[str], bool]) -> bool:
    """Return whether two texts differ in the slot of a template: at least half of the similar texts are kept and also
    lack words that only the earlier text has.
    """
    gone = earlier.shingles - text.shingles
    lacking = [nearby[other] and not gone <= other for other in nearby.keys() - {earlier.shingles, text.shingles}]
    return any(lacking) and 2 * sum(lacking) >= len(lacking)
