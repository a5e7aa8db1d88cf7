"""How new the imagined prompts are, against each other and against the seed prompts (FLUX-Reason-6M, section 2.2).

Distinct-n is the share of different n-grams among all n-grams (Li et al. 2016, arXiv:1510.03055); similarity is the
Jaccard similarity of two texts' sets of words. Both are exact. Memory holds one shard of prompts, and eight bytes for
every different pair of words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from stages.dataset.reporting.counts import wave_of
from stages.dataset.shared.joins import IMAGINED, PROMPTS, SEEDS
from stages.tables.columns import Row
from stages.tables.reading import read_rows, shard_columns
from stages.texts.near_duplicates import words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TEXTS_AT_ONCE = 500
Numbers = NDArray[np.int64]


def novelty(waves: Collection[str]) -> dict[str, float]:
    """Return figures for the imagined prompts (`waves` are those of imagined sources); without any, that there are
    none.
    """
    seeds = seed_words(row for row in read_rows(SEEDS, ["id", "prompt", "kept"]) if row["kept"])
    vocabulary: dict[str, int] = {}
    pairs = Distinct()
    prompts = singles = 0
    sums, highest = np.zeros(2), np.zeros(2)
    for _, table in shard_columns(IMAGINED, ["caption", "seeds", "status"]):
        usable = table.filter(pc.equal(table["status"], "ok"))
        prompts += usable.num_rows
        for start in range(0, usable.num_rows, TEXTS_AT_ONCE):
            some = usable.slice(start, TEXTS_AT_ONCE)
            texts = [words(text) for text in some["caption"].to_pylist()]
            for text in texts:
                numbers = np.array([vocabulary.setdefault(word, len(vocabulary)) for word in text], np.int64)
                singles += len(numbers)
                pairs.add(numbers[:-1] << 32 | numbers[1:])
            nearest = nearest_seeds(similarities(texts, seeds), positions(some["seeds"], seeds))
            sums += nearest.sum(axis=0)
            highest = np.maximum(highest, nearest.max(axis=0))
    if not prompts:
        return {"prompts": 0}
    means = sums / prompts
    return {
        "prompts": prompts,
        "distinct_1": share(len(vocabulary), singles),
        "distinct_2": share(pairs.count(), pairs.total),
        "similarity_to_shown_seeds_mean": round(float(means[0]), 4),
        "similarity_to_shown_seeds_highest": round(float(highest[0]), 4),
        "similarity_to_all_seeds_mean": round(float(means[1]), 4),
        "similarity_to_all_seeds_highest": round(float(highest[1]), 4),
        "share_repeating_another": share(repeats(waves), prompts),
    }


def share(part: int, whole: int) -> float:
    """Return a share with four digits; 0 of nothing is 0."""
    return round(part / whole, 4) if whole else 0.0


class Distinct:
    """Counts different numbers: those seen, in order, and a buffer that is merged into them when it is full."""

    BUFFER = 1_000_000

    def __init__(self) -> None:
        self.seen: Numbers = np.zeros(0, np.int64)
        self.buffer: list[Numbers] = []
        self.buffered = self.total = 0

    def add(self, numbers: Numbers) -> None:
        self.buffer.append(numbers)
        self.buffered += len(numbers)
        self.total += len(numbers)
        if self.buffered > max(self.BUFFER, len(self.seen)):
            self.count()

    def count(self) -> int:
        self.seen = np.unique(np.concatenate([self.seen, *self.buffer]))
        self.buffer, self.buffered = [], 0
        return len(self.seen)


@dataclass(frozen=True)
class SeedWords:
    """The seed prompts as sets of words: a row of `matrix` for each, a column for each word of `vocabulary`."""

    ids: pa.Array
    vocabulary: dict[str, int]
    sizes: Numbers
    matrix: csr_array


def seed_words(seeds: Iterable[Row]) -> SeedWords:
    """Make the seed prompts ready to be compared with many texts at once."""
    sets = {row["id"]: set(words(row["prompt"])) for row in seeds}
    vocabulary = {word: number for number, word in enumerate(sorted(set().union(*sets.values())))}
    sizes = np.array([len(one) for one in sets.values()], np.int64)
    return SeedWords(pa.array(sets, pa.string()), vocabulary, sizes, incidence(sets.values(), vocabulary))


def incidence(sets: Collection[set[str]], vocabulary: dict[str, int]) -> csr_array:
    """Return a row for each set, with a one in the column of each of its words that stands in the vocabulary."""
    from scipy.sparse import csr_array  # scipy takes longer to import than a stage to start

    known = [sorted(vocabulary[word] for word in one if word in vocabulary) for one in sets]
    starts = np.cumsum([0, *map(len, known)])
    columns = np.array([number for one in known for number in one], np.int64)
    return csr_array((np.ones(len(columns), np.int32), columns, starts), (len(sets), len(vocabulary)))


def similarities(texts: Sequence[Iterable[str]], seeds: SeedWords) -> NDArray[np.float64]:
    """Return the similarity, 0..1, of each text (a row) to each seed prompt (a column)."""
    sets = [set(text) for text in texts]
    common = (incidence(sets, seeds.vocabulary) @ seeds.matrix.T).toarray()
    either = np.array([len(one) for one in sets])[:, None] + seeds.sizes - common
    return common / np.maximum(either, 1)


def positions(shown: pa.ChunkedArray, seeds: SeedWords) -> list[Numbers]:
    """Return the columns of the seed prompts that each text was shown, from lists of their ids."""
    lists = shown.combine_chunks()
    columns = pc.index_in(lists.flatten(), seeds.ids).to_numpy(zero_copy_only=False)
    return np.split(columns.astype(np.int64), np.cumsum(pc.list_value_length(lists).to_numpy())[:-1])


def nearest_seeds(found: NDArray[np.float64], shown: Sequence[Numbers]) -> NDArray[np.float64]:
    """Return each text's highest similarity to the seed prompts that it was shown, and to all."""
    to_shown = [row[columns].max(initial=0.0) for row, columns in zip(found, shown, strict=True)]
    return np.column_stack([to_shown, found.max(axis=1, initial=0.0)])


def repeats(waves: Collection[str]) -> int:
    """Return how many imagined prompts were left out as duplicates or near-duplicates of another imagined one."""
    found = 0
    for shard, table in shard_columns(PROMPTS, ["duplicate_of"]):
        if wave_of(shard) in waves:
            originals = table["duplicate_of"].drop_null().to_pylist()
            found += sum(wave_of(original) in waves for original in originals)
    return found
