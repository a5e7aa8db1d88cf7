"""Starts processes of models for one `dvc`, run as a program by `kept`: torch is imported once, and each is a fork.

So each begins as new: what a library sets for a whole process, such as how attention is computed, is never the doing of
another model. This process has one thread and touches no card, or no fork of it could use one.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import orjson
import psutil

from stages.asking.models.model_process import LOOK_SECONDS, is_at_work, serve

IMPORTED = (
    "torch",
    "transformers.modeling_utils",
    "transformers.models.auto.image_processing_auto",
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
)
LONGEST = 1_000_000  # bytes of what is wanted
BACKLOG_SECONDS = 60.0


def main() -> None:
    """Fork a process for each socket that comes along, until `dvc` ends."""
    listening = socket.socket(fileno=int(sys.argv[1]))
    dvc = psutil.Process(int(sys.argv[2]))  # told by its number and, whatever the clock does, by when it began
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # or an import that asks for cards ties them to here
    for name in IMPORTED:
        with suppress(ImportError):  # the model itself will say what is missing
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that end
    listening.settimeout(LOOK_SECONDS)
    while is_at_work(dvc):
        with suppress(TimeoutError):
            begin(listening, dvc)
    Path(listening.getsockname()).unlink(missing_ok=True)


def begin(listening: socket.socket, dvc: psutil.Process) -> None:
    """Wait for what is wanted, and fork a process that serves it at the socket that comes with it."""
    connection, _ = listening.accept()
    with connection:
        connection.settimeout(BACKLOG_SECONDS)
        wanted, sockets, _, _ = socket.recv_fds(connection, LONGEST, 1)
        if os.fork():
            for one in sockets:
                os.close(one)
            return
    listening.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    serve(orjson.loads(wanted), socket.socket(fileno=sockets[0]), dvc)


if __name__ == "__main__":
    main()
