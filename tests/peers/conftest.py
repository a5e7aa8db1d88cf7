"""Real programs beside gamut, in an environment of their own: `make test-peers` makes it and runs these tests alone."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

PEERS = os.environ.get("GAMUT_PEERS", "")
"""The folder of the environment that has the programs."""
UNTIL_UP = 180.0  # seconds

collect_ignore_glob = [] if PEERS else ["test_*.py"]


@contextmanager
def running(command: list[str], up: str, log: Path) -> Iterator[None]:
    """A program of the peers' environment, from when it answers at the address `up` on."""
    folder = Path(PEERS).absolute() / "bin"
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1"}
    surroundings = os.environ | offline | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    with log.open("w") as file:
        process = subprocess.Popen([str(folder / command[0]), *command[1:]], env=surroundings, stdout=file, stderr=file)
        try:
            deadline = time.monotonic() + UNTIL_UP
            while not answers(up):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
                time.sleep(0.2)
            yield
        finally:
            process.kill()
            process.wait()


def answers(url: str) -> bool:
    """Whether a server is there, and ready."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False
