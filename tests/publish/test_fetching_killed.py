"""`gamut fetch` killed with `kill -9` at any point: what lay here is there or comes back, and nothing comes twice."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hub.client import environment
from tests.hub.server import WRITER, Hub, hub_server
from tests.paths import ROOT
from tests.publish.bare_version import REPO
from tests.publish.test_fetching import OTHER, RELEASE, SHARDS, here, laid_out, table, whole, write_files

FETCHES = """
import json, os, signal, sys
from gamut.command import cli  # whose imports take longer than all else
from gamut.project.errors import UserError
import huggingface_hub.hf_api
from gamut.publish import fetching

os.environ["TMPDIR"] = os.getcwd()
CHANGES = {"os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}


def fetch(tag, changes_left):
    def before(event, arguments):
        nonlocal changes_left, begun
        begun = begun or event == "os.mkdir" and str(arguments[0]) == "datasets/release.fetched"
        if begun and event in CHANGES and not changes_left:
            os.kill(os.getpid(), signal.SIGKILL)
        changes_left -= begun and event in CHANGES

    begun = False
    sys.addaudithook(before)
    try:
        fetching.fetch_version(tag, lambda line: None)
    except UserError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 0


for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(fetch(*json.loads(line)))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs a fetch for each line that it reads, killed before the n-th change of the disk that it makes after the download
(-1: never), and writes how it ended. Each has a process of its own, but not imports of its own."""


@pytest.fixture
def hub(project: Path) -> Iterator[Hub]:
    """A Hub with two versions, in an empty project."""
    with hub_server() as hub:
        write_files(hub, laid_out(project, "0.1.0"), "v0.1.0")
        write_files(hub, laid_out(project, "0.2.0", OTHER), "v0.2.0")
        hub.log.clear()
        yield hub


def start(hub: Hub, *arguments: str) -> subprocess.Popen[str]:
    surroundings = os.environ | environment(hub.url, Path("home").absolute(), WRITER) | {"PYTHONPATH": str(ROOT)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *arguments], env=surroundings, text=True, **pipes)


@contextmanager
def fetches(hub: Hub) -> Iterator[Any]:
    """A function that fetches a tag, to be killed before a change of the disk, and tells how that ended."""
    with start(hub, "-c", FETCHES) as running:
        assert running.stdin is not None and running.stdout is not None

        def fetch(tag: str, change: int = -1) -> int:
            print(json.dumps([f"{REPO}@{tag}", change]), file=running.stdin, flush=True)
            return int(running.stdout.readline())  # type: ignore[union-attr]

        yield fetch
        running.stdin.close()


def lying_beside() -> set[str]:
    return {path.name for path in Path("datasets").iterdir()} - {RELEASE.name}


def test_killed_before_any_change_that_puts_a_release_in_place(hub: Hub) -> None:
    seen, change = [], 0
    aside = RELEASE.with_name("release.replaced")
    second = Path(".store/fetched/releases", hashlib.sha256(table(OTHER)).hexdigest())  # notes that it was fetched
    with fetches(hub) as fetch:
        while True:
            assert fetch("v0.1.0") == 0, "also in the place of one that was put there by a killed run"
            assert here() == whole(SHARDS)
            second.unlink(missing_ok=True)
            if (ended := fetch("v0.2.0", change)) == 0:
                break
            assert ended == -signal.SIGKILL
            seen.append({str(whole(SHARDS)): "v0.1.0", str(whole(OTHER)): "v0.2.0", "{}": "none"}[str(here())])
            assert aside.exists() >= (seen[-1] == "none")
            assert not aside.exists() or len(list(aside.iterdir())) == len(whole(SHARDS)), "whole, or not at all"
            in_the_store = seen[-1] == "v0.2.0" and not lying_beside()
            change += 8 if in_the_store else 1  # all that is left to do is to delete many files there
            hub.log.clear()
            assert fetch("v0.2.0") == 0
            assert here() == whole(OTHER) and not lying_beside()
            assert not hub.asked("GET", r"\.parquet"), "what came was kept"
            assert [path.name for path in Path(".store/fetched").iterdir()] == ["releases"]
    assert here() == whole(OTHER)
    assert seen.count("none") == 1, "between the two renames"
    assert seen == sorted(seen, key=["v0.1.0", "none", "v0.2.0"].index) and len(set(seen)) == 3


def test_killed_between_the_renames_and_then_another_version_is_wanted_that_cannot_be_had(hub: Hub) -> None:
    RELEASE.with_name("release.replaced").mkdir(parents=True)
    (RELEASE.with_name("release.replaced") / "_manifest.json").write_bytes(b"{}")
    with fetches(hub) as fetch:
        assert fetch("v0.1.0") == 1
    assert here() == {"_manifest.json": b"{}"}, "it came back"
    assert not lying_beside()
