"""What a client sees of each scripted fault, and what the Hub has done then."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError

from tests.hub.client import client_here, environment
from tests.hub.faults import Fault
from tests.hub.server import WRITER, Hub, hub_server

DATASET: Any = {"repo_type": "dataset"}
LARGE = b"PAR1" + bytes(1000)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with hub_server(tmp_path / "hub") as hub:
        yield hub


@pytest.fixture
def api(hub: Hub, tmp_path: Path) -> Iterator[HfApi]:
    """A client in this process, and a dataset that has one large file."""
    with client_here(hub, tmp_path / "home") as api:
        hub.commit("org/name", {"a.parquet": LARGE, "a.txt": b"one"})
        hub.log.clear()
        yield api


def commit(api: HfApi, path: str = "b.txt") -> str:
    operations = [CommitOperationAdd(path, b"PAR1\0 and more")]
    return api.create_commit("org/name", operations, commit_message="a change", **DATASET).oid


def tag(api: HfApi) -> None:
    api.create_tag("org/name", tag="v0.1.0", **DATASET)


def count(hub: Hub) -> int:
    """The commits of main."""
    repo = hub.repo("org/name")
    return len(list(repo.history(repo.at("main"))))


@pytest.mark.parametrize("status", [503, 429])
def test_a_hub_that_is_busy(hub: Hub, api: HfApi, status: int):
    hub.script.append(Fault("POST", "/preupload/", status, times=2))
    commit(api)
    assert [call.status for call in hub.asked("POST", "/preupload/")] == [status, status, 200], "it is asked again"
    hub.script.append(Fault("POST", "/commit/", status))
    with pytest.raises(HfHubHTTPError) as caught:
        commit(api, "c.txt")
    assert caught.value.response.status_code == status and caught.value.response.headers["Retry-After"] == "0"
    assert len(hub.asked("POST", "/commit/")) == 2 and count(hub) == 2, "a commit is not tried again"


@pytest.mark.parametrize(("what", "commits"), [("drop_before", 1), ("drop_after", 2)])
def test_a_connection_dropped_before_or_after_a_commit_was_taken(hub: Hub, api: HfApi, what: Any, commits: int):
    hub.script.append(Fault("POST", "/commit/main", what))
    with pytest.raises(httpx2.RemoteProtocolError):
        commit(api)
    assert count(hub) == commits and hub.asked("POST", "/commit/")[0].status == 0


def test_a_tag_and_a_repository_whose_answers_never_arrive(hub: Hub, api: HfApi):
    hub.script += [Fault("POST", "/tag/", "drop_after"), Fault("POST", "/repos/create", "drop_after")]
    with pytest.raises(httpx2.RemoteProtocolError):
        tag(api)
    with pytest.raises(httpx2.RemoteProtocolError):
        api.create_repo("org/new", **DATASET)
    assert hub.repo("org/name").tags == {"v0.1.0": hub.repo("org/name").branches["main"]}
    assert hub.repo("org/new").branches.keys() == {"main"}


def test_an_upload_that_breaks_is_sent_again(hub: Hub, api: HfApi):
    hub.script.append(Fault("PUT", "^/lfs/", "drop_before"))
    commit(api, "b.parquet")
    assert [call.status for call in hub.asked("PUT", "/lfs/")] == [0, 200] and count(hub) == 2


def test_an_answer_that_comes_late(hub: Hub, api: HfApi):
    hub.script.append(Fault("GET", "/api/datasets/org/name", "slow", seconds=0.2))
    with pytest.raises(httpx2.ReadTimeout):
        api.repo_info("org/name", timeout=0.1, **DATASET)
    assert api.repo_info("org/name", timeout=5, **DATASET).id == "org/name"


def test_somebody_else_commits_meanwhile(hub: Hub, api: HfApi):
    hub.script.append(Fault("POST", "/commit/", "stale_parent"))
    with pytest.raises(HfHubHTTPError, match="A commit has happened since"):
        commit(api)
    assert count(hub) == 1
    commit(api)
    assert count(hub) == 2


def test_a_listing_with_other_hashes(hub: Hub, api: HfApi):
    def seen() -> list[Any]:
        entries = api.list_repo_tree("org/name", **DATASET)
        return [entry.lfs.sha256 if entry.lfs else entry.blob_id for entry in entries]

    right = seen()
    hub.script.append(Fault("GET", "/tree/", "wrong_checksum"))
    assert not set(seen()) & set(right) and seen() == right


def test_a_download_of_other_bytes(hub: Hub, api: HfApi):
    hub.script.append(Fault("GET", r"/resolve/.*\.parquet", "other_bytes"))
    altered = Path(hf_hub_download("org/name", "a.parquet", **DATASET)).read_bytes()
    assert altered != LARGE and len(altered) == len(LARGE), "the client does not look"


def test_another_commit_than_the_one_asked_for(hub: Hub, api: HfApi):
    other = hub.commit("org/name", {"a.txt": b"two"})
    hub.script += [
        Fault("HEAD", "/resolve/", "other_commit"),
        Fault("GET", "/revision/", "other_commit", commit=other),
    ]
    pinned = hub.repo("org/name").at("main").parent
    assert f"/snapshots/{'0' * 40}/" in hf_hub_download("org/name", "a.txt", revision="main", **DATASET)
    assert api.repo_info("org/name", revision=pinned, **DATASET).sha == other, "nor here"


def test_faults_can_wait_for_a_later_call(hub: Hub, api: HfApi):
    hub.script.append(Fault("POST", "/commit/", 503, skip=1))
    commit(api)
    with pytest.raises(HfHubHTTPError):
        commit(api, "c.txt")
    commit(api, "d.txt")
    assert [call.status for call in hub.asked("POST", "/commit/")] == [200, 503, 200]


PUBLISH = """
from huggingface_hub import CommitOperationAdd, HfApi

api = HfApi()
api.create_commit("org/name", [CommitOperationAdd("b.txt", b"b")], commit_message="a change", repo_type="dataset")
api.create_tag("org/name", tag="v0.1.0", repo_type="dataset")
"""


def test_a_client_is_killed_once_its_commit_was_taken(hub: Hub, tmp_path: Path):
    hub.commit("org/name", {"a.txt": b"one"})
    started = threading.Event()
    client: subprocess.Popen[bytes]

    def kill(_: Hub) -> None:
        started.wait()
        client.send_signal(signal.SIGKILL)
        client.wait()

    hub.script.append(Fault("POST", "/commit/", then=kill))
    variables = os.environ | environment(hub.url, tmp_path / "home", WRITER)
    client = subprocess.Popen([sys.executable, "-c", PUBLISH], env=variables)
    started.set()
    assert client.wait() == -signal.SIGKILL
    assert count(hub) == 2 and not hub.asked("POST", "/tag/")


def test_half_a_call_is_none(hub: Hub, api: HfApi):
    line = b'{"key": "header", "value": {"summary": "cut off"}}\n'
    with socket.create_connection(("127.0.0.1", urlsplit(hub.url).port)) as connection:
        head = f"POST /api/datasets/org/name/commit/main HTTP/1.1\r\nAuthorization: Bearer {WRITER}\r\n"
        connection.sendall(head.encode() + b"Content-Length: 1000\r\n\r\n" + line)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert count(hub) == 1 and not hub.log
