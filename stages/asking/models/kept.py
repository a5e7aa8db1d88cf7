"""A model in a process of its own that outlives the stage: the next stage finds it loaded.

Importing torch and reading weights takes longer than many a stage asks. So what a stage would open in its own process
is opened in another one (`model_process`) when `dvc repro` runs the stage, and that one lives until `dvc repro` ends.
It is a fork of one that has imported torch already (`starter`), which is safe on Linux alone.
Two models may not fit on a card: whoever opens one lets go of those that nobody is connected to, whoever began them.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import psutil
from filelock import FileLock

from stages.asking.models.frames import LENGTH, framed, received, reply, written
from stages.asking.requests import Reply, Request
from stages.project.errors import ModelDied, UserError
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint
from stages.project.stage import digest

OWN_WAY = ("image_embedder", "detector")
"""Roles for which a model is opened in a way of their own; for all others it is the same one."""
LONGEST_FOLDER = 70
"""Bytes of the sockets' folder: with its name the address of a socket may have 107."""
STARTER = (sys.executable, "-W", "ignore::DeprecationWarning", "-m", "stages.asking.models.starter")
"""Python warns of forks where there are threads: there only the BLAS of numpy has some, and it knows forks."""
ENDING_SECONDS = 20.0
ERRORS = {"UserError": UserError, "ModelDied": ModelDied}
CODE = Path(__file__).parents[2]
"""Of a process that has imported some of it, all must be as it was."""


def dvc_above() -> psutil.Process | None:
    """Return the `dvc` that runs this stage; None when none does, or no model can be kept here."""
    too_long = len(os.fsencode(sockets())) > LONGEST_FOLDER
    if "DVC_STAGE" not in os.environ or sys.platform != "linux" or too_long:
        return None
    for process in psutil.Process().parents():
        with suppress(psutil.Error):
            if "dvc" in [Path(word).name for word in process.cmdline()[:3]]:
                return process
    return None


def sockets() -> Path:
    """Return the folder of this user's sockets: not in the store, whose path may be too long for one."""
    return Path(tempfile.gettempdir()) / f"gamut-{os.getuid()}"


def open_kept(role_model: RoleModel, endpoint: Endpoint, identity: Mapping[str, Any], dvc: psutil.Process) -> KeptModel:
    """Connect to the process that has a model opened for this `dvc`, or start it; UserError when it cannot be opened.

    Another model, other settings and other code have another process.
    """
    role, slug, model = role_model
    wanted = {
        "role": role,
        "slug": slug,
        "model": model.model_dump(mode="json"),
        "endpoint": endpoint.model_dump(mode="json"),
    }
    started_for = {"dvc": [dvc.pid, dvc.create_time()], "code": digest(CODE), "project": os.getcwd()}
    path = socket_of(wanted | started_for | {"role": role if role in OWN_WAY else ""}, "sock")
    make_private(sockets())
    said = None
    while said is None:
        with FileLock(sockets() / "lock"):
            let_go_unlocked(but=path)
            found = connected(path)
            connection = found or started(path, wanted, socket_of(started_for, "starter"), dvc)
        said = answer_to(connection, "open")
        if said is None and not found:  # one that was found may have been about to end
            raise ModelDied(died(str(role_model)))
    if "error" in said:
        connection.close()
        raise error_of(str(role_model), said)
    return KeptModel(str(role_model), identity, said["concurrency"], said["process"], connection)


def socket_of(what: Mapping[str, Any], ending: str) -> Path:
    """Return the socket of the process that is all this."""
    name = hashlib.sha256(orjson.dumps(what, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
    return sockets() / f"{name}.{ending}"


def make_private(folder: Path) -> None:
    """Make a folder that is this user's alone; UserError when another has been there before."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if not is_private(folder):
        raise UserError(f"{folder}: is not yours alone: remove it, or let TMPDIR name another folder")


def is_private(folder: Path) -> bool:
    """Return whether a folder, and no link to one, is there and this user's alone."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def connected(path: Path) -> socket.socket | None:
    """Return a connection to the process that listens at a path; None when there is none any more."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        path.unlink(missing_ok=True)
        return None
    return connection


def started(path: Path, wanted: Mapping[str, Any], starter: Path, dvc: psutil.Process) -> socket.socket:
    """Have the process of a model started, and return a connection to it."""
    with listening_at(path) as listening, starter_at(starter, dvc) as asked:
        socket.send_fds(asked, [orjson.dumps(wanted)], [listening.fileno()])
    connection = connected(path)
    assert connection is not None  # it waits in line until the process takes it
    return connection


def starter_at(path: Path, dvc: psutil.Process) -> socket.socket:
    """Return a connection to the process that starts all others for a `dvc`, which is started first where it is not."""
    if running := connected(path):
        return running
    with listening_at(path) as listening:
        subprocess.Popen(
            [*STARTER, str(listening.fileno()), str(dvc.pid)],
            stdin=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
            start_new_session=True,  # Ctrl-C is for the stage
        )
    connection = connected(path)
    assert connection is not None
    return connection


def listening_at(path: Path) -> socket.socket:
    """Return a socket that listens at a path, for this user alone."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    path.chmod(0o600)
    listening.listen()
    return listening


def answer_to(connection: socket.socket, message: str) -> Any:
    """Return what the process says to the first message; None, and nobody is connected, when it has ended."""
    try:
        connection.sendall(framed(message))
        with connection.makefile("rb") as file:
            return orjson.loads(file.read(*LENGTH.unpack(file.read(LENGTH.size))))
    except (OSError, struct.error, orjson.JSONDecodeError):  # cut off, or too long in coming
        connection.close()
        return None


def let_go() -> None:
    """End all processes of models that nobody is connected to: this process wants the card."""
    if is_private(sockets()):  # in any other there is none of them, and nothing in it is to be touched
        with FileLock(sockets() / "lock"):
            let_go_unlocked()


def let_go_unlocked(but: Path | None = None) -> None:
    """End all processes of models but one that nobody is connected to, and wait until they are gone."""
    for path in sorted(sockets().glob("*.sock")):
        if path == but or (connection := connected(path)) is None:
            continue
        with connection:
            connection.settimeout(ENDING_SECONDS)
            if process := answer_to(connection, "end"):
                wait_for_end(process)


def wait_for_end(process: int) -> None:
    """Wait until a process has given back what it held, memory of the card too."""
    deadline = time.monotonic() + ENDING_SECONDS
    with suppress(psutil.NoSuchProcess):
        one = psutil.Process(process)
        while one.is_running() and one.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
            time.sleep(0.02)


def error_of(name: str, said: Mapping[str, str]) -> Exception:
    """Return an error as the process of a model tells it, in the name of the role that asks here."""
    kind, text = ERRORS.get(said["error"], RuntimeError), said["text"]
    return kind(f"{name}{text.removeprefix(said['name'])}" if text.startswith(said["name"]) else text)


def died(name: str) -> str:
    """Return what is said when the process of a model is gone."""
    return f"{name}: the process of its model ended (out of memory?): run it again to go on"


class KeptModel:
    """Asks the process of a model; `close` leaves it to whoever comes next."""

    by_record = False

    def __init__(
        self, name: str, identity: Mapping[str, Any], concurrency: int, process: int, connection: socket.socket
    ) -> None:
        self.name, self.identity, self.concurrency = name, identity, concurrency
        self.process, self.connection = process, connection
        self.connecting: asyncio.Task[asyncio.StreamWriter] | None = None
        self.reading: asyncio.Task[None] | None = None
        self.numbers = itertools.count()
        self.waiting: dict[int, asyncio.Future[Reply]] = {}

    async def answer(self, request: Request) -> Reply:
        """Ask the process; ModelDied when it has ended."""
        if self.connecting is None:
            self.connecting = asyncio.create_task(self._connect())
        writer = await asyncio.shield(self.connecting)
        if self.reading is None or self.reading.done():
            raise ModelDied(died(self.name))
        number, answered = next(self.numbers), asyncio.get_running_loop().create_future()
        self.waiting[number] = answered
        try:
            writer.write(framed([number, written(request)]))
            return await answered
        finally:
            del self.waiting[number]

    async def _connect(self) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_unix_connection(sock=self.connection)
        self.reading = asyncio.create_task(self._read(reader))
        return writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Hand on what the process says; when it ends, tell all who wait."""
        try:
            while (said := await received(reader)) is not None:
                number, message = said
                answered = self.waiting.get(number)
                if answered is None or answered.done():
                    continue  # a run that stops gives up waiting
                if "error" in message:
                    answered.set_exception(error_of(self.name, message))
                else:
                    answered.set_result(reply(message))
        finally:  # also after what nobody could read: no one waits for ever
            for answered in self.waiting.values():
                if not answered.done():
                    answered.set_exception(ModelDied(died(self.name)))

    async def close(self) -> None:
        """Hang up."""
        if self.reading is not None:
            self.reading.cancel()
        if self.connecting is not None:
            (await self.connecting).close()
        self.connection.close()
