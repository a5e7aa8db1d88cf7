"""A function of a Python file as a model: asked one request after the other, in a process that is started again where
it ended. What it prints goes to a log.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError

from gamut.asking.models import child
from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.python import host
from gamut.asking.models.weights import digest
from gamut.asking.parts import bundle
from gamut.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Paint,
    Part,
    Picture,
    Reply,
    Request,
    pack_vector,
    parts_of,
    schema_in_words,
    unpack_vector,
)
from gamut.asking.seeing import FOUND, LINES, require_a_count
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.model_kinds import PythonModel as Parameters
from gamut.project.places import path_on_disk, store_root
from gamut.project.plain_text import shorten_to_line
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint

WEIGHTS_VARIABLE = "GAMUT_WEIGHTS"
"""The environment variable by which a file finds the weights that run.toml names."""
TAKES = {
    "detector": ("picture", "labels"),
    "reader": ("picture",),
    "image_embedder": ("picture",),
}
"""What the function of an observer is given; that of everybody else is given ANSWERS_TO."""
ANSWERS_TO = ("parts", "wants", "size", "seed")
WANTED = {
    "Detect": "a list of (label, score, (left, top, right, bottom)) is",
    "Read": "a list of (text, confidence, ((x, y), …)) is",
    "Embed": "a list of numbers is",
}
NUMBERS = TypeAdapter(list[float])
QUOTED = 80  # characters of what an observer's function returned that is none of these


class PythonModel(BatchedModel):
    """Asks the function of a Python file; `close` ends its process."""

    def __init__(
        self, role_model: RoleModel, model: Parameters, identity: Mapping[str, Any], weights: Path | None, log: Path
    ) -> None:
        super().__init__(identity, 1, lambda requests: [self.reply(request) for request in requests])
        self.name, self.model, self.log = str(role_model), model, log
        self.takes = TAKES.get(role_model.role, ANSWERS_TO)
        self.environment = {name: value for name, value in os.environ.items() if name != WEIGHTS_VARIABLE}
        self.environment |= {"PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}
        self.environment |= {WEIGHTS_VARIABLE: str(weights)} if weights else {}
        self.process: subprocess.Popen[bytes] | None = None
        self.told = False
        self.start()

    def start(self) -> None:
        """Open the file in a new process; UserError where it cannot be opened, or is no longer what was to be asked."""
        file = Path(self.model.file)
        if digest_of_file(file) != self.identity["revision"]:
            raise UserError(f"{self.name}: {file} was edited while it was asked: `dvc repro` asks it as it is now")
        ours, its = socket.socketpair()
        command = [sys.executable, "-m", host.__name__, str(its.fileno()), str(file), self.model.function, *self.takes]
        self.process = child.start(command, self.log, self.environment, [its.fileno()])
        its.close()
        self.stream = ours.makefile("rwb")
        ours.close()
        ready = host.receive(self.stream)
        if ready is None or ready[0]:
            why = f"{file}: its process {self.end()} while it was opened" if ready is None else ready[0]["failed"]
            raise UserError(f"{self.name}: {why}: mend it (what it printed: {self.log})")

    def end(self) -> str:
        """End the process, and return how it ended."""
        assert self.process is not None
        child.stop(self.process)
        code, self.process = self.process.returncode, None
        ended_by = code - 128 if code > 128 else -code
        return f"was ended by {signal.Signals(ended_by).name}" if ended_by > 0 else f"ended with exit status {code}"

    def reply(self, request: Request) -> Reply:
        if self.process is None:
            self.start()
        try:
            host.send(self.stream, *call_of(request))
            replied = host.receive(self.stream)
        except BrokenPipeError:
            replied = None
        if replied is None:
            return self.failed_reply(f"{self.model.file}: its process {self.end()}")
        head, parts = replied
        if "failed" in head:
            return self.failed_reply(head["failed"])
        if "unfit" in head:
            return Reply(head["unfit"].encode(), "missing")
        if "invalid" in head:
            return Reply(head["invalid"].encode(), "invalid")
        return reply_of(request, parts)

    def failed_reply(self, why: str) -> Reply:
        if not self.told:
            self.told = True
            print(f"{self.name}: what it prints, and each traceback: {self.log}", file=sys.stderr, flush=True)
        return Reply(why.encode(), "transport_error")

    async def close(self) -> None:
        if self.process is not None:
            await asyncio.to_thread(child.stop, self.process)  # first, as its answer may be waited for
        await super().close()


def open_python(role_model: RoleModel, endpoint: Endpoint, identity: Mapping[str, Any]) -> PythonModel:
    model = role_model.model
    assert isinstance(model, Parameters)
    weights = weights_of(str(role_model), role_model.slug, model, endpoint)
    several = f"-{os.getpid()}" if endpoint.workers > 1 else ""
    log = store_root() / "python" / f"{role_model.slug}{several}.log"
    log.unlink(missing_ok=True)  # a process of another working tree may be writing there still
    return PythonModel(role_model, model, identity, weights, log)


def weights_of(name: str, slug: str, model: Parameters, endpoint: Endpoint) -> Path | None:
    """Return the file or folder of weights that run.toml names, if it does; UserError unless it is as pinned."""
    place = f"`[models.{slug}] weights` of run.toml"
    if endpoint.weights is None and model.revision is None:
        return None
    if endpoint.weights is None:
        raise UserError(f"{name}: its `revision` in params.yaml pins weights, and {place} does not name them")
    path = path_on_disk(endpoint.weights)
    if not path.exists():
        raise UserError(f"{name}: there is no {path}: mend {place}")
    if (actual := digest(path)) != model.revision:
        mend = f"`gamut pin {slug}` writes" if model.revision else f"`revision: {actual}` in its block says"
        raise UserError(f"{name}: {path} is not what params.yaml pins: {mend} what it is now")
    return path


def call_of(request: Request) -> tuple[host.Head, host.Parts]:
    match request:
        case Create():
            asked = {"wants": request.modalities, "size": (request.width, request.height)}
        case Paint():
            asked = {"wants": ("image",), "size": (request.width, request.height)}
        case Chat():
            asked = {"wants": ("text",), "size": (0, 0)}
        case _:
            labels = {"labels": request.labels} if isinstance(request, Detect) else {}
            return labels, [part.data for part in parts_of(request)[:1] if isinstance(part, Picture)]
    parts = chat_parts(request) if isinstance(request, Chat) else parts_of(request)
    given = [part if isinstance(part, str) else part.data for part in parts]
    return {**asked, "seed": request.seed + request.sample}, given


def chat_parts(request: Chat) -> Iterator[Part]:
    """Yield what is said in order, after whose turn it is where there are several, and the form of the reply."""
    for message in request.messages:
        if len(request.messages) > 1:
            yield f"{message.role}:\n"
        yield from message.parts
    if request.schema:
        yield schema_in_words(request.schema)


def reply_of(request: Request, parts: Sequence[str | bytes]) -> Reply:
    """Return the reply that a function's parts, or its JSON, make; `missing` where they answer something else."""
    match request:
        case Create():
            return Reply(bundle(parts))
        case Paint() | Chat():
            kind = bytes if isinstance(request, Paint) else str
            if len(parts) == 1 and isinstance(part := parts[0], kind):
                return Reply(part if isinstance(part, bytes) else part.encode())
            found = " and ".join("a text" if isinstance(part, str) else "a picture" for part in parts)
            wanted = "one picture" if kind is bytes else "one text"
            return Reply(f"it returned {found}; {wanted} is wanted".encode(), "missing")
    [part] = parts
    try:
        return Reply(observed_content(request, str(part)))
    except ValidationError:
        what, wanted = shorten_to_line(str(part), QUOTED), WANTED[type(request).__name__]
        return Reply(f"it returned {what}; {wanted} wanted".encode(), "missing")
    except ValueError as error:
        return Reply(f"it returned what is no answer: {error}".encode(), "missing")


def observed_content(request: Request, content: str) -> bytes:
    """Return what an observer returned as replies to such requests hold it; an error where it is something else."""
    match request:
        case Detect():
            found = FOUND.validate_json(content)
            require_a_count(found)
            if odd := next((one.label for one in found if one.label not in request.labels), None):
                raise ValueError(f"a box is labelled {odd!r}, which was not asked about")
            return orjson.dumps([list(one) for one in found])
        case Embed():
            packed = pack_vector(np.array(NUMBERS.validate_json(content), np.float32))
            unpack_vector(packed)
            return packed
        case _:
            return orjson.dumps([list(line) for line in LINES.validate_json(content)])
