"""The table of all sources' rows, one wave per source. A source whose block, files, world and code have not changed
since it was read is not read again: its shards are in the pool of finished shards (gamut/tables/pool.py).
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
from gamut.pipeline.shards import find_notes, is_forced
from gamut.project.errors import in_one_line
from gamut.project.files import sha256_of, write_json
from gamut.project.inputs import files_below
from gamut.project.pipeline import is_code
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, make_id, place
from gamut.tables.pool import Note, Notes, pool_folder
from gamut.tables.writing import TableWriter, begin_table, end_table, new_folder, shards_in

WORLD = "datasets/world/sources"
REMARKS: dict[str, Callable[[Row], bool]] = {
    "without image": lambda row: row["image_reason"] is not None,
    "unusable": lambda row: row["status"] != "ok",
    "captions mostly not in Latin letters": lambda row: not is_latin(row["caption"] or ""),
}
"""What is counted in a wave's rows."""


def mark_of(source: GivenSource | ImagineSource, declared: Mapping[str, Any]) -> str:
    """Digest all that a wave's rows depend on. `declared`: digests of what the stage declares to read."""
    parts = {path: value for path, value in declared.items() if is_code(path)}
    parts |= {"pillow": PIL.__version__, "pyarrow": pa.__version__}
    if isinstance(source, SandboxSource):
        parts[WORLD] = declared.get(WORLD)
    if isinstance(source, FileSource | FolderSource):
        parts[source.path] = digest_of(Path(source.path))
    if isinstance(source, FileSource) and source.columns.image:  # its cells may be paths of pictures next to it
        parts["beside"] = digest_of(Path(source.path).parent)
    return hashlib.sha256(json.dumps([source.model_dump(), parts], sort_keys=True).encode()).hexdigest()


def digest_of(path: Path) -> str:
    """Digest a file's contents; for a folder the names, sizes, inodes and times (ctime too) of its files."""
    if not path.is_dir():
        return sha256_of(path)
    found = hashlib.sha256()
    for file in files_below(path):
        about = file.stat() if file.exists() else file.lstat()  # a broken link is reported when it is read
        times = about.st_mtime_ns, about.st_ctime_ns
        found.update(repr((str(file.relative_to(path)), about.st_size, about.st_ino, *times)).encode())
    return found.hexdigest()


def write_sources(params: WithSources, declared: Callable[[], Mapping[str, Any]] = dict) -> None:
    """Write the rows of all sources, one wave each. `declared` gives digests of what the stage declares to read. If any
    of it changed while a wave was read, the wave is not noted as read: the note would match the old state.
    """
    for source in params.sources:  # before hours of reading
        require_source(source)
    folder, before = table_of("source_rows"), declared()
    notes = Notes(pool_folder(), "sources", {source.wave: mark_of(source, before) for source in params.sources})
    waves = {} if is_forced() else find_notes(notes, notes.keys)
    begin_table(folder, [shard for note in waves.values() for shard in note.files])
    for source in params.sources:
        before_this = source.wave in waves
        if not before_this:
            waves[source.wave] = write_wave(source, new_folder(folder) / source.wave / folder.name)
            if (now := declared()) == before and mark_of(source, now) == notes.keys[source.wave]:
                notes.keep(source.wave, waves[source.wave])
        read_before = ", as read before" if before_this else ""
        note = waves[source.wave]
        print(f"sources: wave {source.wave}: {summary(source, Counter(note.value))}{read_before}", flush=True)
    taken = [(route_of(source), shard) for source in params.sources for shard in waves[source.wave].files]
    end_table(folder, [shard for _, shard in taken])
    for route in typing.get_args(Route):
        write_json(route_file(route), [shard.entry for taking, shard in taken if taking == route])


def write_wave(source: GivenSource | ImagineSource, part: Path) -> Note:
    """Read a wave into a table of its own; the note's value counts its rows and the remarks about them."""
    counts: Counter[str] = Counter()
    with TableWriter(part, SCHEMA) as table:
        for (shard, _), group in itertools.groupby(rows_of(source), key=lambda row: place(row["id"])):
            rows = list(group)
            table.write(shard, rows)
            counts["rows"] += len(rows)
            counts.update(remark for remark, holds in REMARKS.items() for row in rows if holds(row))
        if not counts["rows"]:
            table.write(place(make_id(source.wave, 0))[0], [])
    return Note(shards_in(part), counts)


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
        words.append(f"{amount(len(others), 'other file')} not read ({some})")
    return ", ".join(words)
