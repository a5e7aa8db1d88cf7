"""A version as the Hub has it: which commit its tag names, and what its manifest says it holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from stages.errors import UserError, nearest
from stages.publication import RepoId, SemanticVersion
from stages.publish import hub, receipts
from stages.publish.downloads import Listed, small_file
from stages.publish.files import MANIFEST
from stages.publish.hub import Remote
from stages.publish.products import PRODUCTS
from stages.publish.receipts import Receipt
from stages.validation import Strict


class Manifest(Strict):
    """What a version's manifest.json says of it."""

    name: str
    version: SemanticVersion
    rows: Annotated[int, Field(ge=0)]
    files: list[Listed]

    @property
    def data(self) -> list[Listed]:
        """The files that lie in the product's folder of the project."""
        return [file for file in self.files if file.name is not None]


@dataclass(frozen=True)
class Version:
    """A version on the Hub: repository, tag, the commit that it names, its manifest, the sha256 of that."""

    there: Remote
    tag: str
    commit: str
    manifest: Manifest
    manifest_sha256: str


def address(text: str) -> tuple[str, str]:
    """Repository and tag of `org/name@v0.1.0`; UserError for anything else."""
    repo, _, tag = text.partition("@")
    try:
        TypeAdapter(RepoId).validate_python(repo)
    except ValidationError:
        raise UserError(f"{text!r}: org/name@v0.1.0 is wanted") from None
    if not tag:
        raise UserError(f"{text!r}: which version? org/name@v0.1.0 is wanted")
    return repo, tag


def version(there: Remote, tag: str) -> Version:
    """Ask the Hub which commit a tag names and what it holds.

    UserError when there is no such tag, when another commit answers, when the manifest is missing or damaged, or is
    not what a receipt in this project says.
    """
    if not hub.exists(there):
        raise UserError(
            f"{there.repo}: no such dataset on the Hub, or a private one: mend its name, or `hf auth login`"
        )
    known = hub.tags(there)
    if tag not in known:
        raise UserError(f"{there.repo}: there is no tag {tag!r}{nearest(tag, known)}")
    commit = known[tag]
    content = small_file(there, MANIFEST, commit)
    if content is None:
        raise UserError(f"{there.repo}@{tag}: it has no {MANIFEST}: gamut did not publish it, or it was altered")
    found = parsed(content, f"{there.repo}@{tag}")
    if f"v{found.version}" != tag:
        raise UserError(f"{there.repo}@{tag}: it holds version {found.version}: the tag was moved or altered")
    whole = Version(there, tag, commit, found, hashlib.sha256(content).hexdigest())
    receipt = receipts.read(receipts.path_of(found.name, tag))
    if receipt is not None and receipt.repo == there.repo:
        demand_as_receipt(whole, receipt)
    return whole


def parsed(content: bytes, where: str) -> Manifest:
    """A manifest's content; UserError when it is not one."""
    try:
        found = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise UserError(f"{where}: its {MANIFEST} is damaged ({key or 'it'}: {first['msg']})") from None
    if found.name not in PRODUCTS:
        raise UserError(f"{where}: it holds {found.name!r}{nearest(found.name, PRODUCTS)}: fetch it with a newer gamut")
    return found


def demand_as_receipt(found: Version, receipt: Receipt) -> None:
    """Raise UserError when the Hub has something else than what was published from here."""
    path = receipts.path_of(receipt.product, receipt.tag)
    if found.commit != receipt.commit:
        raise UserError(
            f"{found.there.repo}@{found.tag}: the tag names {found.commit[:8]}, {path} says {receipt.commit[:8]}: "
            "the version was moved on the Hub"
        )
    if found.manifest_sha256 != receipt.manifest_sha256:
        raise UserError(f"{found.there.repo}@{found.tag}: its {MANIFEST} is not the one of {path}: it was altered")
