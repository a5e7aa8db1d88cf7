"""A receipt is read as it was written; one that was altered is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stages.project.errors import UserError
from stages.publish import receipts
from stages.publish.receipts import RECEIPTS, Receipt

REPO = "somebody/bench"


def receipt(**changes: Any) -> Receipt:
    values = {
        "product": "prism",
        "repo": REPO,
        "url": "https://huggingface.co/datasets/somebody/bench/tree/v0.1.0",
        "tag": "v0.1.0",
        "commit": "1" * 40,
        "manifest_sha256": "2" * 64,
        "files": 5,
        "bytes": 1234,
        "rows": 3,
        "git_revision": "3" * 40,
        "dvc_hash": None,
    }
    return Receipt.model_validate(values | changes)


def test_it_is_read_as_it_was_written(project: Path) -> None:
    path = receipts.write(receipt())
    assert path == RECEIPTS / REPO / "v0.1.0.json" == receipts.path_of(REPO, "v0.1.0")
    assert receipts.read(path) == receipt()
    assert list(json.loads(path.read_text())) == list(Receipt.model_fields)


def test_where_there_is_none(project: Path) -> None:
    assert receipts.read(receipts.path_of(REPO, "v0.1.0")) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"tag": "latest"},
        {"tag": "0.1.0"},
        {"tag": "v0.1.0\n"},
        {"commit": "1" * 39},
        {"commit": "main"},
        {"manifest_sha256": "2" * 40},
        {"manifest_sha256": "X" * 64},
        {"rows": "3"},
        {"more": 1},
    ],
)
def test_one_that_was_altered_is_one_line(project: Path, changes: dict[str, Any]) -> None:
    path = receipts.write(receipt())
    path.write_text(json.dumps(receipt().model_dump() | changes))
    line = rf"^{path}: this is no receipt: restore it from git \(`git checkout {path}`\)$"
    with pytest.raises(UserError, match=line):
        receipts.read(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b"<<<<<<< HEAD"])
def test_one_that_is_none_is_one_line(project: Path, content: bytes) -> None:
    path = receipts.write(receipt())
    path.write_bytes(content)
    with pytest.raises(UserError, match=r": this is no receipt: restore it from git"):
        receipts.read(path)


def test_one_that_cannot_be_read_is_one_line(project: Path) -> None:
    path = receipts.path_of(REPO, "v0.1.0")
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=rf"^{path}: this receipt cannot be read \(Is a directory\)$"):
        receipts.read(path)


def test_one_that_cannot_be_written_is_one_line(project: Path) -> None:
    RECEIPTS.parent.mkdir()
    RECEIPTS.write_text("a file in the way")
    with pytest.raises(UserError, match=r"v0\.1\.0\.json: .+: the version is on the Hub, but not its receipt: make"):
        receipts.write(receipt())


def test_the_page_of_a_version_names_no_user_or_password() -> None:
    assert receipts.url_of("http://me:s3cret@hub.local:8080", REPO, "v0.1.0") == (
        "http://hub.local:8080/datasets/somebody/bench/tree/v0.1.0"
    )
