"""Builds that are killed, whole process group at once: after a while, or in the middle of what DVC itself writes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from gamut.asking.requests import Reply, Request
from tests.end_to_end.project import Project
from tests.stub_server import Answer

AIMED = Path(__file__).with_name("aimed")
TARGETS = ("dvc.lock", "dvc.lock", "/tmp/rwlock", "/runs/")
"""What DVC writes in place, or in several steps: parts of paths. The lock is written longest."""
MOST_WRITES = 6


class Kill(NamedTuple):
    """When a run is killed: after so many seconds, or, aimed, at which write of DVC's own (aimed/sitecustomize.py)."""

    seconds: float | None = None
    aimed: str = ""


class Gate:
    """Answers by a function; at the chosen call it says so, and answers no more until opened again."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.calls, self.stop_at = answer, 0, -1
        self.reached, self.open, self.lock = threading.Event(), threading.Event(), threading.Lock()
        self.open.set()

    def __call__(self, request: Request) -> Reply:
        with self.lock:
            self.calls += 1
            if self.calls == self.stop_at:
                self.open.clear()
                self.reached.set()
        self.open.wait()
        return self.answer(request)

    def kill_at(self, call: int, project: Project, *command: str) -> None:
        """Run a command, and kill it with all that it has started when this call comes."""
        self.reached.clear()
        self.stop_at = call
        running = project.start(*command)
        assert self.reached.wait(120), "the run ended before the moment came"
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        self.open.set()


def killed_after(seed: int, longest: float) -> Kill:
    """A kill at any moment up to so many seconds."""
    return Kill(random.Random(seed).uniform(0, longest))


def killed_writing(seed: int) -> Kill:
    """A kill at a write of DVC's own."""
    chance = random.Random(seed)
    share = chance.choice([-1.0, 0.0, chance.random()])
    return Kill(aimed=f"{chance.choice(TARGETS)} {chance.randint(1, MOST_WRITES)} {share}")


def make_run(project: Project, until: str = "") -> list[str]:
    """`make run` in this environment, as it stands: of all, or of what a stage needs."""
    environment = os.path.relpath(sys.prefix, project.folder)
    return [
        "make",
        "--no-print-directory",
        f"ENV={environment}",
        f"--old-file={environment}/.core",
        "run",
        f"ARGS={until}",
    ]


def run_until(project: Project, kill: Kill, until: str = "") -> subprocess.CompletedProcess[str]:
    """Run `make run`, and kill it with all that it has started; the exit code is -9 where that came before the end."""
    shim = {"GAMUT_TEST_KILL": kill.aimed, "PYTHONPATH": f"{AIMED}{os.pathsep}{project.folder}"} if kill.aimed else {}
    running = Project(project.folder, project.environment | shim).start(*make_run(project, until))
    try:
        out, errors = running.communicate(timeout=kill.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        out, errors = running.communicate()
    return subprocess.CompletedProcess(running.args, running.returncode, out, errors)
