"""A file of a version: its path on the Hub, and its bytes or their place; and how sizes are written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gamut.project.files import sha256_of

MANIFEST = "manifest.json"
PICTURES = "pictures/"
REPORT_MARK = ".gamut-report"
"""The file that marks a folder of pages, here and on the Hub."""
IMAGES = "images/"
"""Shards of an edition's pictures."""
PROVENANCE = "provenance/"
"""Shards that say where the dataset's pictures come from."""
BESIDE = {
    "preferences": ("chosen_id", ["id"]),
    "captions": ("id", ["id", "language", "length"]),
    "scores": ("id", ["id"]),
}
"""Tables that are published beside the dataset's rows where they have any: the column with ids of released pictures,
and the columns that name a row."""
BESIDE_FOLDERS = (PROVENANCE, *(f"{name}/" for name in BESIDE))


Say = Callable[[str], None]


@dataclass(frozen=True)
class File:
    """A file of a version. `path` is on the Hub; files that `gamut fetch` brings back have a `name` in their folder."""

    path: str
    source: Path | bytes
    size: int
    sha256: str
    name: str | None = None
    rows: int | None = None

    @property
    def local(self) -> Path:
        """The path here; only for files that exist on the disk."""
        assert isinstance(self.source, Path)
        return self.source

    def read(self) -> bytes:
        return self.source if isinstance(self.source, bytes) else self.source.read_bytes()


def memory_file(path: str, content: bytes, name: str | None = None) -> File:
    return File(path, content, len(content), hashlib.sha256(content).hexdigest(), name)


def disk_file(path: str, local: Path, name: str | None = None) -> File:
    return File(path, local, local.stat().st_size, sha256_of(local), name)


def size_words(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.{0 if unit == 'B' else 1}f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
