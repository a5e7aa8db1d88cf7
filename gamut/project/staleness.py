"""Checks with DVC's lock files whether outputs here were built with the present parameters.

`dvc status` also checks code and data, and takes seconds. This is for commands that show numbers at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS, PARAMS, Values, cells, declared_entries, entries_in, extent, file_of
from gamut.project.plain_text import harmless_text, name_first
from gamut.project.revisions import WORKSPACE
from gamut.project.validation import read_yaml

MOST_NAMED = 3
"""The most values that are named; the number of others follows."""
GetCopy = Callable[[Path], Path]


def staleness(
    stages: Sequence[str], at: str = WORKSPACE, get: GetCopy = Path, aside: Collection[str] = ()
) -> str | None:
    """Return in words that stages of one folder, with all cells, did not run with present parameters, and how to fix
    it; None if they did. To copy files of the revision `at`, `get` is called; keys in `aside` do not count.
    """
    try:
        entries = recorded_entries(stages[0], get)
        wanted = [name for name in entries if any(is_of(name, stage) for stage in stages)]
        if not wanted:
            return None
        fix = f"`dvc repro {' '.join(map(pipeline.address, stages))}` builds it again"
        if pipeline.is_hidden(file_of(stages[0])):
            fix = "it is left out of the build, `gamut check` says why"
        if at == WORKSPACE and (other := next(replaced_outputs(entries, wanted), None)):
            return f"not built here: {other} is not what the lock file records: {fix}"
        found = changed_keys(upstream(entries, wanted), values_at(get))
        found = [key for key in found if not any(f"{key}.".startswith(f"{one}.") for one in aside)]
    except UserError as error:
        return harmless_text(str(error))
    if not found:
        return None
    said = f"parameters ({harmless_text(name_first(found, MOST_NAMED))} changed since)"
    return f"not built with these {said}: {fix}" if at == WORKSPACE else f"not built with its own {said}"


def recorded_entries(stage: str, get: GetCopy) -> dict[str, Any]:
    """Return the records of a folder's stages in lock files, by name, without cells that params.yaml lacks."""
    folder, file = stage.partition("@")[0].rpartition(".")[0], file_of(stage)
    declaring, lock = copy_of(file, get), copy_of(file.with_suffix(".lock"), get)
    if not declaring or not lock:
        return {}
    values = values_at(get)
    if folder not in ("", EDITIONS.parent.name) and pipeline.value_at(values[PARAMS], folder) is None:
        return {}
    known, params = entries_in(lock), pipeline.variables(values)
    names = (name + cell for name, entry in declared_entries(declaring).items() for cell, _ in cells(entry, params))
    return {name: known[name] for name in names if name in known}


def values_at(get: GetCopy) -> Values:
    others = [(EDITIONS, copy)] if (copy := copy_of(EDITIONS, get)) else []
    return {path: read_yaml(place) for path, place in ((PARAMS, get(PARAMS)), *others)}


def copy_of(path: Path, get: GetCopy) -> Path | None:
    try:
        copy = get(path)
    except UserError:
        return None
    return copy if copy.is_file() else None


def is_of(name: str, stage: str) -> bool:
    own = stage.partition(".")[2] or stage
    return name == own or name.startswith(f"{own}@")


def upstream(entries: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """Return these entries and those that made their inputs; an input that is part of an output is not followed."""
    makers: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in entries.items():
        for out in entry.get("outs", ()):
            for place in (Path(out["path"]), *Path(out["path"]).parents):
                makers[str(place)].append(name)
    found, queue = set[str](), [*wanted]
    while queue:
        if (name := queue.pop()) not in found:
            found.add(name)
            queue += [maker for read in entries[name].get("deps", ()) for maker in makers[read["path"]]]
    return {name: entry for name, entry in entries.items() if name in found}


def changed_keys(entries: Mapping[str, Any], now: Values) -> list[str]:
    recorded = [(file, values) for entry in entries.values() for file, values in entry.get("params", {}).items()]
    keys = [
        key
        for file, values in recorded
        for name in values
        for key, *_ in changes(values[name], pipeline.value_at(now.get(Path(file)), name), name)
    ]
    made = {out["path"]: out.get("md5") for entry in entries.values() for out in entry.get("outs", ())}
    read = [dep for entry in entries.values() for dep in entry.get("deps", ()) if dep["path"] in made]
    return list(dict.fromkeys([*keys, *(dep["path"] for dep in read if dep.get("md5") != made[dep["path"]])]))


def changes(before: Any, now: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the dotted keys at which two values differ, with both values; null and a missing key are the same."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in {**before, **now}:
            yield from changes(before.get(name), now.get(name), f"{key}.{name}" if key else str(name))
    elif before != now:
        yield key, before, now


def replaced_outputs(entries: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        for out in entries[name].get("outs", ()):
            path = Path(out["path"])
            if path.exists() and "size" in out and extent(path) != (out.get("nfiles"), out["size"]):
                yield out["path"]
