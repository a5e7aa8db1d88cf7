"""What the process does that has a model opened for one stage after another: `starter` forks it, `kept` asks it.

It ends when the `dvc` ends that it was started for, however that goes, when nobody has been connected for a while,
after an error that concerns all requests, and when somebody else wants the card and nobody is connected.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
from pydantic import TypeAdapter

from stages.asking.models.frames import framed, read, received
from stages.asking.models.opening import Model, open_here
from stages.project import model_kinds
from stages.project.errors import KEPT, ModelDied, UserError, system_refusal
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint

IDLE_SECONDS = 600.0
LOOK_SECONDS = 0.2
"""Between two looks at whether `dvc` still runs."""


class Serving:
    """One model, and the stages that are connected."""

    def __init__(self, role_model: RoleModel, endpoint: Endpoint, listening: socket.socket) -> None:
        self.role_model, self.endpoint, self.listening = role_model, endpoint, listening
        self.connected = 0
        self.idle_since = time.monotonic()
        self.found, self.failed = True, False

    async def serve(self) -> None:
        """Open the model, and answer whoever connects."""
        self.opening = asyncio.create_task(asyncio.to_thread(open_here, self.role_model, self.endpoint))
        server = await asyncio.start_unix_server(self.attend, sock=self.listening)
        await server.serve_forever()

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection: whoever wants the model, or wants it gone."""
        self.connected += 1  # before anything else: who came first may not have spoken yet
        try:
            said = await received(reader)
            if said == "end":
                alone = self.connected == 1
                with suppress(ConnectionError):  # whoever wants the card may have waited long enough
                    writer.write(framed(os.getpid() if alone else 0))
                    await writer.drain()
                if alone:
                    self.end()
            elif said == "open":
                await self.answer_all(reader, writer)
        finally:
            writer.close()
            self.idle_since = time.monotonic()  # first: `follow` looks whenever nobody is connected
            self.connected -= 1
            if self.failed and not self.connected:
                self.end()

    async def answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what one stage asks, as it comes, until it hangs up."""
        try:
            model = await asyncio.shield(self.opening)
        except Exception as error:  # told to whoever asked
            writer.write(framed(self.told(error)))
            await writer.drain()
            return
        writer.write(framed({"concurrency": model.concurrency, "process": os.getpid()}))
        asked: set[asyncio.Task[None]] = set()
        while (said := await received(reader)) is not None:
            task = asyncio.create_task(self.answer(model, writer, *said))
            asked.add(task)
            task.add_done_callback(asked.discard)
        for task in asked:
            task.cancel()

    async def answer(self, model: Model, writer: asyncio.StreamWriter, number: int, message: list[Any]) -> None:
        """Answer one request."""
        try:
            said = asdict(await model.answer(read(message)))
        except Exception as error:  # told to whoever asked
            said = self.told(error)
        writer.write(framed([number, said]))

    def told(self, error: Exception) -> dict[str, str]:
        """Return an error as a message; this process is not asked again after it."""
        self.failed = True
        self.be_found_no_more()
        if isinstance(error, OSError) and (line := system_refusal(error)):
            error = UserError(line + KEPT)
        kind = next((kind for kind in (ModelDied, UserError) if isinstance(error, kind)), None)
        text = str(error) if kind else "".join(traceback.format_exception(error))
        return {"error": kind.__name__ if kind else "", "text": text, "name": str(self.role_model)}

    def follow(self, dvc: psutil.Process) -> None:
        """End this process when it is of no use any more; a thread's work, as the model may keep the loop busy."""
        while is_at_work(dvc) and (self.connected or time.monotonic() - self.idle_since < IDLE_SECONDS):
            time.sleep(LOOK_SECONDS)
        self.end()

    def end(self) -> None:
        """End this process, whatever its threads are at."""
        self.be_found_no_more()
        os._exit(0)

    def be_found_no_more(self) -> None:
        """Remove the socket, once: another process may be started in the place of this one."""
        if self.found:
            self.found = False
            Path(self.listening.getsockname()).unlink(missing_ok=True)


def is_at_work(process: psutil.Process) -> bool:
    """Return whether a process has not ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def serve(wanted: Mapping[str, Any], listening: socket.socket, dvc: psutil.Process) -> None:
    """Serve the model that is wanted to whoever connects, until this `dvc` ends."""
    model = TypeAdapter(model_kinds.Model).validate_python(wanted["model"])
    endpoint = Endpoint.model_validate(wanted["endpoint"])
    serving = Serving(RoleModel(wanted["role"], wanted["slug"], model), endpoint, listening)
    threading.Thread(target=serving.follow, args=[dvc], daemon=True).start()
    asyncio.run(serving.serve())
