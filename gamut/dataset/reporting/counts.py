"""Counting over tables, one shard in memory at a time: fates of rows, scores, captions, calls, how new prompts are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.pipeline.steps import reason_key
from gamut.tables.columns import ROWS_PER_SLICE
from gamut.tables.reading import manifest, shard_columns

DESCRIPTIONS = (*CHARACTERISTICS, DETAIL, ORIGINAL)
"""What a caption can be about: the six characteristics, the generation chain-of-thought, the source's own words."""
WORDS_PER_BIN = 10
MOST_WORDS = 500
"""Captions of this many words or more share the last bin of the word counts."""
HIGHEST_SCORE = 10


def wave_of(shard: str) -> str:
    return shard.rpartition("-")[0]


def rows_by_wave(folder: Path) -> Counter[str]:
    """Return how many rows of a table each wave has, also when it has none."""
    found: Counter[str] = Counter()
    for shard in manifest(folder)["shards"]:
        found[wave_of(shard["name"].removesuffix(".parquet"))] += shard["rows"]
    return found


def values_by_wave(folder: Path, column: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for shard, table in shard_columns(folder, [column]):
        found[wave_of(shard)] += table.num_rows - table[column].null_count
    return found


def statuses(folder: Path) -> dict[str, int]:
    """Return how many rows of a table with statuses have each: `ok`, then the most frequent first."""
    return most_frequent_first(manifest(folder)["statuses"], "ok")


def most_frequent_first(counts: Mapping[str, int], first: str) -> dict[str, int]:
    """One key comes before all others."""
    return dict(sorted(counts.items(), key=lambda item: (item[0] != first, -item[1], item[0])))


def reasons_by_wave(folder: Path) -> dict[str, Counter[str]]:
    """Return how many rows of a deciding table were kept, and how many left out for each reason, wave by wave."""
    found: dict[str, Counter[str]] = {}
    for shard, table in shard_columns(folder, ["reason"]):
        counts = found.setdefault(wave_of(shard), Counter())
        counts["kept"] += table["reason"].null_count
        for entry in table["reason"].drop_null().value_counts().to_pylist():
            counts[reason_key(entry["values"])] += entry["counts"]
    return found


def sum_of_waves(by_wave: Mapping[str, Counter[str]]) -> dict[str, int]:
    """Return the same for all waves together: `kept`, also when it is 0, then the most frequent reasons first."""
    total = sum(by_wave.values(), Counter[str]())
    return most_frequent_first({"kept": 0} | total, "kept")


def frequencies(folder: Path, column: str) -> dict[str, int]:
    """Return the values in order; nulls are not counted."""
    found: Counter[str] = Counter()
    for _, table in shard_columns(folder, [column]):
        for entry in table[column].drop_null().value_counts().to_pylist():
            found[entry["values"]] += entry["counts"]
    return dict(sorted(found.items()))


@dataclass
class Usage:
    """What a table's replies took: calls and tokens."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def usage(folder: Path) -> Usage:
    """Count the replies behind a table's rows; one that several records of a work slice share was asked for once."""
    parts = ("fingerprint", "input_tokens", "output_tokens")
    total = Usage()
    for _, table in shard_columns(folder, ["id", *(f"replies.list.element.{part}" for part in parts)]):
        replies = table["replies"].combine_chunks()
        ordinals = pc.utf8_slice_codeunits(table["id"].combine_chunks(), start=-8).cast(pa.int32())
        slices = pc.divide(ordinals, ROWS_PER_SLICE).take(pc.list_parent_indices(replies))
        each = pa.table({"slice": slices} | {part: replies.flatten().field(part) for part in parts})
        once = each.group_by(["slice", "fingerprint"]).aggregate([(part, "min") for part in parts[1:]])
        total.calls += once.num_rows
        total.input_tokens += pc.sum(once["input_tokens_min"]).as_py() or 0
        total.output_tokens += pc.sum(once["output_tokens_min"]).as_py() or 0
    return total


def scores(folder: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return how many rows have each score, 0..10, in the columns `score_NAME`."""
    found = {name: np.zeros(HIGHEST_SCORE + 1, np.int64) for name in names}
    for _, table in shard_columns(folder, [f"score_{name}" for name in names]):
        for name in names:
            values = table[f"score_{name}"].drop_null().to_numpy()
            found[name] += np.bincount(values, minlength=HIGHEST_SCORE + 1)
    return found


@dataclass
class Captions:
    """The captions of a release that are flagged: of each description, how many a picture has; the words of English
    ones, and how many captions have so many in bins of WORDS_PER_BIN.
    """

    english: Counter[str] = field(default_factory=Counter)
    chinese: Counter[str] = field(default_factory=Counter)
    pictures: Counter[int] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    lengths: dict[str, np.ndarray] = field(
        default_factory=lambda: {name: np.zeros(MOST_WORDS // WORDS_PER_BIN + 1, np.int64) for name in DESCRIPTIONS}
    )


def captions(release: Path) -> Captions:
    """Count the captions of a release; words are what white space separates."""
    found = Captions()
    forms = ("caption_{}", "caption_{}_cn", "bool_caption_{}")
    columns = [form.format(name) for name in DESCRIPTIONS for form in forms]
    for _, table in shard_columns(release, columns):
        present = np.zeros(table.num_rows, np.int64)
        for name in DESCRIPTIONS:
            flag = table[f"bool_caption_{name}"]
            english, chinese = (table[f"caption_{name}{suffix}"].filter(flag) for suffix in ("", "_cn"))
            present += flag.to_numpy()
            found.english[name] += len(english) - english.null_count
            found.chinese[name] += len(chinese) - chinese.null_count
            lengths = pc.list_value_length(
                pc.utf8_split_whitespace(pc.utf8_trim_whitespace(english.drop_null()))
            ).to_numpy()
            found.words[name] += int(lengths.sum())
            bins = np.minimum(lengths, MOST_WORDS) // WORDS_PER_BIN
            found.lengths[name] += np.bincount(bins, minlength=MOST_WORDS // WORDS_PER_BIN + 1)
        found.pictures.update(present.tolist())
    return found


NEAR = 0.9
"""The cosine of embeddings from which a prompt is near another one."""


def novelty(waves: Collection[str]) -> dict[str, float]:
    """Return how new the prompts of imagined waves are: of the embedded ones the cosine to the nearest other one; and
    how many of all repeat another imagined one.
    """
    prompts = statuses(table_of("imagine")).get("ok", 0)
    if not prompts:
        return {"prompts": 0}
    repeats = 0
    for shard, table in shard_columns(table_of("prompts"), ["duplicate_of"]):
        if wave_of(shard) in waves:
            repeats += sum(wave_of(original) in waves for original in table["duplicate_of"].drop_null().to_pylist())
    tables = [table for _, table in shard_columns(table_of("embed_prompts"), ["vector"])]
    vectors = [vector for table in tables for vector in table["vector"].drop_null().to_pylist()]
    nearest = nearest_others(np.array(vectors or [[0.0]]))
    return {
        "prompts": prompts,
        "embedded": len(vectors),
        "nearest_median": round(float(np.median(nearest)), 3),
        "nearest_90th_percentile": round(float(np.quantile(nearest, 0.9)), 3),
        "share_near_another": share(int((nearest > NEAR).sum()), len(nearest)),
        "share_repeating_another": share(repeats, prompts),
    }


def nearest_others(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return of each vector the cosine to the nearest other one; 0 where there is none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -1 if len(vectors) > 1 else 0)
    return np.asarray(cosines.max(axis=1))


def share(part: int, whole: int) -> float:
    """Round to four digits; 0 of nothing is 0."""
    return round(part / whole, 4) if whole else 0.0
