"""`gamut publish` killed with `kill -9` after any step: the next run ends with one commit, one tag, one receipt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.client import environment
from tests.hub.faults import Fault
from tests.hub.server import WRITER, Hub, hub_server
from tests.paths import ROOT
from tests.publish.edition_project import RECEIPT, REPO, prepare
from tests.publish.test_publishing import made


@pytest.fixture
def hub(project: Path) -> Iterator[Hub]:
    """A Hub, and a committed project with an edition."""
    prepare()
    with hub_server() as hub:
        yield hub


def start(hub: Hub) -> subprocess.Popen[str]:
    surroundings = os.environ | environment(hub.url, Path("home").absolute(), WRITER) | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "stages.command.cli", "publish", "prism"]
    return subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


STEPS = {
    "the repository is made": ("POST", "/repos/create", 0),
    "the Hub said how each file is to come": ("POST", "/preupload/", 0),
    "the commit was taken": ("POST", "/commit/", 0),
    "the commit was read back": ("GET", "/tree/", 1),  # after the look before the upload
    "the tag was set": ("POST", "/tag/", 0),
}


@pytest.mark.parametrize("step", STEPS)
def test_killed_when(hub: Hub, step: str) -> None:
    method, path, skip = STEPS[step]
    running: list[int] = []
    killed: list[str] = []

    def kill(hub: Hub) -> None:
        os.kill(running[0], signal.SIGKILL)
        killed.append(step)

    hub.script.append(Fault(method, path, then=kill, skip=skip))
    first = start(hub)
    running.append(first.pid)
    first.communicate()
    assert first.returncode == -signal.SIGKILL and killed and not RECEIPT.exists()
    tags = hub.repo(REPO).tags
    assert not tags or step == "the tag was set"
    second = start(hub)
    out, errors = second.communicate()
    assert second.returncode == 0, errors
    assert made(hub) == 1 and list(hub.repo(REPO).tags) == ["v0.1.0"] and RECEIPT.exists()
    assert hub.repo(REPO).tags["v0.1.0"] == hub.repo(REPO).branches["main"]
    assert "Traceback" not in out + errors and WRITER not in out + errors


def test_two_runs_at_once_make_one_version(hub: Hub) -> None:
    both = [start(hub), start(hub)]
    said = [running.communicate() for running in both]
    codes = sorted(running.returncode for running in both)
    # either one holds the lock while the other comes, or the other comes late and finds everything done
    refused = [errors for _, errors in said if errors]
    assert codes in ([0, 0], [0, 1]) and all("already runs this: wait for it to end" in line for line in refused)
    assert made(hub) == 1 and list(hub.repo(REPO).tags) == ["v0.1.0"]


def test_the_token_is_in_no_process_title(hub: Hub) -> None:
    running: list[int] = []
    seen: list[bytes] = []

    def look(hub: Hub) -> None:
        seen.append(Path(f"/proc/{running[0]}/cmdline").read_bytes())

    hub.script.append(Fault("POST", "/commit/", then=look))
    process = start(hub)
    running.append(process.pid)
    process.communicate()
    assert process.returncode == 0
    assert b"stages.command.cli" in seen[0] and WRITER.encode() not in seen[0]
