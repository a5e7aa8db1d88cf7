"""The project's files as they were at a git revision or in a DVC experiment; tables come from DVC's local cache."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from gamut.project.errors import UserError

WORKSPACE = "workspace"
"""The name of the files of the working tree, next to revisions."""


class Revision:
    """A commit, branch, tag or experiment, by any name that DVC knows. Raise UserError if the name does not exist.

    Nothing is fetched: an error about a table that was never pulled names the command that fetches it.
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

    def get(self, path: Path) -> Path:
        """Return a copy of a file or folder, which lives as long as this object. Raise UserError if the cache lacks it.

        A copy may be a hard link to the cache, and DVC writes into existing files, so no copy is written twice.
        """
        from dvc_data.index import DataIndexDirError

        copy = Path(self.folder.name) / path
        if copy.is_file():
            return copy
        shutil.rmtree(copy, ignore_errors=True)
        if not self.files.exists(path.as_posix()):
            raise UserError(f"{path} does not exist at {self.name}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.files.get(path.as_posix(), str(copy), recursive=True)
        except (FileNotFoundError, DataIndexDirError):
            raise UserError(
                f"{path}: its content at {self.name} is not in DVC's local cache: "
                f"`dvc fetch --all-commits {path}` gets it, or `dvc exp pull` for an experiment"
            ) from None
        return copy
