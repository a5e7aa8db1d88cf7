"""The key of a finished shard: one digest of all that decides its bytes.

It is built from what DVC records about a stage, in DVC's own digests. So the keys of the shards behind a dvc.lock are
known, even if only DVC's cache still has their inputs (adoption.py).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import PIL
import pyarrow as pa

from gamut.project.pipeline import PIPELINE, declaration_of, read_values
from gamut.project.stage import files_in
from gamut.tables.columns import wave_of
from gamut.tables.pool import Notes, pool_folder
from gamut.tables.reading import manifest_path

ROUTES = "datasets/routes/"
"""Files that list shards with their digests; only the shard's own entry counts for its key."""
WRITERS = {"pyarrow": pa.__version__, "Pillow": PIL.__version__}
"""Packages that write the bytes; for an adopted shard their versions are assumed to be the same."""
Rows = Mapping[str, str]
"""The digest of the rows of each shard."""


class State(NamedTuple):
    """The inputs of a step's shards, now or when dvc.lock recorded them: parameters, digests of inputs that are read as
    a whole (code too), and by table or route the rows of each shard.
    """

    params: Mapping[str, Any]
    whole: Mapping[str, str | None]
    shards: Mapping[str, Rows]


def keys_of(
    step: Any, state: State, shards: Iterable[str], parameters: Callable[[str], Any] | None, model: Any = None
) -> dict[str, str]:
    """Return the key of each shard. `parameters` returns the parameters that count for a shard, if not all do; `model`
    is the identity of the model that is asked.
    """
    common = digest([step.name, None if parameters else state.params, state.whole, model, WRITERS])
    rows_of = chains(state.shards).get if step.in_order else partial(rows_by_table, state.shards)
    return {shard: digest([common, rows_of(shard), parameters(shard) if parameters else None]) for shard in shards}


def rows_by_table(tables: Mapping[str, Rows], shard: str) -> dict[str, str | None]:
    return {name: rows.get(shard) for name, rows in tables.items()}


def chains(tables: Mapping[str, Rows]) -> dict[str, str]:
    """Return for each shard a digest of the shards of its wave and of all earlier waves."""
    chain, found = "", dict[str, str]()
    _, longest = max((len(rows), [*rows]) for rows in tables.values())
    for _, shards in groupby(longest, key=wave_of):
        of_wave = list(shards)
        chain = digest([chain, *(rows_by_table(tables, shard) for shard in of_wave)])
        found |= dict.fromkeys(of_wave, chain)
    return found


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def state_here(step: Any) -> State | None:
    """Return the state of the files here; None without a pipeline, so that nothing is kept."""
    if not PIPELINE.is_file():
        return None
    declared = declaration_of(step.name, read_values(PIPELINE))
    by_shard = step.tables_by_shard()
    params = {f"{file}: {key}": value for (file, key), value in declared.params.items()}
    whole, shards = dict[str, str | None](), dict[str, Rows]()
    for dep in declared.deps:
        if dep in by_shard:
            shards[dep] = rows_in(manifest_path(Path(dep)).read_bytes())
        elif dep.startswith(ROUTES):
            shards[dep] = rows_in(Path(dep).read_bytes())
        else:
            whole[dep] = dvc_digest(Path(dep))
    return State(params, whole, shards)


def rows_in(content: bytes) -> Rows:
    """Return the digests of each shard's rows from a manifest, or a route's file."""
    found = json.loads(content)
    entries = found["shards"] if isinstance(found, dict) else found
    return {entry["name"].removesuffix(".parquet"): entry["rows_sha256"] for entry in entries}


def dvc_digest(path: Path) -> str | None:
    """Return the digest that DVC would record for a file or folder; of a table, its manifest's, which names all."""
    if (listed := manifest_path(path)).is_file():
        return md5_of(listed)
    if not path.is_dir():
        return md5_of(path) if path.is_file() else None
    entries = [{"md5": md5_of(Path(file)), "relpath": os.path.relpath(file, path)} for file in files_in(path)]
    entries.sort(key=lambda entry: entry["relpath"])
    return hashlib.md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest() + ".dir"


def md5_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def notes_here(
    step: Any, shards: Sequence[str], parameters: Callable[[str], Any] | None = None, model: Any = None
) -> Notes | None:
    if (state := state_here(step)) is None:
        return None
    return Notes(pool_folder(), step.name, keys_of(step, state, shards, parameters, model))
