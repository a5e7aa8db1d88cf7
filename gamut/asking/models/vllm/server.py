"""A chat model that vLLM serves on this machine's GPU.

`vllm serve` is a child process that is asked over HTTP; its engine would be a separate process in any case.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import secrets
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gamut.asking.models import child
from gamut.asking.models.extras import INSTALL_VLLM, find_program
from gamut.asking.models.http.client import HttpModel
from gamut.asking.models.weights import require_template_variables, weights_folder
from gamut.asking.requests import Reply, Request, wants_picture
from gamut.project import model_kinds
from gamut.project.errors import ModelDied, UserError
from gamut.project.places import store_root
from gamut.project.plain_text import harmless_text, shorten_to_line
from gamut.project.settings import Endpoint

LOADING_SECONDS = 1800.0
"""How long a server may take until it answers: to read and compile 70B parameters takes minutes."""
PAUSE_SECONDS = 0.5  # between two checks whether the server is ready, or still runs
CONCURRENCY = 256  # requests in flight by default: as many as a server works on at once on most cards
TEMPLATES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
"""Files of a model's repository that can hold its chat template."""
MEMORY_SHARE = 0.9  # of a card's memory that a server takes if it is alone on it: vLLM's own default
KEY_VARIABLE = "GAMUT_VLLM_KEY"
LAST_WORDS_BYTES = 64_000  # bytes of the log that are searched
WORDS_LENGTH = 300  # characters


class VllmModel:
    """Asks a vLLM server that runs as a child process; `close` ends it."""

    by_record = False

    def __init__(
        self, name: str, model: model_kinds.VllmModel, client: HttpModel, process: subprocess.Popen[bytes], log: Path
    ) -> None:
        self.name, self.client, self.process, self.log = name, client, process, log
        self.identity: Mapping[str, Any] = model_kinds.identity(model)
        self.concurrency = client.concurrency

    async def answer(self, request: Request) -> Reply:
        """Ask the server; ModelDied as soon as its process has ended."""
        if wants_picture(request):
            return Reply(b"vLLM serves models that write, and makes no picture", "unsupported")
        answering = asyncio.ensure_future(self.client.answer(request))
        try:
            while not answering.done():
                await asyncio.wait({answering}, timeout=PAUSE_SECONDS)
                if self.process.poll() is not None and not is_answered(answering):
                    raise ModelDied(f"{self.name}: vllm ended: {last_words(self.log)} (full log: {self.log})")
            return answering.result()
        finally:
            answering.cancel()

    async def close(self) -> None:
        await self.client.close()
        await asyncio.to_thread(child.stop, self.process)


def open_vllm(name: str, slug: str, model: model_kinds.VllmModel, endpoint: Endpoint) -> VllmModel:
    if (program := find_program("vllm")) is None:
        raise UserError(f"{name}: the program vllm is missing: {INSTALL_VLLM} (Linux with a GPU), or put it on PATH")
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    templates = (one.read_text(encoding="utf-8") for file in TEMPLATES if (one := folder / file).is_file())
    require_template_variables(name, slug, model.chat_template_kwargs or {}, "".join(templates))
    port, key = free_port(), secrets.token_urlsafe(32)  # the key keeps other users of this machine out
    several = f"-{os.getpid()}" if endpoint.workers > 1 else ""
    log = store_root() / "vllm" / f"{slug}{several}.log"
    path = os.pathsep.join([str(Path(program).parent), os.environ.get("PATH", os.defpath)])  # ninja is next to it
    surroundings = {"PATH": path, "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_API_KEY": key}
    log.unlink(missing_ok=True)  # a server of another working tree may still write to it
    process = child.start(serve_command(program, folder, model, endpoint, port), log, os.environ | surroundings)
    try:
        wait_until_ready(name, slug, process, port, log)
        return VllmModel(name, model, http_client(name, slug, model, endpoint, port, key), process, log)
    except BaseException:
        child.stop(process)
        raise


def serve_command(program: str, folder: Path, model: model_kinds.VllmModel, endpoint: Endpoint, port: int) -> list[str]:
    line = [program, "serve", str(folder), "--served-model-name", model.id, "--host", "127.0.0.1", "--port", str(port)]
    line += ["--dtype", model.dtype, "--load-format", "safetensors", "--seed", "0"]
    line += ["--no-enable-log-requests", "--disable-uvicorn-access-log"]
    line += [*model_kinds.SERVING, "--max-model-len", str(model.max_model_len or -1)]  # -1: what memory holds of it
    if model.quantization:
        line += ["--quantization", model.quantization]
    if model.reasoning_parser:
        line += ["--reasoning-parser", model.reasoning_parser]
    if model.trust_remote_code:
        line += ["--trust-remote-code"]
    gpus = endpoint.gpus or 0
    if 0 < gpus < 1:  # workers share the card
        line += ["--gpu-memory-utilization", f"{MEMORY_SHARE * gpus:g}"]
    if gpus > 1:  # mp: workers as its own processes, also where Ray started us
        line += ["--tensor-parallel-size", str(int(gpus)), "--distributed-executor-backend", "mp"]
    if endpoint.batch:
        line += ["--max-num-seqs", str(endpoint.batch)]
    if sees_pictures(folder):  # any number of pictures, but no memory for videos, which are never sent
        line += ["--limit-mm-per-prompt", '{"video": 0}']
    return line + endpoint.extra_args


def sees_pictures(folder: Path) -> bool:
    try:
        return "vision_config" in json.loads((folder / "config.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return False


def http_client(
    name: str, slug: str, model: model_kinds.VllmModel, endpoint: Endpoint, port: int, key: str
) -> HttpModel:
    variables = model.chat_template_kwargs
    served = model_kinds.OpenAIModel(
        kind="openai",
        id=model.id,
        sampling=model.sampling,
        largest_picture=model.largest_picture,
        extra_body={} if variables is None else {"chat_template_kwargs": variables},
    )
    here = {"url": f"http://127.0.0.1:{port}/v1", "key_variable": KEY_VARIABLE}
    os.environ[KEY_VARIABLE] = key
    try:
        return HttpModel(name, slug, served, endpoint.model_copy(update=here), CONCURRENCY)
    finally:
        del os.environ[KEY_VARIABLE]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(name: str, slug: str, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + LOADING_SECONDS
    while not healthy(port):
        try:
            process.wait(PAUSE_SECONDS)
        except subprocess.TimeoutExpired:
            if time.monotonic() < deadline:
                continue
            problem = f"vllm is not ready after {LOADING_SECONDS / 60:g} minutes"
        else:
            problem = "vllm did not start"
        raise UserError(
            f"{name}: {problem}: {last_words(log)} (full log: {log}): fix models.{slug} in params.yaml, or "
            f"[models.{slug}] in run.toml"
        )


def healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def last_words(log: Path) -> str:
    """Return the last error in a log that is not "see root cause above", or else the last line."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - LAST_WORDS_BYTES))
        lines = [harmless_text(line) for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    errors = [found[0] for line in lines if (found := ERROR.search(line))]
    causes = [error for error in errors if "root cause" not in error]
    return shorten_to_line((causes or errors or lines or ["it said nothing"])[-1], WORDS_LENGTH)


ERROR = re.compile(r"\b(?:[\w.]*(?:Error|Exception)|vllm[ \w]*: error): .*")


def is_answered(answering: asyncio.Future[Reply]) -> bool:
    return answering.done() and not answering.exception() and answering.result().finish != "transport_error"
