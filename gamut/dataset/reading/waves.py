"""The table of all sources' rows, a wave a source; one whose block, files, world and code are as they were when it was
read before is not read again.

What is noted of a wave lies in the store, untracked; its shards are taken from the table that lies here, if they are
byte for byte those that were noted. Without the notes (`rm -r .store/waves`) all waves are read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import typing
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import PIL
import pyarrow as pa

from gamut.dataset.reading.files import files_left_aside, require_path
from gamut.dataset.reading.hub import verify_commit
from gamut.dataset.reading.rows import SCHEMA, origin, route_of, rows_of
from gamut.dataset.shared.joins import route_file, table_of
from gamut.dataset.shared.source_blocks import (
    FileSource,
    FolderSource,
    GivenSource,
    HubSource,
    ImagineSource,
    Route,
    SandboxSource,
    WithSources,
)
from gamut.dataset.shared.texts import is_latin
from gamut.project.errors import in_one_line
from gamut.project.files import sha256_of, write_json
from gamut.project.inputs import files_below
from gamut.project.pipeline import is_code
from gamut.project.places import project_root, store_root
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, make_id, place
from gamut.tables.reading import manifest
from gamut.tables.writing import TableWriter

WORLD = "datasets/world/sources"
REMARKS: dict[str, Callable[[Row], bool]] = {
    "without image": lambda row: row["image_reason"] is not None,
    "unusable": lambda row: row["status"] != "ok",
    "captions mostly not in Latin letters": lambda row: not is_latin(row["caption"] or ""),
}
"""What is counted of a wave's rows."""
STATUSES = ("ok", "invalid_input")


def mark_of(source: GivenSource | ImagineSource, declared: Mapping[str, Any]) -> str:
    """Digest all that a wave's rows depend on. `declared`: digests of what the stage declares to read."""
    parts = {path: value for path, value in declared.items() if is_code(path)}
    parts |= {"pillow": PIL.__version__, "pyarrow": pa.__version__}
    if isinstance(source, SandboxSource):
        parts[WORLD] = declared.get(WORLD)
    if isinstance(source, FileSource | FolderSource):
        parts[source.path] = digest_of(Path(source.path))
    if isinstance(source, FileSource) and source.columns.image:  # whose cells may be paths of pictures beside it
        parts["beside"] = digest_of(Path(source.path).parent)
    return hashlib.sha256(json.dumps([source.model_dump(), parts], sort_keys=True).encode()).hexdigest()


def digest_of(path: Path) -> str:
    """Digest a file's contents; of a folder's files names, sizes, places on the disk and times, ctime among them."""
    if not path.is_dir():
        return sha256_of(path)
    found = hashlib.sha256()
    for file in files_below(path):
        about = file.stat() if file.exists() else file.lstat()  # whoever reads a link to nothing says so
        times = about.st_mtime_ns, about.st_ctime_ns
        found.update(repr((str(file.relative_to(path)), about.st_size, about.st_ino, *times)).encode())
    return found.hexdigest()


def unchanged_wave(wave: str, mark: str) -> Mapping[str, Any] | None:
    """Return what was noted of a wave under this mark, if its shards lie here unchanged."""
    try:
        noted: Mapping[str, Any] = json.loads(place_of(wave).read_text(encoding="utf-8"))
        paths = [(table_of("source_rows") / shard["name"], shard["sha256"]) for shard in noted["shards"]]
        same = noted["mark"] == mark and all(path.is_file() and sha256_of(path) == sha256 for path, sha256 in paths)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return noted if same else None


def note_wave(wave: str, mark: str, **facts: Any) -> None:
    """Note nothing in a trial or a temporary experiment, which share the project's store."""
    if Path.cwd().resolve() == project_root().resolve():
        write_json(place_of(wave), {"mark": mark, **facts})


def place_of(wave: str) -> Path:
    return store_root() / "waves" / f"{wave}.json"


def write_sources(params: WithSources, declared: Callable[[], Mapping[str, Any]] = dict) -> None:
    """Write the rows of all sources, one wave each; `declared` gives digests of what the stage declares to read. Where
    any of that changed meanwhile, nothing is noted as read: put back, it would pass for what it was before.
    """
    for source in params.sources:  # before hours of reading
        require_source(source)
    before = declared()
    marks = marks_of(params, before)
    with TableWriter(table_of("source_rows"), SCHEMA) as table:
        counts = {source.wave: write_wave(table, source, marks[source.wave]) for source in params.sources}
    routes = {source.wave: route_of(source) for source in params.sources}
    for route in typing.get_args(Route):
        taking = [shard for shard in manifest(table_of("source_rows"))["shards"] if routes[wave_of(shard)] == route]
        write_json(route_file(route), taking)
    if declared() == before and marks_of(params, before) == marks:
        for wave, mark in marks.items():
            shards = [shard for shard in manifest(table_of("source_rows"))["shards"] if wave_of(shard) == wave]
            note_wave(wave, mark, counts=counts[wave], shards=shards)


def marks_of(params: WithSources, declared: Mapping[str, Any]) -> dict[str, str]:
    return {source.wave: mark_of(source, declared) for source in params.sources}


def write_wave(table: TableWriter, source: GivenSource | ImagineSource, mark: str) -> Counter[str]:
    """Write a wave's shards, or keep those that lie here where they are what would be read."""
    counts: Counter[str] = Counter()
    if note := unchanged_wave(source.wave, mark):
        counts.update(note["counts"])
        table.keep(table_of("source_rows"), note["shards"], {name: counts[name] for name in STATUSES if counts[name]})
    else:
        for (shard, _), group in itertools.groupby(rows_of(source), key=lambda row: place(row["id"])):
            rows = list(group)
            table.write(shard, rows)
            counts["rows"] += len(rows)
            counts.update(row["status"] for row in rows)
            counts.update(remark for remark, holds in REMARKS.items() for row in rows if holds(row))
        if not counts["rows"]:
            table.write(place(make_id(source.wave, 0))[0], [])
    print(f"sources: wave {source.wave}: {summary(source, counts)}{', as read before' if note else ''}", flush=True)
    return counts


def wave_of(shard: Row) -> str:
    return str(shard["name"].rpartition("-")[0])


def require_source(source: GivenSource | ImagineSource) -> None:
    if isinstance(source, FileSource | FolderSource):
        require_path(source)
    elif isinstance(source, HubSource):
        verify_commit(source)


def summary(source: GivenSource | ImagineSource, counts: Counter[str]) -> str:
    words = [amount(counts["rows"], "row") + ("" if counts["rows"] else f" ({origin(source)} is empty)")]
    words += [f"{counts[remark]:,} {remark}" for remark in REMARKS if counts[remark]]
    if isinstance(source, FileSource | FolderSource) and (others := files_left_aside(source)):
        some = ", ".join(map(in_one_line, others[:3])) + (", …" if others[3:] else "")
        words.append(f"{amount(len(others), 'other file')} left aside ({some})")
    return ", ".join(words)
