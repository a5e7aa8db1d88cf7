"""Finds pictures of the dataset that repeat an earlier one: by hashes of their versions, and by embeddings.

Each picture is in an index with two hashes, mirrored and as it is. All versions of each picture are looked up there, so
that a crop finds its whole and a whole its crop. Versions of earlier waves are looked up among the new wave alone. The
index has BANDS bands, each of BAND_BITS of the hash's bits drawn by chance. Hashes are compared if they agree in a
band. Two of 143 bits that differ in 20 agree in a band with the probability (1 - 20/143)^16 = 0.09, and in one of 40
with 1 - (1 - 0.09)^40 = 0.98. Where they are near, the crop is moved until it fits best. What is found of two pictures
depends on no later picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.dataset.leaks.nearest import DIGITS, Vectors, with_length_1
from gamut.dataset.leaks.pictures import WORDS, Hashes, bits_apart, places
from gamut.dataset.shared.parameters import HASH_BITS, MOST_BITS

BANDS = 40
BAND_BITS = 16
SEED = 1
MOST_PARTNERS = 32
"""A hash is compared with at most so many of a band, the earliest. So many pictures that are alike cost little."""
BATCH = 1 << 16
"""Hashes that are looked up at a time: they stay in the processor's cache."""
Integers = NDArray[np.int64]


class Near(NamedTuple):
    """An earlier picture that is near, by its number: in how many bits its hash differs, the cosine of embeddings."""

    picture: int
    bits: int | None = None
    similarity: float | None = None


def keys_by_band(hashes: Hashes) -> Iterator[Integers]:
    """Yield the keys of hashes in each band: those that agree in its bits have the same key."""
    rng = np.random.default_rng(SEED)
    for _ in range(BANDS):
        bits = np.zeros((1, 64 * WORDS), np.bool_)
        bits[0, rng.choice(HASH_BITS, BAND_BITS, replace=False)] = True
        masks = np.packbits(bits, axis=1).view("<u8").astype(np.uint64).T
        odd = rng.integers(0, 1 << 63, (WORDS, 1), np.uint64) * np.uint64(2) + np.uint64(1)
        yield (((hashes & masks) * odd).sum(axis=0) >> np.uint64(64 - BAND_BITS)).astype(np.int64)


class Block(NamedTuple):
    """Pictures of a shard: their numbers, their outlines, and the hashes of their versions by (word, picture, version),
    first mirrored, then of all `places`.
    """

    numbers: Integers
    outlines: NDArray[np.uint8]
    versions: Hashes


def near_hashes(blocks: Callable[[], Iterable[Block]], bits: int, first: int = 0) -> Iterator[tuple[int, Near]]:
    """Yield later pictures with an earlier one that differs in at most `bits` where it fits best, pair by pair. The
    later one is new: its number is `first` or higher. Blocks come in order, and twice, so that the versions of only one
    are in memory.
    """
    read = [(one.numbers, one.outlines, one.versions[:, :, :2]) for one in blocks()]
    numbers, outlines = (np.concatenate([one[part] for one in read]) for part in (0, 1))
    wholes = np.concatenate([some.reshape(WORDS, -1) for *_, some in read], axis=1)
    old = int(np.searchsorted(numbers, first))
    of_all = Index(wholes)
    of_new = Index(wholes, 2 * old) if old else of_all
    each, start, found = 1 + len(places()), 0, dict[tuple[int, int], tuple[int, int, int]]()
    for _, _, versions in blocks():
        flat, index = versions.reshape(WORDS, -1), of_new if start < old * each else of_all
        for low in range(0, flat.shape[1], BATCH):
            for at, there, apart in index.near(flat[:, low : low + BATCH], start + low, each):
                pair = max(at // each, there // 2), min(at // each, there // 2)
                found[pair] = min((apart, at, there), found.get(pair, (apart, at, there)))
        start += flat.shape[1]
    for (later, earlier), (apart, at, there) in found.items():
        fitted = bits_apart(outlines[at // each], at % each, wholes[:, there : there + 1]) if apart else 0
        if (apart := min(apart, fitted)) <= bits:
            yield int(numbers[later]), Near(int(numbers[earlier]), bits=apart)


class Index:
    """Two hashes of each picture, adjacent; from the place `first` on they are sorted by their keys in each band."""

    def __init__(self, wholes: Hashes, first: int = 0) -> None:
        self.wholes, self.bands = wholes, list[tuple[Integers, Integers]]()
        for keys in keys_by_band(wholes[:, first:]):
            starts = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=1 << BAND_BITS))])
            self.bands.append((first + np.argsort(keys, kind="stable"), starts))

    def near(self, versions: Hashes, start: int, each: int) -> Iterator[tuple[int, int, int]]:
        """Yield versions, numbered from `start`, and hashes of other pictures that a band brings together, by their
        places, and in how many bits they differ. A picture has `each` versions.
        """
        for keys, (order, starts) in zip(keys_by_band(versions), self.bands, strict=True):
            counts = np.minimum(starts[keys + 1] - starts[keys], MOST_PARTNERS)
            here = np.repeat(np.arange(len(keys)), counts)
            steps = np.arange(len(here)) - np.repeat(np.cumsum(counts) - counts, counts)
            there = order[starts[keys][here] + steps]
            apart = np.bitwise_count(versions[:, here] ^ self.wholes[:, there]).sum(axis=0, dtype=np.int64)
            near = (apart <= MOST_BITS) & ((start + here) // each != there // 2)
            pairs = (start + here[near], there[near], apart[near])
            yield from zip(*(column.tolist() for column in pairs), strict=True)


def near_vectors(units: Sequence[tuple[Integers, Vectors]], least: float, first: int = 0) -> Iterator[tuple[int, Near]]:
    """Yield later pictures, from the number `first` on, with an earlier one whose embedding has the cosine `least` or a
    higher one. Units are pictures and their embeddings, in order.
    """
    units = [(numbers, with_length_1(vectors)) for numbers, vectors in units if len(numbers)]
    for place, (later, own) in enumerate(units):
        for earlier, theirs in units[: place + 1] if later[0] >= first else ():
            cosines = np.round(own @ theirs.T, DIGITS)
            near = (cosines >= least) & (later[:, None] > earlier)
            near &= np.cumsum(near, axis=1, dtype=np.int32) <= MOST_PARTNERS
            for one, other in np.argwhere(near).tolist():
                yield int(later[one]), Near(int(earlier[other]), similarity=round(float(cosines[one, other]), DIGITS))


def repeats(found: Iterable[tuple[int, Near]]) -> dict[int, Near]:
    """Return the pictures that leave, each with the first picture near it that stays."""
    pairs, leaving = dict[tuple[int, int], Near](), dict[int, Near]()
    for later, near in found:
        picture, bits, similarity = pairs.get((later, near.picture), near)
        by_bits, by_cosine = (bits if near.bits is None else near.bits), near.similarity
        pairs[later, picture] = Near(picture, by_bits, similarity if by_cosine is None else by_cosine)
    for later, earlier in sorted(pairs):
        if earlier not in leaving:
            leaving.setdefault(later, pairs[later, earlier])
    return leaving
