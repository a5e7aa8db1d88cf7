"""A command that ends when this process ends, in whatever way, even by `kill -9`.

Between them runs a keeper: this file, run as a program. It reads a pipe whose other end only this process has, and when
the pipe closes it kills the command's group. PR_SET_PDEATHSIG would leave vLLM's engine running.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

GRACE_SECONDS = 20.0  # how long a command may take to end by itself


def start(
    command: Sequence[str], log: Path, environment: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a command. Its output is appended to `log`. It inherits the open files `pass_fds` under their numbers."""
    log.parent.mkdir(parents=True, exist_ok=True)
    keeper = [sys.executable, "-I", __file__, *command]  # -I: the modules beside this file hide no others
    with log.open("ab") as output:  # a session of its own: Ctrl-C is for us to handle
        return subprocess.Popen(
            keeper,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            pass_fds=pass_fds,
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a command that `start` started, and wait until it and all of its processes are gone."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def keep_running(command: Sequence[str]) -> int:
    """Run a command until it ends, or until standard input does; then end its whole process group."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, close_fds=False)

    def follow() -> None:
        os.read(sys.stdin.fileno(), 1)
        os.kill(process.pid, signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)

    threading.Thread(target=follow, daemon=True).start()
    try:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # not reaped yet: its number stays taken
    finally:
        with suppress(ProcessLookupError, PermissionError):  # as some systems say of a group that has ended
            os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(keep_running(sys.argv[1:]))
