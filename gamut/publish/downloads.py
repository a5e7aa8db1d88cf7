"""Files of a commit brought here, each with the sha256 that it must have, or none of them at all."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from gamut.asking.progress import Pace
from gamut.project.errors import UserError
from gamut.project.files import sha256_of
from gamut.project.validation import Strict
from gamut.publish import troubles
from gamut.publish.files import Say, in_bytes
from gamut.publish.hub import Remote
from gamut.publish.troubles import Sha256, Size

TOGETHER = 8
"""Files that come at the same time."""
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""No hidden files, none above, nothing that a terminal would obey."""


class Listed(Strict):
    """A file as a version's manifest lists it; `name` is its file name in the product's folder of the project."""

    path: Annotated[str, StringConstraints(pattern=rf"^{NAME}(/{NAME})*$", max_length=200)]
    bytes: Size
    sha256: Sha256
    rows: Size | None = None
    name: Annotated[str, StringConstraints(pattern=f"^{NAME}$", max_length=200)] | None = None


def small_file(there: Remote, path: str, commit: str) -> bytes | None:
    """Return a small file's content at a commit, None where there is none."""
    from huggingface_hub.errors import RemoteEntryNotFoundError

    with troubles.explained(there.repo), tempfile.TemporaryDirectory() as folder:
        try:
            return fetch(there, path, commit, Path(folder)).read_bytes()
        except RemoteEntryNotFoundError:
            return None


def fetch(there: Remote, path: str, commit: str, folder: Path) -> Path:
    """Bring one file. The client itself asks again for all but a 5xx for the file itself."""

    def ask() -> str:
        return there.api.hf_hub_download(there.repo, path, repo_type="dataset", revision=commit, local_dir=folder)

    return Path(troubles.with_retries(ask))


def download(there: Remote, commit: str, files: Sequence[Listed], folder: Path, say: Say) -> None:
    """Bring files below a folder, and verify every one, also those of an interrupted run. One that is not what it
    must be is deleted, so that the next run brings it again.
    """
    missing = [file for file in files if not is_like(file, folder / file.path)]
    folder.mkdir(parents=True, exist_ok=True)
    pace = Pace(there.repo, sum(file.bytes for file in missing), say=say, shown=in_bytes)
    with troubles.explained(there.repo), ThreadPoolExecutor(TOGETHER) as pool:
        try:
            for size in pool.map(lambda file: bring(there, file, commit, folder), missing):
                pace.moved(size)
        finally:
            pool.shutdown(cancel_futures=True)


def bring(there: Remote, file: Listed, commit: str, folder: Path) -> int:
    from huggingface_hub.errors import RemoteEntryNotFoundError

    (folder / file.path).unlink(missing_ok=True)  # the client would take what lies there, whatever it holds
    try:
        found = fetch(there, file.path, commit, folder)
    except RemoteEntryNotFoundError:
        raise UserError(
            f"{there.repo}: {file.path} is not there, though its manifest lists it: the version was altered on the Hub"
        ) from None
    size, sha256 = found.stat().st_size, sha256_of(found)
    if (size, sha256) != (file.bytes, file.sha256):
        found.unlink()
        raise UserError(
            f"{there.repo}: {file.path} came with sha256 {sha256[:8]}… and {size:,} bytes, its manifest says "
            f"{file.sha256[:8]}… and {file.bytes:,}: run it again; if it stays so, the version was altered on the Hub"
        )
    return size


def is_like(file: Listed, path: Path) -> bool:
    return path.is_file() and path.stat().st_size == file.bytes and sha256_of(path) == file.sha256
