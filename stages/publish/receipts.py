"""Receipts: what was published, in git, so that a version can be traced from the project and found altered."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from pydantic import ValidationError

from stages.errors import UserError
from stages.publish.products import PRODUCTS
from stages.tables import write_json
from stages.validation import Strict

RECEIPTS = Path("datasets/published")


class Receipt(Strict):
    """One published version: where, under which commit, what it holds, and of which state of the project it is.

    `dvc_hash` is the release's, null for an edition, which git itself holds.
    """

    product: str
    repo: str
    url: str
    tag: str
    commit: str
    manifest_sha256: str
    files: int
    bytes: int
    rows: int
    git_revision: str
    dvc_hash: str | None


def path_of(product: str, tag: str) -> Path:
    """Where a version's receipt stands."""
    return RECEIPTS / product / f"{tag}.json"


def write(receipt: Receipt) -> Path:
    """Write a receipt; return where."""
    path = path_of(receipt.product, receipt.tag)
    write_json(path, receipt.model_dump())
    return path


def read(path: Path) -> Receipt | None:
    """A receipt, None where there is none; a UserError when it cannot be read."""
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise UserError(f"{path}: this is no receipt: restore it from git (`git checkout {path}`)") from None


def every() -> list[Receipt]:
    """All receipts, those of a product from its first version to its last."""
    found = [read(path) for product in PRODUCTS for path in (RECEIPTS / product).glob("*.json")]
    return sorted((one for one in found if one), key=lambda one: (one.product, order(one.tag)))


def order(tag: str) -> tuple[list[int], bool, str]:
    """What puts tags in the order of their versions: a pre-release comes before its version."""
    core, _, pre = tag.removeprefix("v").partition("-")
    return [int(number) for number in core.split(".")], not pre, pre


def url_of(endpoint: str, repo: str, tag: str) -> str:
    """The version's page, without user or password of the endpoint."""
    parts = urlsplit(endpoint)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], f"/datasets/{repo}/tree/{tag}", "", ""))
