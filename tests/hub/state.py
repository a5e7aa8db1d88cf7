"""What the Hub keeps: repositories with commits, branches and tags in memory, the bytes of files in a folder."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.hub.answers import Refused

LARGE_SUFFIXES = (
    ".arrow",
    ".bin",
    ".gz",
    ".jpg",
    ".npy",
    ".parquet",
    ".png",
    ".pt",
    ".safetensors",
    ".tar",
    ".webp",
    ".zip",
)
ATTRIBUTES = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LARGE_SUFFIXES).encode()
"""The .gitattributes that a new repository has."""
LARGE_BYTES = 10_000_000
DATE = "2025-01-01T00:00:00.000Z"
"""When everything happened: a commit's id has no time in it."""


@dataclass(frozen=True)
class File:
    """A file of a commit. `oid` is git's id of its bytes or, where they are large, of the pointer to them."""

    sha256: str
    size: int
    oid: str
    large: bool


@dataclass(frozen=True)
class Commit:
    """All files of a repository at one commit."""

    oid: str
    parent: str | None
    title: str
    message: str
    files: Mapping[str, File]


@dataclass
class Repository:
    """Commits by id, and what branches and tags point to. `kind` is datasets, models or spaces."""

    kind: str
    name: str
    private: bool = False
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)

    def at(self, revision: str) -> Commit:
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def history(self, commit: Commit) -> Iterator[Commit]:
        yield commit
        while commit.parent:
            commit = self.commits[commit.parent]
            yield commit

    @property
    def path(self) -> str:
        return self.name if self.kind == "models" else f"{self.kind}/{self.name}"


class State:
    """All repositories. Whoever writes holds `lock`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.repos: dict[tuple[str, str], Repository] = {}
        (folder / "content").mkdir(parents=True, exist_ok=True)

    def content(self, sha256: str) -> Path:
        return self.folder / "content" / sha256

    def keep(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.content(sha256).exists():
            write(self.content(sha256), data)
        return sha256

    def create(self, kind: str, name: str, private: bool = False) -> Repository:
        repo = self.repos[kind, name] = Repository(kind, name, private)
        attributes = small_file(self.keep(ATTRIBUTES), ATTRIBUTES)
        repo.branches["main"] = self.add(repo, None, "initial commit", "", {".gitattributes": attributes}).oid
        return repo

    def add(self, repo: Repository, parent: str | None, title: str, message: str, files: Mapping[str, File]) -> Commit:
        content = sorted((path, file.oid) for path, file in files.items())
        oid = hashlib.sha1(repr((parent, title, message, content)).encode()).hexdigest()
        commit = repo.commits[oid] = Commit(oid, parent, title, message, dict(files))
        return commit


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{threading.get_ident()}.part")
    part.write_bytes(data)
    os.replace(part, path)


def is_large(path: str, size: int, sample: bytes) -> bool:
    """Whether the Hub keeps a file outside git: by its name, its size, or because its first bytes are no text."""
    return path.endswith(LARGE_SUFFIXES) or size > LARGE_BYTES or b"\0" in sample


def small_file(sha256: str, data: bytes) -> File:
    return File(sha256, len(data), git_oid(data), False)


def large_file(sha256: str, size: int) -> File:
    return File(sha256, size, git_oid(pointer(sha256, size)), True)


def pointer(sha256: str, size: int) -> bytes:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


def git_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
