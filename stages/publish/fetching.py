"""`gamut fetch org/name@v0.1.0`: a version's rows put where `dvc repro` would have put them, every byte verified."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from stages import pipeline
from stages.errors import UserError
from stages.publish import hub
from stages.publish.downloads import Listed, download
from stages.publish.files import MANIFEST
from stages.publish.meter import Say, in_bytes
from stages.publish.products import DATASET, folder_of
from stages.publish.versions import Version, address, version
from stages.settings import store_root
from stages.stage import only_writer
from stages.tables import sha256_of


def fetch(text: str, say: Say) -> None:
    """Bring a version here; UserError, and nothing here is changed, when anything in it is not as its manifest says.

    What an interrupted run brought is kept in the reply store's folder and used by the next.
    """
    repo, tag = address(text)
    found = version(hub.remote(repo), tag)
    name = found.manifest.name
    with only_writer(f"publish.{name}"):
        target = folder_of(name)
        if holds(target, found.manifest.data):
            say(f"{target} has the files of {repo}@{tag} already, verified: nothing to do")
            return
        demand_free(found, target)
        fetched = store_root() / "fetched" / f"{repo.replace('/', '--')}@{found.commit}"
        size = sum(file.bytes for file in found.manifest.files)
        say(f"{repo}@{tag} is commit {found.commit[:8]}: {len(found.manifest.files):,} files, {in_bytes(size)}")
        download(found.there, found.commit, found.manifest.files, fetched, say)
        if name == DATASET:
            put_folder(found.manifest.data, fetched, target)
            note().write_text(sha256_of(target / MANIFEST))
        else:
            put_files(found.manifest.data, fetched, target)
        shutil.rmtree(fetched)
    say(f"{target}: {found.manifest.rows:,} rows of {repo}@{tag}, every file verified")


def holds(folder: Path, files: Sequence[Listed]) -> bool:
    """Whether a folder has these files under their names, byte for byte."""
    return all(
        (path := folder / str(file.name)).is_file()
        and path.stat().st_size == file.bytes
        and sha256_of(path) == file.sha256
        for file in files
    )


def demand_free(found: Version, target: Path) -> None:
    """Raise UserError when something here would be lost: a release that cannot be had again, an edition of other items.

    A release can be had again when dvc.lock records it, or when it was fetched.
    """
    if found.manifest.name == DATASET:
        recorded = pipeline.PIPELINE.exists() and pipeline.is_recorded("release")
        if target.exists() and not recorded and not was_fetched(target):
            raise UserError(
                f"{target} holds a release that dvc.lock does not record, and that was not fetched: move it away, or "
                f"`dvc checkout --force {target}` if it may be lost"
            )
        return
    for file in found.manifest.data:
        path = target / str(file.name)
        if path.exists() and (path.stat().st_size != file.bytes or sha256_of(path) != file.sha256):
            raise UserError(f"{path} is frozen, with other items: move it away first")


def note() -> Path:
    """Where the sha256 of the manifest of the release that was fetched last is noted."""
    return store_root() / "fetched" / "release"


def was_fetched(target: Path) -> bool:
    """Whether the release that lies here is the one that was fetched last."""
    manifest = target / MANIFEST
    return note().is_file() and manifest.is_file() and note().read_text() == sha256_of(manifest)


def put_folder(files: Sequence[Listed], fetched: Path, target: Path) -> None:
    """Make a folder of the fetched files, and rename it into the place of the old one."""
    new = target.with_name(target.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    put_files(files, fetched, new)
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)


def put_files(files: Sequence[Listed], fetched: Path, folder: Path) -> None:
    """Move fetched files into a folder, each in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        beside = folder / f"{file.name}.new"
        shutil.move(fetched / file.path, beside)  # copies where the store is on another disk
        os.replace(beside, folder / str(file.name))
