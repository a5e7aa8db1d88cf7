"""The project's files as they lie here, or as they were at a git revision or in a DVC experiment; tables come from
DVC's local cache.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stages.project.errors import UserError


class Workspace:
    """The project's files as they lie here."""

    name = "workspace"

    def has(self, path: Path) -> bool:
        return path.exists()

    def below(self, folder: Path) -> list[Path]:
        """Return all files of a folder and of its folders, in order of their paths; none where there is no folder."""
        return sorted(path for path in folder.rglob("*") if path.is_file())

    def get(self, path: Path) -> Path:
        return path

    def drop(self, path: Path) -> None:
        """Take back nothing: what lies here is no copy."""


class Revision:
    """A commit, branch, tag or experiment, by any name that DVC knows; UserError when there is none of this name.

    Nothing is fetched: a table that was never pulled is named with the command that gets it.
    """

    def __init__(self, name: str) -> None:
        from dvc.api import DVCFileSystem
        from dvc.exceptions import DvcException
        from dvc.repo import Repo

        self.name = name
        self.folder = tempfile.TemporaryDirectory()
        try:
            with Repo() as repo:
                cache = {"url": repo.cache.local_cache_dir}
            here = {"core": {"remote": "local_cache"}, "remote": {"local_cache": cache}}
            self.files: Any = DVCFileSystem(rev=name, config=here)
            self.files.repo  # noqa: B018 - resolves the name
        except DvcException as error:
            raise UserError(str(error)) from None

    def has(self, path: Path) -> bool:
        return bool(self.files.exists(path.as_posix()))

    def below(self, folder: Path) -> list[Path]:
        """Return all files below a folder, in order; UserError where a table's list of files is not here."""
        with self.explained(folder):
            return sorted(map(Path, self.files.find(folder.as_posix()))) if self.has(folder) else []

    def get(self, path: Path) -> Path:
        """Copy a file or folder; return where the copy lies as long as this object. UserError where it is not here."""
        copy = Path(self.folder.name) / path
        if not self.has(path):
            raise UserError(f"{path}: there is none at {self.name}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        with self.explained(path):
            self.files.get(path.as_posix(), str(copy), recursive=True)
        return copy

    def drop(self, path: Path) -> None:
        (Path(self.folder.name) / path).unlink(missing_ok=True)

    @contextmanager
    def explained(self, path: Path) -> Iterator[None]:
        """Say that the content of what is read is not here, and how to get it (UserError)."""
        from dvc_data.index import DataIndexDirError

        try:
            yield
        except (FileNotFoundError, DataIndexDirError):
            raise UserError(
                f"{path}: its content at {self.name} is not in DVC's local cache: "
                f"`dvc fetch --all-commits {path}` gets it, or `dvc exp pull` for an experiment"
            ) from None


Files = Workspace | Revision
"""The project's files here or there."""
