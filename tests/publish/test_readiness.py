"""What has to be in order before a release is published: no build under way; and receipts of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dvc.repo import Repo

from gamut.dataset.shared.joins import table_of
from gamut.project.errors import UserError
from gamut.publish import readiness, receipts
from gamut.publish.receipts import RECEIPTS, Receipt


@pytest.fixture(autouse=True)
def pipeline(project: Path) -> None:
    """A pipeline of two stages that ask."""
    outs = {"synthesize": table_of("synthesize"), "translate": table_of("translate")}
    stages = {stage: {"cmd": "true", "outs": [str(folder)]} for stage, folder in outs.items()}
    Path("dvc.yaml").write_text(json.dumps({"stages": stages}))


def test_a_build_that_is_running() -> None:
    with Repo.init(no_scm=True) as repo, repo.lock:
        explained(r"^a build is running here: wait for it to end$")


def explained(line: str) -> None:
    with pytest.raises(UserError, match=line) as error:
        readiness.require_up_to_date(["translate"])
    assert "\n" not in str(error.value)


def test_a_note_of_dvc_that_was_torn_when_it_was_killed() -> None:
    Repo.init(no_scm=True).close()
    Path("some.txt").touch()
    Path("dvc.yaml").write_text("stages: {translate: {cmd: 'true', deps: [some.txt]}}")
    Path(".dvc/tmp").mkdir(exist_ok=True)
    Path(".dvc/tmp/rwlock").write_text('{"/a/file": {"re')
    explained(r"^DVC's lock file is damaged after a killed run: `gamut check` repairs it$")


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
    assert receipts.read_receipt(receipts.receipt_path(REPO, "v0.1.0")) is None
    path = receipts.write_receipt(RECEIPT)
    assert path == RECEIPTS / REPO / "v0.1.0.json" == receipts.receipt_path(REPO, "v0.1.0")
    assert receipts.read_receipt(path) == RECEIPT
    assert list(json.loads(path.read_text())) == list(Receipt.model_fields)


@pytest.mark.parametrize(
    "changes", [{"tag": "v0.1.0\n"}, {"commit": "main"}, {"manifest_sha256": "2" * 40}, {"rows": "3"}, {"more": 1}]
)
def test_one_that_was_altered_is_one_line(project: Path, changes: dict[str, object]) -> None:
    path = receipts.write_receipt(RECEIPT)
    line = rf"^{path} is not a receipt: restore it from git \(`git checkout {path}`\)$"
    for content in (json.dumps(RECEIPT.model_dump() | changes), "", "<<<<<<< HEAD"):
        path.write_text(content)
        with pytest.raises(UserError, match=line):
            receipts.read_receipt(path)


def test_one_that_cannot_be_read_or_written_is_one_line(project: Path) -> None:
    path = receipts.receipt_path(REPO, "v0.1.0")
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=rf"^the receipt {path} cannot be read \(Is a directory\): restore it from git"):
        receipts.read_receipt(path)
    with pytest.raises(UserError, match=r"v0\.1\.0\.json: .+: the version is on the Hub, but not its receipt: fix"):
        receipts.write_receipt(RECEIPT)


def test_the_page_of_a_version_names_no_user_or_password() -> None:
    assert receipts.page_url("http://me:s3cret@hub.local:8080", f"/datasets/{REPO}/tree/v0.1.0") == (
        "http://hub.local:8080/datasets/somebody/bench/tree/v0.1.0"
    )
