"""Builds that are killed, whole process group at once: after a while, or in the middle of what DVC itself writes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.end_to_end.project import Project

AIMED = Path(__file__).with_name("aimed")
TARGETS = ("dvc.lock", "dvc.lock", "/tmp/rwlock", "/runs/")
"""What DVC writes in place, or in several steps: parts of paths. The lock is written longest."""
MOST_WRITES = 6


class Kill(NamedTuple):
    """When a run is killed: after so many seconds, or, aimed, at which write of DVC's own (aimed/sitecustomize.py)."""

    seconds: float | None = None
    aimed: str = ""


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
