"""A version on the Hub: the commit of its tag, the content by its manifest, and the download of its files.

Every file must have the sha256 of the manifest; otherwise none is used.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, FailFast, Field, StringConstraints, TypeAdapter, ValidationError

from gamut.asking.progress import Pace
from gamut.evaluation.defining.editions import ORIGIN
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import sha256_of
from gamut.project.plain_text import shorten_to_line
from gamut.project.validation import Strict
from gamut.publish import hub, receipts, troubles
from gamut.publish.files import BESIDE_FOLDERS, IMAGES, MANIFEST, Say, disk_file, size_words
from gamut.publish.hub import Remote, RemoteFile
from gamut.publish.parameters import DATASET, PRODUCTS, RepoId, SemanticVersion
from gamut.publish.products import DATA
from gamut.publish.receipts import Receipt
from gamut.publish.troubles import NO_DATASET, Sha256, Size, short_message
from gamut.tables.reading import MANIFEST as TABLE_MANIFEST

SHARD = re.compile(r"images-[0-9]{5}\.parquet")
"""The name of a shard of pictures."""
TOGETHER = 8
"""How many files are downloaded at the same time."""
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""No hidden files, no parent folders, no control characters."""


class Listed(Strict):
    """A file as a version's manifest lists it; `name` is its file name in the product's folder of the project."""

    path: Annotated[str, StringConstraints(pattern=rf"^{NAME}(/{NAME})*$", max_length=200)]
    bytes: Size
    sha256: Sha256
    rows: Size | None = None
    name: Annotated[str, StringConstraints(pattern=f"^{NAME}$", max_length=200)] | None = None

    @property
    def remote(self) -> RemoteFile:
        return RemoteFile(self.bytes, self.sha256, "")


class Manifest(Strict):
    """What a version's manifest.json says of it."""

    name: Annotated[str, Field(max_length=100)]
    version: Annotated[SemanticVersion, Field(max_length=100)]
    rows: Size
    files: Annotated[list[Listed], FailFast()]  # only one of all mistakes is reported

    @property
    def data(self) -> list[Listed]:
        return [file for file in self.files if file.name is not None]

    def below(self, folder: str) -> list[Listed]:
        return [file for file in self.data if file.path.startswith(folder)]

    @property
    def images(self) -> list[Listed]:
        return self.below(IMAGES)

    @property
    def rows_files(self) -> list[Listed]:
        return [file for file in self.data if not file.path.startswith((IMAGES, *BESIDE_FOLDERS))]


class Shard(BaseModel):
    name: str
    sha256: str


class Table(BaseModel):
    shards: list[Shard]


@dataclass(frozen=True)
class Version:
    there: Remote
    tag: str
    commit: str
    manifest: Manifest
    manifest_sha256: str


def parse_address(text: str) -> tuple[str, str]:
    """Return repository and tag of `org/name@v0.1.0`; UserError for anything else."""
    repo, _, tag = text.partition("@")
    try:
        TypeAdapter(RepoId).validate_python(repo)
    except ValidationError:
        raise UserError(f"{text!r}: org/name@v0.1.0 is expected") from None
    if not tag:
        raise UserError(f"{text!r} names no version: org/name@v0.1.0 is expected")
    return repo, tag


def find_version(there: Remote, tag: str) -> Version:
    """Return the commit of a tag and its content; UserError if this project's receipt says something else."""
    if not hub.repo_exists(there):
        raise UserError(f"{there.repo}: {NO_DATASET}")
    tags = hub.repo_tags(there)
    if tag not in tags:
        raise UserError(
            f"{there.repo}: there is no tag {tag!r}{nearest_choice(tag, (shorten_to_line(name, 60) for name in tags))}"
        )
    commit = tags[tag]
    if not re.fullmatch("[0-9a-f]{40}", commit):  # it becomes part of a path
        raise UserError(f"{there.repo}@{tag}: {short_message(commit, 60)} is not a commit: fix HF_ENDPOINT")
    content = read_file(there, MANIFEST, commit)
    if content is None:
        raise UserError(f"{there.repo}@{tag} has no {MANIFEST}: gamut did not publish it, or it was altered")
    manifest = parse_manifest(content, f"{there.repo}@{tag}")
    if f"v{manifest.version}" != tag:
        raise UserError(f"{there.repo}@{tag} holds version {manifest.version}: the tag was moved or altered")
    whole = Version(there, tag, commit, manifest, hashlib.sha256(content).hexdigest())
    receipt = receipts.read_receipt(receipts.receipt_path(there.repo, tag))
    if receipt is not None and receipt.repo == there.repo:
        require_as_receipt(whole, receipt)
    return whole


def parse_manifest(content: bytes, where: str) -> Manifest:
    """Return a manifest's content; UserError if it is not a manifest, or lists files that no version has."""
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = repr(".".join(map(str, first["loc"]))) if first["loc"] else "it"
        raise UserError(
            f"{where}: its {MANIFEST} is damaged ({short_message(key, 60)}: {short_message(first['msg'])})"
        ) from None
    if manifest.name not in PRODUCTS:
        raise UserError(
            f"{where} holds {manifest.name!r}{nearest_choice(manifest.name, PRODUCTS)}: fetch it with a newer gamut"
        )
    if (mistake := manifest_mistake(manifest)) is not None:
        raise UserError(f"{where}: its {MANIFEST} is damaged ({mistake})")
    return manifest


def manifest_mistake(manifest: Manifest) -> str | None:
    """Return what is wrong with the files that a manifest lists; only these files are ever written into a project."""
    joined = {folder: [str(file.name) for file in manifest.below(folder)] for folder in BESIDE_FOLDERS}
    names, images = ([str(file.name) for file in files] for files in (manifest.rows_files, manifest.images))
    for listed in ([file.path for file in manifest.files], [*names, *images], *joined.values()):
        for one, times in Counter(listed).most_common(1):
            if times > 1:
                return f"{one} occurs twice"
    paths = {file.path for file in manifest.files}
    for path in sorted(paths):
        if not paths.isdisjoint(map(str, PurePosixPath(path).parents)):
            return f"{path} lies below another file"
    for file in manifest.rows_files:
        if not file.path.startswith(DATA):
            return f"{file.path} is not in {DATA}"
    for folder, listed in joined.items():
        if listed and (manifest.name != DATASET or sorted(listed) != sorted(names)):
            return f"the files in {folder} have other names than those in {DATA}"
    ending = ".parquet" if manifest.name == DATASET else ".jsonl"
    rows = [name for name in names if name.endswith(ending)]
    others = [name for name in names if not name.endswith(ending)]
    if manifest.name == DATASET:
        right, wanted = rows and others == [TABLE_MANIFEST] and not images, f"*.parquet and {TABLE_MANIFEST}"
    else:
        origin = rows[0].removesuffix(ending) + ORIGIN if rows else ""
        right = len(rows) == 1 and others in ([], [origin]) and all(map(SHARD.fullmatch, images))
        wanted = f"one *.jsonl and nothing else but its *{ORIGIN} and pictures in {IMAGES}"
    listed = [*others, *rows, *images]
    return None if right else short_message(f"expected in {DATA}: {wanted}; listed: {', '.join(listed) or 'nothing'}")


def require_same_shards(version: Version, table: Listed, files: Sequence[Listed], content: bytes) -> None:
    """Raise UserError if a table's own manifest names other shards than `files`, which its version lists."""
    try:
        shards = [(shard.name, shard.sha256) for shard in Table.model_validate_json(content).shards]
    except ValidationError:
        shards = []
    if sorted(shards) != sorted((str(file.name), file.sha256) for file in files if file != table):
        raise UserError(
            f"{version.there.repo}@{version.tag}: {table.path} names other shards than {MANIFEST} lists: the version "
            "was altered on the Hub"
        )


def require_as_receipt(version: Version, receipt: Receipt) -> None:
    """Raise UserError if the Hub has something else than what was published from here."""
    path = receipts.receipt_path(receipt.repo, receipt.tag)
    if version.commit != receipt.commit:
        raise UserError(
            f"{version.there.repo}@{version.tag}: the tag names commit {version.commit[:8]}, but {path} says "
            f"{receipt.commit[:8]}: the version was moved on the Hub"
        )
    if version.manifest_sha256 != receipt.manifest_sha256:
        raise UserError(f"{version.there.repo}@{version.tag}: its {MANIFEST} is not that of {path}: it was altered")


def read_file(there: Remote, path: str, commit: str) -> bytes | None:
    from huggingface_hub.errors import RemoteEntryNotFoundError

    with troubles.explained_errors(there.repo), tempfile.TemporaryDirectory() as folder:
        try:
            return fetch_file(there, path, commit, Path(folder)).read_bytes()
        except RemoteEntryNotFoundError:
            return None


def fetch_file(there: Remote, path: str, commit: str, folder: Path) -> Path:
    """Download a file; the client itself retries everything except a 5xx for the file itself."""

    def ask() -> str:
        return there.api.hf_hub_download(there.repo, path, repo_type="dataset", revision=commit, local_dir=folder)

    return Path(troubles.with_retries(ask))


def download(there: Remote, commit: str, files: Mapping[str, RemoteFile], folder: Path, say: Say) -> None:
    """Download files into a folder, by their paths, and verify every one, also those of an interrupted run. A wrong
    file is deleted, so that the next run downloads it again.
    """
    missing = {path: file for path, file in files.items() if not has_bytes_of(file, folder / path)}
    folder.mkdir(parents=True, exist_ok=True)
    pace = Pace(there.repo, sum(file.size for file in missing.values()), say=say, shown=size_words)
    with troubles.explained_errors(there.repo), ThreadPoolExecutor(TOGETHER) as pool:
        try:
            for size in pool.map(lambda path: fetch_verified(there, path, missing[path], commit, folder), missing):
                pace.moved(size)
        finally:
            pool.shutdown(cancel_futures=True)


def fetch_verified(there: Remote, path: str, listed: RemoteFile, commit: str, folder: Path) -> int:
    from huggingface_hub.errors import RemoteEntryNotFoundError

    (folder / path).unlink(missing_ok=True)  # the client would keep an existing file with any content
    try:
        fetched = fetch_file(there, path, commit, folder)
    except RemoteEntryNotFoundError:
        raise UserError(f"{there.repo}: {path} is listed but missing: it was altered on the Hub") from None
    if not has_bytes_of(listed, fetched):
        size, sha256 = fetched.stat().st_size, sha256_of(fetched)
        fetched.unlink()
        raise UserError(
            f"{there.repo}: {path} has sha256 {sha256[:8]}… and {size:,} bytes, but "
            f"{(listed.sha256 or listed.blob_id)[:8]}… and {listed.size:,} are listed: run it again; if that does not "
            "help, it was altered on the Hub"
        )
    return listed.size


def has_bytes_of(listed: RemoteFile, path: Path) -> bool:
    return path.is_file() and path.stat().st_size == listed.size and listed.is_like(disk_file("", path))
