"""A second writer of a working tree is refused, and a second one of the store waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gamut.project import locks
from gamut.project.errors import UserError
from tests.paths import ROOT

HOLD = """
import signal, sys
from gamut.project import locks
with getattr(locks, sys.argv[1])("rate"):
    print("held", flush=True)
    signal.pause()
"""
WRITER = Path(".dvc/tmp/gamut/writers/rate.json")

pytestmark = pytest.mark.usefixtures("project")


# One writer of a working tree


def refused(match: str | None = None) -> str:
    with pytest.raises(UserError, match=match) as error, locks.only_writer("rate"):
        pytest.fail("two writers")
    return str(error.value)


def test_a_second_writer_is_refused_with_the_first_ones_number() -> None:
    with locks.only_writer("rate"):
        assert refused() == f"process {os.getpid()} already runs this: wait for it to end"
        with locks.only_writer("paint"):
            pass
    with locks.only_writer("rate"):
        pass


def test_the_lock_is_let_go_after_an_error() -> None:
    for lock in locks.only_writer, locks.writer_in_turn:
        with pytest.raises(RuntimeError), lock("rate"):
            raise RuntimeError
        with lock("rate"):
            pass


def test_an_orphan_of_a_killed_run_is_told() -> None:
    # A shell starts the holder and ends, as a killed `dvc repro` does.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    shell = ["sh", "-c", '"$0" -c "$1" only_writer & echo $!; read line', sys.executable, HOLD]
    with subprocess.Popen(shell, stdin=-1, stdout=-1, env=environment, text=True) as parent:
        assert parent.stdin and parent.stdout
        holder = int(parent.stdout.readline())
        try:
            assert parent.stdout.readline() == "held\n"
            refused(rf"^process {holder} already runs this")
            parent.stdin.write("\n")
            parent.stdin.close()
            parent.wait(timeout=20)
            said = refused()
        finally:
            os.kill(holder, signal.SIGKILL)
    assert said == f"process {holder}, left over from a killed run, still runs this: end it with `kill {holder}`"


# Turns in the store


@contextmanager
def held_elsewhere(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Somebody in another clone who is at the stage `rate` of the same store."""
    folder.mkdir()
    command, environment = [sys.executable, "-c", HOLD, "writer_in_turn"], os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=-1, cwd=folder, env=environment, text=True) as holder:
        try:
            assert holder.stdout and holder.stdout.readline() == "held\n"
            yield holder
        finally:
            holder.kill()


def each_line(monkeypatch: pytest.MonkeyPatch, *actions: Callable[[], object]) -> None:
    """Do one thing after the other, each before a waiting one says its next line."""
    left, waited_for = iter(actions), locks.waiting_message

    def then(found: dict[str, Any]) -> str:
        next(left)()
        return waited_for(found)

    monkeypatch.setattr(locks, "waiting_message", then)
    monkeypatch.setattr(locks, "SECONDS_UNSAID", 0.001)
    monkeypatch.setattr(locks, "SECONDS_BETWEEN_LINES", 0)


def test_one_waits_for_the_other_and_goes_on_when_that_is_killed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(project / "shared"))
    with held_elsewhere(project / "clone") as holder:
        with locks.writer_in_turn("paint"):  # what is another's turn
            pass
        with locks.only_writer("rate"):  # who only decides
            pass
        each_line(monkeypatch, lambda: None, lambda: (holder.kill(), holder.wait()))
        with locks.writer_in_turn("rate"):
            lines = capsys.readouterr().err.splitlines()
            first = f"rate: process {holder.pid} in {project}/clone is working on this: waiting for it"
            assert lines == [first, f"{first}, for 0 min by now"]


def interrupt() -> None:
    """As Ctrl-C does."""
    raise KeyboardInterrupt


def test_waiting_can_be_interrupted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(project / "shared"))
    with held_elsewhere(project / "clone"):
        each_line(monkeypatch, interrupt)
        with pytest.raises(KeyboardInterrupt), locks.writer_in_turn("rate"):
            pytest.fail("two writers")
        assert Path("shared/locks/rate.json").exists(), "the other's"


def test_who_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"process": 7, "parent": os.getpid(), "machine": "node3", "folder": "/data/b"}
    monkeypatch.setattr(locks, "machine_name", lambda: "node3")
    monkeypatch.setattr("psutil.pid_exists", os.getpid().__eq__)
    assert locks.waiting_message({}) == "another process is working on this: waiting for it"
    assert locks.waiting_message(found) == "process 7 in /data/b is working on this: waiting for it"
    left = "process 7 in /data/b, left over from a killed run (`kill 7` ends it), is working on this: waiting for it"
    assert locks.waiting_message(found | {"parent": 6}) == left
    far = "process 7 of node4 in /data/b is working on this: waiting for it"
    assert locks.waiting_message(found | {"parent": 6, "machine": "node4"}) == far, "nobody knows of its parent here"
