"""A version as the Hub has it: which commit its tag names, and what its manifest says it holds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import BaseModel, FailFast, Field, TypeAdapter, ValidationError

from gamut.evaluation.defining.editions import ORIGIN
from gamut.project.errors import UserError, nearest
from gamut.project.plain_text import one_line
from gamut.project.validation import Strict
from gamut.publish import hub, receipts
from gamut.publish.downloads import Listed, small_file
from gamut.publish.files import IMAGES, MANIFEST, PROVENANCE
from gamut.publish.hub import Remote
from gamut.publish.parameters import DATASET, PRODUCTS
from gamut.publish.products import DATA
from gamut.publish.publication import RepoId, SemanticVersion
from gamut.publish.receipts import Receipt
from gamut.publish.troubles import NO_DATASET, Size, said
from gamut.tables.reading import MANIFEST as TABLE_MANIFEST

SHARD = re.compile(r"images-[0-9]{5}\.parquet")
"""The name of a shard of pictures."""


class Manifest(Strict):
    """What a version's manifest.json says of it."""

    name: Annotated[str, Field(max_length=100)]
    version: Annotated[SemanticVersion, Field(max_length=100)]
    rows: Size
    files: Annotated[list[Listed], FailFast()]  # one mistake is told, of however many

    @property
    def data(self) -> list[Listed]:
        return [file for file in self.files if file.name is not None]

    @property
    def images(self) -> list[Listed]:
        return [file for file in self.data if file.path.startswith(IMAGES)]

    @property
    def provenance(self) -> list[Listed]:
        return [file for file in self.data if file.path.startswith(PROVENANCE)]

    @property
    def rows_files(self) -> list[Listed]:
        return [file for file in self.data if not file.path.startswith((IMAGES, PROVENANCE))]


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


def address(text: str) -> tuple[str, str]:
    """Return repository and tag of `org/name@v0.1.0`; UserError for anything else."""
    repo, _, tag = text.partition("@")
    try:
        TypeAdapter(RepoId).validate_python(repo)
    except ValidationError:
        raise UserError(f"{text!r}: org/name@v0.1.0 is wanted") from None
    if not tag:
        raise UserError(f"{text!r}: which version? org/name@v0.1.0 is wanted")
    return repo, tag


def version(there: Remote, tag: str) -> Version:
    """Ask which commit a tag names and what it holds; UserError when that is not what this project's receipt says."""
    if not hub.exists(there):
        raise UserError(f"{there.repo}: {NO_DATASET}")
    known = hub.tags(there)
    if tag not in known:
        raise UserError(f"{there.repo}: there is no tag {tag!r}{nearest(tag, (one_line(name, 60) for name in known))}")
    commit = known[tag]
    if not re.fullmatch("[0-9a-f]{40}", commit):  # it becomes part of a path
        raise UserError(f"{there.repo}@{tag}: {said(commit, 60)} is no commit: mend HF_ENDPOINT")
    content = small_file(there, MANIFEST, commit)
    if content is None:
        raise UserError(f"{there.repo}@{tag}: it has no {MANIFEST}: gamut did not publish it, or it was altered")
    found = parsed(content, f"{there.repo}@{tag}")
    if f"v{found.version}" != tag:
        raise UserError(f"{there.repo}@{tag}: it holds version {found.version}: the tag was moved or altered")
    whole = Version(there, tag, commit, found, hashlib.sha256(content).hexdigest())
    receipt = receipts.read(receipts.path_of(there.repo, tag))
    if receipt is not None and receipt.repo == there.repo:
        require_as_receipt(whole, receipt)
    return whole


def parsed(content: bytes, where: str) -> Manifest:
    """Return a manifest's content; UserError when it is not one, or lists files that no version has."""
    try:
        found = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = repr(".".join(map(str, first["loc"]))) if first["loc"] else "it"
        raise UserError(f"{where}: its {MANIFEST} is damaged ({said(key, 60)}: {said(first['msg'])})") from None
    if found.name not in PRODUCTS:
        raise UserError(f"{where}: it holds {found.name!r}{nearest(found.name, PRODUCTS)}: fetch it with a newer gamut")
    if (mistake := mistake_in(found)) is not None:
        raise UserError(f"{where}: its {MANIFEST} is damaged ({mistake})")
    return found


def mistake_in(found: Manifest) -> str | None:
    """Return what is wrong with the files that a manifest lists: nothing else is ever written into a project."""
    images, origins = ([str(file.name) for file in files] for files in (found.images, found.provenance))
    names = [str(file.name) for file in found.rows_files]
    for listed in ([file.path for file in found.files], [*names, *images], origins):
        for one, times in Counter(listed).most_common(1):
            if times > 1:
                return f"{one} stands twice"
    paths = {file.path for file in found.files}
    for path in sorted(paths):
        if not paths.isdisjoint(map(str, PurePosixPath(path).parents)):
            return f"{path} lies below another file"
    for file in found.rows_files:
        if not file.path.startswith(DATA):
            return f"{file.path} is not in {DATA}"
    if origins and (found.name != DATASET or sorted(origins) != sorted(names)):
        return f"what is listed in {PROVENANCE} has other names than what is listed in {DATA}"
    ending = ".parquet" if found.name == DATASET else ".jsonl"
    rows = [name for name in names if name.endswith(ending)]
    others = [name for name in names if not name.endswith(ending)]
    if found.name == DATASET:
        right, wanted = rows and others == [TABLE_MANIFEST] and not images, f"*.parquet and {TABLE_MANIFEST}"
    else:
        origin = rows[0].removesuffix(ending) + ORIGIN if rows else ""
        right = len(rows) == 1 and others in ([], [origin]) and all(map(SHARD.fullmatch, images))
        wanted = f"one *.jsonl and nothing else but its *{ORIGIN} and pictures in {IMAGES}"
    listed = [*others, *rows, *images]
    return None if right else said(f"wanted in {DATA}: {wanted}; listed: {', '.join(listed) or 'nothing'}")


def require_same_shards(found: Version, table: Listed, files: Sequence[Listed], content: bytes) -> None:
    """Raise UserError when a table's own manifest names other shards than `files`, those that its version lists."""
    try:
        shards = [(shard.name, shard.sha256) for shard in Table.model_validate_json(content).shards]
    except ValidationError:
        shards = []
    if sorted(shards) != sorted((str(file.name), file.sha256) for file in files if file != table):
        raise UserError(
            f"{found.there.repo}@{found.tag}: {table.path} names other shards than {MANIFEST} lists: the version "
            "was altered on the Hub"
        )


def require_as_receipt(found: Version, receipt: Receipt) -> None:
    """Raise UserError when the Hub has something else than what was published from here."""
    path = receipts.path_of(receipt.repo, receipt.tag)
    if found.commit != receipt.commit:
        raise UserError(
            f"{found.there.repo}@{found.tag}: the tag names {found.commit[:8]}, {path} says {receipt.commit[:8]}: "
            "the version was moved on the Hub"
        )
    if found.manifest_sha256 != receipt.manifest_sha256:
        raise UserError(f"{found.there.repo}@{found.tag}: its {MANIFEST} is not the one of {path}: it was altered")
