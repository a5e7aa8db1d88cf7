"""vLLM as a child process, without vLLM: a small program of its name, which serves, dies or does not start."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models.extras import find_program
from gamut.asking.models.vllm import server as vllm
from gamut.asking.models.weights import digest
from gamut.asking.requests import Chat, Create, Message, Reply
from gamut.project import model_kinds
from gamut.project.errors import ModelDied, UserError
from gamut.project.settings import Endpoint
from tests import fakes
from tests.paths import ROOT

PROGRAM = '''#!{python}
"""Stands in for vllm: notes how it was called, starts an "engine" that no SIGTERM ends, and serves."""
import json, os, subprocess, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

json.dump({{"arguments": sys.argv[1:], "key": os.environ["VLLM_API_KEY"], "offline": os.environ["HF_HUB_OFFLINE"],
           "path": os.environ["PATH"]}}, open("called.json", "w"))
alive = [os.open("alive", os.O_WRONLY)] if os.path.exists("alive") else []  # held open as long as anything lives
for pipe in alive:
    os.write(pipe, b"started, ")
engine = "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.write(1, b'.'); signal.pause()"
subprocess.Popen([sys.executable, "-c", engine], pass_fds=alive, stdout=subprocess.PIPE).stdout.read(1)
mode = os.environ.get("FAKE_VLLM")
if mode == "fails":
    print("(EngineCore_DP0 pid=7) ERROR 12-01 10:00:00 [core.py:1] torch.OutOfMemoryError: CUDA out of memory.")
    print("RuntimeError: Engine core initialization failed. See root cause above.")
    sys.exit(1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.say(200 if self.path == "/health" else 404, {{}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if mode == "dies":
            print("vllm.v1.engine.exceptions.EngineDeadError: the engine is gone", flush=True)
            os._exit(1)
        if self.headers["Authorization"] != "Bearer " + os.environ["VLLM_API_KEY"]:
            return self.say(401, {{"error": {{"message": "Unauthorized"}}}})
        with open("asked.json", "wb") as file:
            file.write(body)
        message = {{"role": "assistant", "content": "hello"}}
        self.say(200, {{"choices": [{{"message": message, "finish_reason": "stop"}}],
                        "usage": {{"prompt_tokens": 3, "completion_tokens": 1}}}})

    def log_message(self, *arguments):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
'''
ONE_TENSOR = b'{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}'
HELLO = Chat("hello", (Message("user", ("Say hello.",)),), {"type": "object"}, seed=1)


@pytest.fixture
def model(project: Path, monkeypatch: pytest.MonkeyPatch) -> model_kinds.VllmModel:
    """A folder that looks like weights, and a program vllm in an environment of its own."""
    put_program(project / ".venv-vllm/bin/vllm")
    monkeypatch.delenv("FAKE_VLLM", raising=False)
    (project / "weights").mkdir()
    (project / "weights/config.json").write_text("{}")
    (project / "weights/model.safetensors").write_bytes(len(ONE_TENSOR).to_bytes(8, "little") + ONE_TENSOR + b"0000")
    return model_kinds.VllmModel(kind="vllm", id="org/small", revision=digest(project / "weights"))


def put_program(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(PROGRAM.format(python=sys.executable))
    path.chmod(0o755)


def opened(model: model_kinds.VllmModel, **endpoint: Any) -> vllm.VllmModel:
    return vllm.open_vllm("judge (small)", "small", model, Endpoint(weights="weights", **endpoint))


def test_a_picture_is_not_asked_of_it() -> None:
    server: Any = vllm.VllmModel.__new__(vllm.VllmModel)  # whose process is not even looked at
    reply = asyncio.run(server.answer(Create(("a cat",), ("image",), 64, 64, seed=1)))
    assert reply == Reply(b"vLLM serves models that write, and makes no picture", "unsupported")


def asked(server: vllm.VllmModel) -> Reply:
    return fakes.answers(server, HELLO)[0]


def pipe() -> int:
    """The reading end of the named pipe that the program and its engine hold open."""
    os.mkfifo("alive")
    return os.open("alive", os.O_RDONLY | os.O_NONBLOCK)


def read_to_end(reading: int) -> bytes:
    os.set_blocking(reading, True)
    with os.fdopen(reading, "rb") as file:
        return file.read()


def line(model: model_kinds.VllmModel, folder: Path = Path("weights"), **endpoint: Any) -> str:
    return " ".join(vllm.serve_command("vllm", folder, model, Endpoint(**endpoint), 8123))


def test_a_server_is_started_asked_and_ended(project: Path, model: model_kinds.VllmModel) -> None:
    alive = pipe()
    server = opened(model)
    assert server.identity == model_kinds.identity(model) and server.identity["numerics"] == "bfloat16"
    assert asked(server) == Reply(b"hello", "stop", 3, 1)
    assert read_to_end(alive) == b"started, "  # and the end: server and engine, who held the pipe, are gone
    called = json.loads((project / "called.json").read_text())
    assert called["arguments"][:2] == ["serve", str(project / "weights")] and called["offline"] == "1"
    assert called["path"].split(os.pathsep)[0] == str(project / ".venv-vllm/bin")  # with what lies beside the program
    assert len(called["key"]) >= 32 and called["key"] not in " ".join(called["arguments"])
    assert vllm.KEY_VARIABLE not in os.environ


def test_options_become_arguments(project: Path, model: model_kinds.VllmModel) -> None:
    plain = (
        "vllm serve weights --served-model-name org/small --host 127.0.0.1 --port 8123 --dtype bfloat16 "
        "--load-format safetensors --seed 0 --no-enable-log-requests --disable-uvicorn-access-log "
        "--generation-config vllm "
        '--structured-outputs-config {"backend": "xgrammar", "disable_any_whitespace": true}'
    )
    assert line(model) == f"{plain} --max-model-len -1"
    options = {"quantization": "fp8", "max_model_len": 8192, "trust_remote_code": True, "reasoning_parser": "qwen3"}
    assert line(model.model_copy(update=options)) == (
        f"{plain} --max-model-len 8192 --quantization fp8 --reasoning-parser qwen3 --trust-remote-code"
    )
    assert line(model, gpus=2, batch=64).endswith(
        "--tensor-parallel-size 2 --distributed-executor-backend mp --max-num-seqs 64"
    )
    assert "parallel" not in line(model, gpus=1) and "memory" not in line(model, gpus=1)
    assert line(model, gpus=0.5).endswith("--gpu-memory-utilization 0.45")  # 0.9 of a card, for two
    (project / "weights/config.json").write_text('{"vision_config": {}}')
    assert line(model).endswith('--limit-mm-per-prompt {"video": 0}')
    eager = ["--enforce-eager", "--gpu-memory-utilization=0.5"]
    assert line(model, extra_args=eager).endswith('{"video": 0} --enforce-eager --gpu-memory-utilization=0.5')


def test_variables_of_the_chat_template_are_sent_and_are_in_the_fingerprint(
    project: Path, model: model_kinds.VllmModel
) -> None:
    (project / "weights/tokenizer_config.json").write_text('{"chat_template": "{% if enable_thinking %}…{% endif %}"}')
    without = model_kinds.identity(model)
    silent = {"enable_thinking": False}
    model = model.model_copy(update={"chat_template_kwargs": silent, "revision": digest(project / "weights")})
    without["revision"] = model.revision
    server = opened(model)
    assert server.identity == without | {"chat_template_kwargs": silent}
    assert asked(server).content == b"hello"
    assert json.loads((project / "asked.json").read_text())["chat_template_kwargs"] == silent


def test_a_server_that_does_not_start_says_why_in_one_line(
    project: Path, model: model_kinds.VllmModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "fails")
    with pytest.raises(UserError) as error:
        opened(model)
    assert str(error.value) == (
        "judge (small): vllm did not start: torch.OutOfMemoryError: CUDA out of memory. (full log: "
        f"{project}/.store/vllm/small.log): fix models.small in params.yaml, or [models.small] in run.toml"
    )


def test_a_server_that_dies_while_asked_is_model_died(
    project: Path, model: model_kinds.VllmModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "dies")
    with pytest.raises(ModelDied) as error:
        asked(opened(model))
    why = "vllm.v1.engine.exceptions.EngineDeadError: the engine is gone"
    log = project / ".store/vllm/small.log"
    assert str(error.value) == f"judge (small): vllm ended: {why} (full log: {log})"


def test_nothing_is_left_when_this_process_is_killed(project: Path, model: model_kinds.VllmModel) -> None:
    alive = pipe()
    code = (
        "from gamut.asking.models.vllm import server as vllm\n"
        "from gamut.project import model_kinds\n"
        "from gamut.project.settings import Endpoint\n"
        f"model = model_kinds.VllmModel(kind='vllm', id='org/small', revision={model.revision!r})\n"
        "server = vllm.open_vllm('judge (small)', 'small', model, Endpoint(weights='weights'))\n"
        "print('ready', flush=True); input()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None and parent.stdout.readline() == b"ready\n"
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    assert read_to_end(alive) == b"started, "


def test_the_program_is_looked_for_in_its_own_environment_first_then_on_path(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project / "on_path"))
    put_program(project / "on_path/vllm")
    assert find_program("vllm") == str(project / "on_path/vllm")
    put_program(project / ".venv-vllm/bin/vllm")
    assert find_program("vllm") == str(project / ".venv-vllm/bin/vllm")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", "it said nothing"),
        ("INFO loading\nKilled\n", "Killed"),
        (
            "ValueError: no room\nINFO shutting down\nRuntimeError: failed. See root cause above.\n",
            "ValueError: no room",
        ),
        (f"ValueError: {'x' * 400}", f"ValueError: {'x' * 287}…"),  # 12 + 287 + 1 = 300 characters
        ("\x1b[31mValueError: no\x1b[0m\x07 room", "ValueError: no room"),
    ],
)
def test_the_last_words_of_a_log(tmp_path: Path, log: str, words: str) -> None:
    (tmp_path / "log").write_text(log)
    assert vllm.last_words(tmp_path / "log") == words
