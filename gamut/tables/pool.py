"""The pool of finished shards: a stage's output for a shard, kept under a key of all of its inputs.

    <store>/shards/<first two digits>/<sha256>.parquet
    <store>/shards/notes/<step>/<shard>/<key>.json

A table's files are hard links to those of the pool, and are never written into. A note keeps size, time and inode of
each file: a file that is as noted is used, another is hashed first. All is written by rename, so trees that share a
store may work at the same time.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from gamut.project.files import sha256_of, write_json
from gamut.project.pipeline import cache_folder
from gamut.project.places import store_root
from gamut.tables.columns import Row

UNLINKABLE = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)
"""Errors when a file gets no second name: on another file system, or on one without links."""
VALUES = ".values"
"""Suffix of a step's name for notes of values of its shards."""
ASK_AGAIN = "ask_again"
"""A file next to a shard's notes: its failed rows are asked again, so no earlier output of it is used."""


class FinishedShard(NamedTuple):
    """A file of a table: the table, its path, its entry in the manifest, and the statuses of its rows."""

    table: str
    path: Path
    entry: Row
    statuses: Mapping[str, int]


class Note(NamedTuple):
    """The record of a shard: the files that were made of it, and a `value` (JSON)."""

    files: Sequence[FinishedShard]
    value: Any = None


class Notes(NamedTuple):
    """The places of a step's notes and files, and the key of each of its shards."""

    pool: Path
    step: str
    keys: Mapping[str, str]

    def place(self, shard: str) -> Path:
        return self.pool / "notes" / self.step / shard / f"{self.keys[shard]}.json"

    def find(self, shard: str) -> Note | None:
        """Return the note of a shard; None if there is none, or if a file is neither as noted nor of its digest."""
        place = self.place(shard)
        try:
            found = json.loads(place.read_bytes())
        except FileNotFoundError:
            return None
        files = [FinishedShard(of, file_in(self.pool, entry), entry, said) for of, entry, said, _ in found["files"]]
        touched = [one for one, (*_, noted) in zip(files, found["files"], strict=True) if about(one.path) != noted]
        if not all(self.is_whole(one.path, one.entry) for one in touched):
            place.unlink(missing_ok=True)
            return None
        note = Note(files, found["value"])
        if touched:
            self.write(shard, note)
        return note

    def is_whole(self, path: Path, entry: Row) -> bool:
        """Hash a file and return whether it is undamaged. A damaged one is also removed from DVC's cache, where it may
        have a second name: DVC trusts its read-only files, and would restore the damaged one.
        """
        if not path.exists():
            return False
        if sha256_of(path) == entry["sha256"]:
            return True
        print(f"{self.step}: {path} has changed since {entry['name']} was made: it is made again", flush=True)
        for cached in cache_folder().glob("files/md5/??/*") if Path(".dvc").is_dir() else ():
            if cached.samefile(path):
                cached.unlink()
                break
        path.unlink(missing_ok=True)
        return False

    def keep(self, shard: str, note: Note) -> None:
        """Put a shard's files into the pool, unless equal files are there, and note them."""
        for _, path, entry, _ in note.files:
            place = file_in(self.pool, entry)
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists() or sha256_of(place) != entry["sha256"]:
                link(path, place)
        self.write(shard, note)
        (self.place(shard).parent / ASK_AGAIN).unlink(missing_ok=True)

    def write(self, shard: str, note: Note) -> None:
        files = [[of, entry, statuses, about(file_in(self.pool, entry))] for of, _, entry, statuses in note.files]
        write_json(self.place(shard), {"files": files, "value": note.value})


def pool_folder() -> Path:
    return store_root().absolute() / "shards"


def file_in(pool: Path, entry: Row) -> Path:
    return pool / entry["sha256"][:2] / f"{entry['sha256']}.parquet"


def about(path: Path) -> list[int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ino]


def link(source: Path, target: Path) -> None:
    """Give a file a second name, replacing a file of this name; copy it if links are impossible."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        try:
            os.link(source, beside)
        except OSError as error:
            if error.errno not in UNLINKABLE:
                raise
            shutil.copy2(source, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def ask_again(step: str, shards: Iterable[str]) -> None:
    """Forget the notes of shards, and use nothing that DVC has of them before they are made again."""
    for shard in shards:
        folder = pool_folder() / "notes" / step / shard
        folder.mkdir(parents=True, exist_ok=True)
        for note in folder.glob("*.json"):
            note.unlink()
        (folder / ASK_AGAIN).touch()


def prune(steps: Collection[str], used: Set[str]) -> Iterator[str]:
    """Remove notes of these steps that name a file which is not `used`, then files that no note names; of notes of
    values the newest stays. Yield a line if any were removed.
    """
    pool, named = pool_folder(), set(used)
    for folder in pool.glob("notes/*/*"):
        places = sorted(folder.glob("*.json"), key=lambda place: place.stat().st_mtime_ns)
        for place in places:
            files = {entry["sha256"] for _, entry, *_ in json.loads(place.read_bytes())["files"]}
            outdated = files - used if files else place != places[-1]
            if folder.parent.name.removesuffix(VALUES) in steps and outdated:
                place.unlink()
            else:
                named |= files
    unused = [path for path in pool.glob("??/*.parquet") if path.stem not in named]
    freed = sum(path.stat().st_size for path in unused if path.stat().st_nlink == 1)
    for path in unused:
        path.unlink()
    if unused:
        yield f"finished shards: {len(unused):,} that no table here has dropped, {freed / 1e6:,.1f} MB freed"
