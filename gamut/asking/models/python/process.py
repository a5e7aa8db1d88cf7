"""A function of a Python file as a model. It answers one request after the other in a process of its own, which is
started again if it ends. Its output goes to a log.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ConfigDict, TypeAdapter

from gamut.asking.models import child
from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.python import host
from gamut.asking.models.weights import digest
from gamut.asking.parts import bundle, split_thinking
from gamut.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Paint,
    Part,
    Picture,
    Rate,
    Read,
    Reply,
    Request,
    pack_vector,
    parts_of,
    schema_in_words,
    unpack_vector,
)
from gamut.asking.seeing import LINES, MOST_FOUND, read_detections, score_reply
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.model_kinds import PythonModel as Parameters
from gamut.project.places import path_on_disk, store_root
from gamut.project.plain_text import shorten_to_line
from gamut.project.roles import SCORERS, RoleModel
from gamut.project.settings import Endpoint

WEIGHTS_VARIABLE = "GAMUT_WEIGHTS"
"""The environment variable with the path of the weights that run.toml names."""
TAKES = {"detector": ("picture", "labels"), "reader": ("picture",), "image_embedder": ("picture",)}
TAKES |= dict.fromkeys(SCORERS.values(), ("picture", "text"))
"""Arguments of an observer's function; the functions of other models get ANSWERS_TO."""
ANSWERS_TO = ("parts", "wants", "size", "seed")
WANTED: Mapping[type, str] = {
    Detect: f"a list of at most {MOST_FOUND} (label asked about, score, (left, top, right, bottom))",
    Read: "a list of (text, confidence, ((x, y), …))",
    Embed: "a list of numbers",
    Rate: "a number",
    Paint: "one picture",
    Chat: "one text",
}
NUMBERS = TypeAdapter(list[float])
NUMBER = TypeAdapter(float, config=ConfigDict(allow_inf_nan=False, strict=True))
QUOTED = 80  # characters of a wrong value that an observer's function returned


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
        self.log_named = False
        self.start()

    def start(self) -> None:
        """Open the file in a new process. Raise UserError if it cannot be opened, or has changed meanwhile."""
        file = Path(self.model.file)
        if digest_of_file(file) != self.identity["revision"]:
            raise UserError(f"{self.name}: {file} was edited during the run: run `dvc repro` again to use it")
        self.pipe, its = Pipe()
        command = [sys.executable, "-m", host.__name__, str(its.fileno()), str(file), self.model.function, *self.takes]
        self.process = child.start(command, self.log, self.environment, [its.fileno()])
        its.close()
        try:
            head, _ = host.receive(self.pipe)
        except (EOFError, OSError):
            head = {"why": f"{file}: its process {self.end()} while it was opened"}
        if head:
            raise UserError(f"{self.name}: {head['why']}: fix it (its output: {self.log})")

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
            host.send(self.pipe, *call_of(request))
            head, parts = host.receive(self.pipe)
        except (EOFError, OSError):
            head, parts = {"finish": "transport_error", "why": f"{self.model.file}: its process {self.end()}"}, ()
        if not head:
            return reply_of(request, parts)
        if head["finish"] == "transport_error" and not self.log_named:
            self.log_named = True
            print(f"{self.name}: its output and tracebacks are in {self.log}", file=sys.stderr, flush=True)
        return Reply(head["why"].encode(errors="replace"), head["finish"])

    async def close(self) -> None:
        if self.process is not None:
            self.log_named = True  # failures from now on are caused by this end
            await asyncio.to_thread(child.stop, self.process)  # first, because its answer may be awaited
        await super().close()


def open_python(role_model: RoleModel, endpoint: Endpoint, identity: Mapping[str, Any]) -> PythonModel:
    model = role_model.model
    assert isinstance(model, Parameters)
    weights = weights_of(str(role_model), role_model.slug, model, endpoint)
    several = f"-{os.getpid()}" if endpoint.workers > 1 else ""
    log = store_root() / "python" / f"{role_model.slug}{several}.log"
    log.unlink(missing_ok=True)  # a process of another working tree may still write to it
    return PythonModel(role_model, model, identity, weights, log)


def weights_of(name: str, slug: str, model: Parameters, endpoint: Endpoint) -> Path | None:
    """Return the file or folder of weights that run.toml names, or None. Raise UserError unless it is as pinned."""
    path = path_on_disk(endpoint.weights) if endpoint.weights else None
    actual = digest(path) if path and path.exists() else None
    if actual != model.revision or (path and not actual):
        raise UserError(
            f"{name}: the digest of `[models.{slug}] weights` in run.toml is {actual or 'not there'}, its `revision` "
            f"in params.yaml is {model.revision or 'left out'}: fix one of the two, by `gamut pin {slug}` if both exist"
        )
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
            beside = {name: getattr(request, name) for name in ("labels", "text") if hasattr(request, name)}
            return beside, [part.data for part in parts_of(request)[:1] if isinstance(part, Picture)]
    parts = chat_parts(request) if isinstance(request, Chat) else parts_of(request)
    given = [part if isinstance(part, str) else part.data for part in parts]
    return {**asked, "seed": request.seed + request.sample}, given


def chat_parts(request: Chat) -> Iterator[Part]:
    """Yield the parts of a chat in order: with several turns each after its role, and last the form of the reply."""
    for message in request.messages:
        if len(request.messages) > 1:
            yield f"{message.role}:\n"
        yield from message.parts
    if request.schema:
        yield schema_in_words(request.schema)


def reply_of(request: Request, parts: Sequence[str | bytes]) -> Reply:
    """Return a function's parts, or its JSON, as a reply; `missing` if they do not fit the request."""
    match request, parts:
        case Create(), [str() as text, *others]:
            thinking, said = split_thinking(text)
            return Reply(bundle([part for part in (said, *others) if part], thinking))
        case Create(), _:
            return Reply(bundle(parts))
        case Paint(), [bytes() as picture]:
            return Reply(picture)
        case Chat(), [str() as text]:
            return Reply(text.encode())
        case Paint() | Chat(), _:
            found = " and ".join("a text" if isinstance(part, str) else "a picture" for part in parts)
        case _, [str() as text]:
            try:
                return Reply(observed_content(request, text))
            except ValueError:
                found = shorten_to_line(text, QUOTED)
    return Reply(f"it returned {found}; expected {WANTED[type(request)]}".encode(), "missing")


def observed_content(request: Request, content: str) -> bytes:
    """Return an observer's value as the content of a reply to its request. Raise ValueError for any other value."""
    if isinstance(request, Embed):
        packed = pack_vector(np.array(NUMBERS.validate_json(content), np.float32))
        unpack_vector(packed)
        return packed
    if isinstance(request, Rate):
        return score_reply(NUMBER.validate_json(content)).content
    if isinstance(request, Detect):
        if any(one.label not in request.labels for one in read_detections(content.encode())):
            raise ValueError
    else:
        LINES.validate_json(content)
    return content.encode()
