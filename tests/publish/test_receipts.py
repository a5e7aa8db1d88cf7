"""A receipt is read as it was written; one that was altered is one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.project.errors import UserError
from stages.publish import receipts
from stages.publish.receipts import RECEIPTS, Receipt

REPO = "somebody/bench"
RECEIPT = Receipt(
    product="prism",
    repo=REPO,
    url="https://huggingface.co/datasets/somebody/bench/tree/v0.1.0",
    tag="v0.1.0",
    commit="1" * 40,
    manifest_sha256="2" * 64,
    files=5,
    bytes=1234,
    rows=3,
    git_revision="3" * 40,
    dvc_hash=None,
)


def test_it_is_read_as_it_was_written(project: Path) -> None:
    assert receipts.read(receipts.path_of(REPO, "v0.1.0")) is None
    path = receipts.write(RECEIPT)
    assert path == RECEIPTS / REPO / "v0.1.0.json" == receipts.path_of(REPO, "v0.1.0")
    assert receipts.read(path) == RECEIPT
    assert list(json.loads(path.read_text())) == list(Receipt.model_fields)


@pytest.mark.parametrize(
    "changes", [{"tag": "v0.1.0\n"}, {"commit": "main"}, {"manifest_sha256": "2" * 40}, {"rows": "3"}, {"more": 1}]
)
def test_one_that_was_altered_is_one_line(project: Path, changes: dict[str, object]) -> None:
    path = receipts.write(RECEIPT)
    line = rf"^{path}: this is no receipt: restore it from git \(`git checkout {path}`\)$"
    for content in (json.dumps(RECEIPT.model_dump() | changes), "", "<<<<<<< HEAD"):
        path.write_text(content)
        with pytest.raises(UserError, match=line):
            receipts.read(path)


def test_one_that_cannot_be_read_or_written_is_one_line(project: Path) -> None:
    path = receipts.path_of(REPO, "v0.1.0")
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=rf"^{path}: this receipt cannot be read \(Is a directory\)$"):
        receipts.read(path)
    with pytest.raises(UserError, match=r"v0\.1\.0\.json: .+: the version is on the Hub, but not its receipt: make"):
        receipts.write(RECEIPT)


def test_the_page_of_a_version_names_no_user_or_password() -> None:
    assert receipts.url_of("http://me:s3cret@hub.local:8080", REPO, "v0.1.0") == (
        "http://hub.local:8080/datasets/somebody/bench/tree/v0.1.0"
    )
