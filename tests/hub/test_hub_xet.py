"""Uploads by Xet, as clients make them by default: hf_xet itself writes to the Hub's folder."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_download

from stages.publish import troubles
from stages.publish.troubles import host
from tests.hub import xet
from tests.hub.client import client_here
from tests.hub.server import Hub, hub_server

DATASET: Any = {"repo_type": "dataset"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with hub_server(tmp_path / "hub", xet=True) as hub:
        yield hub


@pytest.fixture
def api(hub: Hub, tmp_path: Path) -> Iterator[HfApi]:
    with client_here(hub, tmp_path / "home", xet=True) as api:
        api.create_repo("org/name", **DATASET)
        yield api


def commit(api: HfApi, files: dict[str, bytes]) -> None:
    operations = [CommitOperationAdd(path, data) for path, data in files.items()]
    api.create_commit("org/name", operations, commit_message="a change", **DATASET)


def test_what_came_by_xet_is_read_back(hub: Hub, api: HfApi):
    files = {f"{name}.parquet": random.Random(name).randbytes(200_000) for name in "ab"}
    commit(api, files)
    assert not hub.asked("PUT", "/lfs/") and len(hub.asked("GET", "/xet-write-token/main")) == 1
    found = hub.files("org/name")
    assert {path: found[path] for path in files} == files
    assert Path(hf_hub_download("org/name", "b.parquet", **DATASET)).read_bytes() == files["b.parquet"]


def test_bytes_that_are_there_go_up_once(hub: Hub, api: HfApi):
    data = random.Random(0).randbytes(1_000_000)
    commit(api, {"a.parquet": data})
    first = xet.uploaded_bytes(hub.xet_folder)
    assert 1_000_000 <= first < 1_020_000, "random bytes do not shrink; 2 % for what Xet says of them"
    commit(api, {"b.parquet": data + b"and a little more"})
    # Chunks are 64 KiB in the mean and 128 KiB at most: only the last one is another.
    assert xet.uploaded_bytes(hub.xet_folder) - first < 150_000
    assert hub.files("org/name")["b.parquet"] == data + b"and a little more"


def test_a_hub_without_xet_has_no_tokens_for_it(tmp_path: Path):
    with hub_server(tmp_path / "other") as hub, client_here(hub, tmp_path / "home", xet=True) as api:
        api.create_repo("org/name", **DATASET)
        with pytest.raises(ConnectionError, match="404 Not Found") as error:
            commit(api, {"a.parquet": b"PAR1" * 100})
        told = troubles.meaning(error.value)
        assert told == f"{host()} answers, and has no Xet: set HF_HUB_DISABLE_XET=1 and run it again"
        assert len(hub.repo("org/name").commits) == 1
