"""`gamut publish` killed with `kill -9`: the next run ends with one commit, one tag, one receipt."""

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
    command = [sys.executable, "-m", "gamut.command.cli", "publish", "prism"]
    return subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


STEPS = {
    "the commit was taken": ("POST", "/commit/", 0),
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
