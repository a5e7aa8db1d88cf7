"""Waves that were read before: one whose block, files, world and code are as they were is not read again.

What is noted of a wave lies in the store, untracked; its shards are taken from the table that lies here, if they are
byte for byte those that were noted. Without the notes (`rm -r .store/waves`) all waves are read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import PIL
import pyarrow as pa

from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.source_blocks import FileSource, FolderSource, GivenSource, ImagineSource, SandboxSource
from gamut.project.files import sha256_of, write_json
from gamut.project.inputs import files_below
from gamut.project.pipeline import is_code
from gamut.project.places import project_root, store_root

WORLD = "datasets/world/sources"


def mark_of(source: GivenSource | ImagineSource, declared: Mapping[str, Any]) -> str:
    """Return a digest of all that a wave's rows depend on. `declared`: digests of what the stage declares to read."""
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
    """Return a digest of a file's contents, or of a folder's files, also behind links, each with its name, size, place
    on the disk and times of change, among them the one that nobody can set back.
    """
    if not path.is_dir():
        return sha256_of(path)
    found = hashlib.sha256()
    for file in files_below(path):
        about = file.stat() if file.exists() else file.lstat()  # whoever reads a link to nothing says so
        times = about.st_mtime_ns, about.st_ctime_ns
        found.update(repr((str(file.relative_to(path)), about.st_size, about.st_ino, *times)).encode())
    return found.hexdigest()


def unchanged_wave(wave: str, mark: str) -> Mapping[str, Any] | None:
    """Return what was noted of a wave (`note_wave`) if that was under this mark and its shards lie here unchanged."""
    try:
        noted: Mapping[str, Any] = json.loads(place_of(wave).read_text(encoding="utf-8"))
        paths = [(table_of("source_rows") / shard["name"], shard["sha256"]) for shard in noted["shards"]]
        same = noted["mark"] == mark and all(path.is_file() and sha256_of(path) == sha256 for path, sha256 in paths)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return noted if same else None


def note_wave(wave: str, mark: str, **found: Any) -> None:
    """Note what was found of a wave, its `shards` among it; nothing in a trial or a temporary experiment, which shares
    the project's store.
    """
    if Path.cwd().resolve() == project_root().resolve():
        write_json(place_of(wave), {"mark": mark, **found})


def place_of(wave: str) -> Path:
    return store_root() / "waves" / f"{wave}.json"
