"""Receipts of published versions, in git: with them a version can be traced, and changes on the Hub detected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit, urlunsplit

from pydantic import StringConstraints, ValidationError

from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.project.validation import Strict
from gamut.publish.parameters import VERSION
from gamut.publish.troubles import Commit, Sha256

RECEIPTS = Path("datasets/published")


class Receipt(Strict):
    """One published version. `dvc_hash` is that of the release, null for an edition, which is in git."""

    product: str
    repo: str
    url: str
    tag: Annotated[str, StringConstraints(pattern=f"^v{VERSION}$")]
    commit: Commit
    manifest_sha256: Sha256
    files: int
    bytes: int
    rows: int
    git_revision: str
    dvc_hash: str | None


def receipt_path(repo: str, tag: str) -> Path:
    return RECEIPTS / repo / f"{tag}.json"


def write_receipt(receipt: Receipt) -> Path:
    path = receipt_path(receipt.repo, receipt.tag)
    try:
        write_json(path, receipt.model_dump())
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}: the version is on the Hub, but not its receipt: fix that, then publish again"
        ) from None
    return path


def read_receipt(path: Path) -> Receipt | None:
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"the receipt {path} cannot be read ({error.strerror}): restore it from git") from None
    except ValidationError:
        raise UserError(f"{path} is not a receipt: restore it from git (`git checkout {path}`)") from None


def page_url(endpoint: str, path: str) -> str:
    """Return the address of a page of the Hub, without the endpoint's user and password."""
    parts = urlsplit(endpoint)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))
