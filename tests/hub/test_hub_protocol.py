"""The test Hub as huggingface_hub itself finds it: what is written can be read, and what the Hub refuses is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import (
    CommitInfo,
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    snapshot_download,
)
from huggingface_hub.errors import (
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
)

from tests.hub.client import client_here
from tests.hub.server import READER, Hub, hub_server

DATASET: Any = {"repo_type": "dataset"}
CARD = b"---\nlicense: cc-by-4.0\n---\n# A dataset\n"
FILES = {"README.md": CARD, "data/a.parquet": b"PAR1" + bytes(2000), "pictures/one.webp": b"RIFF" + bytes(100)}


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with hub_server() as hub:
        yield hub


@pytest.fixture
def api(hub: Hub, tmp_path: Path) -> Iterator[HfApi]:
    """A client in this process, with a token that writes."""
    with client_here(hub, tmp_path / "home") as api:
        yield api


@pytest.fixture
def repo(api: HfApi, request: pytest.FixtureRequest) -> str:
    """An empty dataset of the test's own."""
    return api.create_repo(f"org/{request.function.__name__}"[:90], **DATASET).repo_id


def commit(api: HfApi, repo: str, files: dict[str, bytes | None], **more: Any) -> CommitInfo:
    """One commit that adds files, or deletes those without bytes."""
    operations = [
        CommitOperationDelete(path) if data is None else CommitOperationAdd(path, data) for path, data in files.items()
    ]
    return api.create_commit(repo, operations, commit_message=more.pop("title", "a change"), **DATASET, **more)


def titles(api: HfApi, repo: str, revision: str = "main") -> list[str]:
    return [commit.title for commit in api.list_repo_commits(repo, revision=revision, **DATASET)]


def refused(error: type[Exception], what: Any, *arguments: Any, **more: Any) -> tuple[int, str]:
    """The status and words with which a call ends."""
    with pytest.raises(error) as caught:
        what(*arguments, **more)
    assert isinstance(caught.value, HfHubHTTPError)
    return caught.value.response.status_code, str(caught.value)


def test_a_tree_tells_every_hash(api: HfApi, hub: Hub, repo: str):
    commit(api, repo, FILES)
    entries = {entry.path: entry for entry in api.list_repo_tree(repo, recursive=True, expand=True, **DATASET)}
    assert sorted(entries) == [".gitattributes", "README.md", "data", "data/a.parquet", "pictures", "pictures/one.webp"]
    # git's id of a file is the sha1 of "blob <size>\0" and its bytes.
    assert entries["README.md"].blob_id == hashlib.sha1(b"blob %d\0" % len(CARD) + CARD).hexdigest()
    assert entries["README.md"].lfs is None
    large = entries["data/a.parquet"].lfs
    assert (large.sha256, large.size) == (hashlib.sha256(FILES["data/a.parquet"]).hexdigest(), 2004)
    assert [entry.path for entry in api.list_repo_tree(repo, "data", **DATASET)] == ["data/a.parquet"]
    with pytest.raises(RemoteEntryNotFoundError):
        list(api.list_repo_tree(repo, "nothing", **DATASET))
    found = api.get_paths_info(repo, ["data", "README.md", "none"], **DATASET)
    assert [entry.path for entry in found] == ["data", "README.md"]
    infos = {sibling.rfilename: sibling for sibling in api.repo_info(repo, files_metadata=True, **DATASET).siblings}
    assert infos["data/a.parquet"].lfs.sha256 == large.sha256 and infos["README.md"].size == len(CARD)


def test_long_lists_come_in_pages(api: HfApi, hub: Hub, repo: str, monkeypatch: pytest.MonkeyPatch):
    for number in range(3):
        commit(api, repo, {f"{number}{letter}.txt": b"text" for letter in "ab"}, title=f"{number}")
    monkeypatch.setattr(hub, "page", 3)
    assert len(list(api.list_repo_tree(repo, recursive=True, **DATASET))) == 7
    assert titles(api, repo) == ["2", "1", "0", "initial commit"]
    # 7 entries: 3, 3 and 1; 4 commits: 3 and 1.
    assert len(hub.asked("GET", f"{repo}/tree/")) == 3 and len(hub.asked("GET", f"{repo}/commits/")) == 2


def test_a_stale_parent_is_refused(api: HfApi, repo: str):
    head = api.repo_info(repo, **DATASET).sha
    commit(api, repo, {"a.txt": b"one"}, parent_commit=head)
    status, words = refused(HfHubHTTPError, commit, api, repo, {"a.txt": b"two"}, parent_commit=head)
    assert status == 412 and "A commit has happened since" in words
    assert len(titles(api, repo)) == 2


def test_a_private_repository_is_for_who_has_a_token(api: HfApi, hub: Hub, tmp_path: Path):
    api.create_repo("org/secret", private=True, **DATASET)
    commit(api, "org/secret", {"a.txt": b"one"})
    assert HfApi(hub.url, token=READER).repo_info("org/secret", **DATASET).private
    nobody = HfApi(hub.url, token=False)
    assert refused(RepositoryNotFoundError, nobody.repo_info, "org/secret", **DATASET)[0] == 401
    with pytest.raises(RepositoryNotFoundError):
        snapshot_download("org/secret", token=False, cache_dir=tmp_path / "cache", **DATASET)
    assert refused(RepositoryNotFoundError, api.repo_info, "org/none", **DATASET)[0] == 404
