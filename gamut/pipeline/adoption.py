"""Takes over finished shards that DVC has and the pool lacks: of a clone that only pulled, or `dvc commit --force`.

dvc.lock records the parameters, code and data from which a stage's tables were made, and DVC's cache holds the tables.
So the keys of that run are known, and if they are the keys of now, its shards go into the pool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gamut.pipeline.keys import ROUTES, State, keys_of, rows_in
from gamut.project.pipeline import PARAMS, PIPELINE, cache_folder, entries_in
from gamut.tables.columns import Row
from gamut.tables.pool import ASK_AGAIN, FinishedShard, Note, Notes
from gamut.tables.reading import MANIFEST, statuses_in

Parameters = Callable[[str], Any] | None


def adopt(step: Any, wanted: Notes, parameters_of: Callable[[Any], Parameters], model: Any) -> None:
    """Note shards that dvc.lock records, if they would get the same keys now. `parameters_of` returns, from values of
    that run, what counts for a shard. Shards that are not in DVC's cache are not noted.
    """
    lock = PIPELINE.with_suffix(".lock")
    entry = entries_in(lock).get(step.name) if lock.is_file() else None
    if entry is None:
        return
    try:
        state = recorded_state(step, entry)
        outs = {Path(out["path"]).name: out["md5"] for out in entry["outs"]}
        tables = {table: files_by_shard(listing(outs[table])) for table in step.tables}
        parameters = parameters_of(values_in(entry.get("params", {}).get(str(PARAMS), {})))
        recorded = keys_of(step, state, set.intersection(*map(set, tables.values())), parameters, model)
        for shard in [shard for shard, key in recorded.items() if wanted.keys.get(shard) == key]:
            place = wanted.place(shard)
            if place.exists() or (place.parent / ASK_AGAIN).exists():
                continue
            files = [(table, *of_table[shard]) for table, of_table in tables.items()]
            if all(wanted.is_whole(path, entry) for _, path, entry in files):
                wanted.keep(shard, Note([FinishedShard(*one, statuses_in(one[1])) for one in files]))
    except (FileNotFoundError, LookupError, ValueError):
        return  # not pulled, or from a version with other parameters or tables


def files_by_shard(of_table: Mapping[str, str]) -> dict[str, tuple[Path, Row]]:
    """Return for each shard its file in DVC's cache, and its entry in the manifest."""
    entries = json.loads(cached(of_table[MANIFEST]).read_bytes())["shards"]
    return {Path(entry["name"]).stem: (cached(of_table[entry["name"]]), entry) for entry in entries}


def recorded_state(step: Any, entry: Any) -> State:
    by_shard, whole, shards = step.tables_by_shard(), dict[str, str | None](), dict[str, Mapping[str, str]]()
    for dep in entry["deps"]:
        path, md5 = dep["path"], dep["md5"]
        if path in by_shard:
            shards[path] = rows_in(cached(listing(md5)[MANIFEST]).read_bytes())
        elif path.startswith(ROUTES):
            shards[path] = rows_in(cached(md5).read_bytes())
        else:
            whole[path] = listing(md5).get(MANIFEST, md5) if cached(md5).is_file() and md5.endswith(".dir") else md5
    return State(
        {f"{file}: {key}": value for file, values in entry.get("params", {}).items() for key, value in values.items()},
        whole,
        shards,
    )


def listing(md5: str) -> dict[str, str]:
    """Return the digests of a folder's files by name, from DVC's cache."""
    return {file["relpath"]: file["md5"] for file in json.loads(cached(md5).read_bytes())}


def cached(md5: str) -> Path:
    return cache_folder() / "files" / "md5" / md5[:2] / md5[2:]


def values_in(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by dotted keys as blocks."""
    found: dict[str, Any] = {}
    for key, value in recorded.items():
        *blocks, last = key.split(".")
        block = found
        for name in blocks:
            block = block.setdefault(name, {})
        block[last] = value
    return found
