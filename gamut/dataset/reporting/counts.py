"""Counts of one shard, in the form of JSON, and their sums: outcomes of rows, scores, captions, calls; and how new the
prompts are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.pipeline.steps import reason_key
from gamut.tables.columns import ROWS_PER_SLICE, count_values, grouped, wave_of
from gamut.tables.reading import manifest, read_columns, shard_columns

DESCRIPTIONS = (*CHARACTERISTICS, DETAIL, ORIGINAL)
"""Kinds of captions: the six characteristics, the generation chain-of-thought, the source's own caption."""
WORDS_PER_BIN = 10
MOST_WORDS = 500
"""Captions of this many words or more share the last bin of the word counts."""
HIGHEST_SCORE = 10
TOKENS = ("input_tokens", "output_tokens")
USAGE = ("calls", *TOKENS)
BINS = MOST_WORDS // WORDS_PER_BIN + 1


def rows_by_wave(folder: Path) -> Counter[str]:
    """Return how many rows of a table each wave has; waves with empty shards have 0."""
    found: Counter[str] = Counter()
    for shard in manifest(folder)["shards"]:
        found[wave_of(shard["name"].removesuffix(".parquet"))] += shard["rows"]
    return found


def statuses(folder: Path) -> dict[str, int]:
    """Return how many rows of a table have each status: `ok` first, then the most frequent."""
    return most_frequent_first(manifest(folder)["statuses"], "ok")


def most_frequent_first(counts: Mapping[str, int], first: str) -> dict[str, int]:
    """Sort counts by frequency, with one key before all others."""
    return dict(sorted(counts.items(), key=lambda item: (item[0] != first, -item[1], item[0])))


def reasons_in(folder: Path, shard: str) -> dict[str, int]:
    """Return how many rows of a deciding table were kept, and how many left out for each reason."""
    counts = Counter(kept=0)
    for reason, count in count_values(read_columns(folder, shard, ["reason"])["reason"]).items():
        counts["kept" if reason is None else reason_key(reason)] += count
    return counts


def frequencies_in(folder: Path, shard: str, column: str) -> dict[str, int]:
    """Return how often each value of a column occurs; nulls are not counted."""
    return count_values(read_columns(folder, shard, [column])[column].drop_null())


def sum_of(counts: Sequence[Any]) -> Any:
    """Add up numbers, lists of numbers element by element, and mappings name by name."""
    if isinstance(counts[0], Mapping):
        by_name = grouped(item for one in counts for item in one.items())
        return {name: sum_of(values) for name, values in by_name.items()}
    return np.sum(counts, axis=0).tolist()


def usage_in(folder: Path, shard: str) -> dict[str, int]:
    """Count the replies behind a table's rows, and their tokens. A reply that several records of a work slice share
    counts once, because it was asked for once.
    """
    parts = ("fingerprint", *TOKENS)
    table = read_columns(folder, shard, ["id", *(f"replies.list.element.{part}" for part in parts)])
    replies = table["replies"].combine_chunks()
    prompts = pc.replace_substring_regex(table["id"].combine_chunks(), "_.$", "")
    ordinals = pc.utf8_slice_codeunits(prompts, start=-8).cast(pa.int32())
    slices = pc.divide(ordinals, ROWS_PER_SLICE).take(pc.list_parent_indices(replies))
    each = pa.table({"slice": slices} | {part: replies.flatten().field(part) for part in parts})
    once = each.group_by(["slice", "fingerprint"]).aggregate([(part, "min") for part in TOKENS])
    return {"calls": once.num_rows} | {part: pc.sum(once[f"{part}_min"]).as_py() or 0 for part in TOKENS}


def scores_in(folder: Path, shard: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Return how many rows have each score, 0..10, in the columns `score_NAME`."""
    table = read_columns(folder, shard, [f"score_{name}" for name in names])
    columns = {name: table[f"score_{name}"].drop_null().to_numpy() for name in names}
    return {name: np.bincount(found, minlength=HIGHEST_SCORE + 1).tolist() for name, found in columns.items()}


def no_captions() -> dict[str, dict[str, Any]]:
    none = {kind: dict.fromkeys(DESCRIPTIONS, 0) for kind in ("english", "chinese", "words")}
    return none | {"lengths": {name: [0] * BINS for name in DESCRIPTIONS}, "pictures": {}}


def captions_in(release: Path, shard: str) -> dict[str, dict[str, Any]]:
    """Count the flagged captions of a release: English and Chinese ones, words of English ones (split at white space),
    captions by length in bins of WORDS_PER_BIN words, and pictures by their number of captions.
    """
    forms = ("caption_{}", "caption_{}_cn", "bool_caption_{}")
    table = read_columns(release, shard, [form.format(name) for name in DESCRIPTIONS for form in forms])
    found: dict[str, dict[str, Any]] = {"english": {}, "chinese": {}, "words": {}, "lengths": {}}
    present = np.zeros(table.num_rows, np.int64)
    for name in DESCRIPTIONS:
        flag = table[f"bool_caption_{name}"]
        english, chinese = (table[f"caption_{name}{suffix}"].filter(flag) for suffix in ("", "_cn"))
        present += flag.to_numpy()
        found["english"][name] = len(english) - english.null_count
        found["chinese"][name] = len(chinese) - chinese.null_count
        lengths = pc.list_value_length(
            pc.utf8_split_whitespace(pc.utf8_trim_whitespace(english.drop_null()))
        ).to_numpy()
        found["words"][name] = int(lengths.sum())
        bins = np.minimum(lengths, MOST_WORDS) // WORDS_PER_BIN
        found["lengths"][name] = np.bincount(bins, minlength=BINS).tolist()
    return found | {"pictures": {str(number): count for number, count in Counter(present.tolist()).items()}}


NEAR = 0.9
"""The cosine of embeddings from which a prompt is near another one."""


def novelty(waves: Collection[str]) -> dict[str, float]:
    """Return how new the prompts of imagined waves are: for the embedded ones the cosine to the nearest other one, and
    the share of all prompts that repeat another imagined one.
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
    """Return for each vector the cosine to the nearest other one; 0 if there is no other."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -1 if len(vectors) > 1 else 0)
    return np.asarray(cosines.max(axis=1))


def share(part: int, whole: int) -> float:
    """Return a share, rounded to four digits; 0 if the whole is 0."""
    return round(part / whole, 4) if whole else 0.0
