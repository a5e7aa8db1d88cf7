"""LiteLLM's proxy between gamut and a host: of what it refuses `gamut check --ask` says in a line what to fix."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from gamut.asking.models.vllm.server import free_port
from tests.end_to_end.project import clone
from tests.peers.conftest import running

KEY, WRONG = "sk-2f8c0d9be4a74f7c91d5", "sk-of-somebody-else"
ASKED = {
    "painter": {"id": "gpt-image-1"},
    "judge": {"id": "works"},
    "captioner": {"id": "unheard-of"},
    "translator": {"id": "gpt-5", "sampling": {"temperature": 0.0}},
    "seed_writer": {"id": "limited"},
    "writer": {"id": "dead"},
}
"""A model for every role, by the role's name; the judge's key is wrong."""
PATIENCE = 240.0
"""Seconds for all six. LiteLLM itself asks a host that limits or is dead three times, which takes five seconds."""


class Host(BaseHTTPRequestHandler):
    """What LiteLLM asks: it limits one model always, and answers for any other."""

    def do_POST(self) -> None:
        model = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
        if model == "limited":
            self.say(429, {"error": {"message": "Rate limit reached for requests", "code": "rate_limit_exceeded"}})
            return
        message = {"role": "assistant", "content": '{"answer": "yes"}'}
        self.say(200, {"id": "1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})

    def say(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Checked(NamedTuple):
    """What `gamut check --ask` printed about each role, and how long all took."""

    lines: dict[str, str]
    seconds: float


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checked]:
    folder = tmp_path_factory.mktemp("litellm")
    host = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=host.serve_forever, daemon=True).start()
    port, behind, nobody = free_port(), f"http://127.0.0.1:{host.server_port}/v1", f"http://127.0.0.1:{free_port()}/v1"
    served = [
        {"model_name": name, "litellm_params": {"model": f"openai/{name}", "api_base": at, "api_key": "unused"}}
        for name, at in [
            ("works", behind),
            ("gpt-5", behind),
            ("gpt-image-1", behind),
            ("limited", behind),
            ("dead", nobody),
        ]
    ]
    config = folder / "config.yaml"  # JSON is YAML
    config.write_text(json.dumps({"model_list": served, "general_settings": {"master_key": KEY}}))
    project = clone(folder / "project")

    def change(params: Any) -> None:
        params["models"] |= {f"my_{role}": {"kind": "openai"} | model for role, model in ASKED.items()}
        params["roles"] |= {role: f"my_{role}" for role in ASKED}

    project.edit(change)
    with (project.folder / "run.toml").open("a") as file:
        for role in ASKED:
            variable = "WRONG_KEY" if role == "judge" else "PROXY_KEY"
            file.write(f'[models.my_{role}]\nurl = "http://127.0.0.1:{port}/v1"\nkey_variable = "{variable}"\n')
    project.environment.update(PROXY_KEY=KEY, WRONG_KEY=WRONG)
    command = ["litellm", "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    with running(command, f"http://127.0.0.1:{port}/health/readiness", folder / "litellm.log"):
        started = time.monotonic()
        said = project.run("gamut", "check", "--quiet", "--ask", check=False)
        seconds = time.monotonic() - started
    host.shutdown()
    assert said.returncode and "Traceback" not in said.stdout + said.stderr, said
    print(said.stdout)
    lines = {line.split()[1].rstrip(":,"): line for line in said.stdout.splitlines() if line.startswith("FAILED")}
    yield Checked(lines, seconds)


def test_a_wrong_key_is_told_by_its_variable(checked: Checked) -> None:
    assert "environment variable WRONG_KEY" in checked.lines["judge"]
    assert WRONG not in checked.lines["judge"]


def test_a_model_that_is_not_configured_is_told_by_its_id(checked: Checked) -> None:
    line = checked.lines["captioner"]
    assert "Invalid model name passed in model=unheard-of" in line
    assert "model 'unheard-of' (params.yaml)" in line and "is not served" in line


def test_a_parameter_that_the_model_does_not_take_is_told_by_name(checked: Checked) -> None:
    assert (
        "leave `temperature` out of `sampling` under models.my_translator in params.yaml" in checked.lines["translator"]
    )
    assert "add `omit: [response_format]` under models.my_painter in params.yaml" in checked.lines["painter"]


def test_a_limit_that_lets_nothing_through_is_told_in_the_servers_words(checked: Checked) -> None:
    assert "HTTP 429" in checked.lines["seed_writer"]
    assert "Rate limit reached for requests" in checked.lines["seed_writer"]


def test_nobody_waits_for_a_model_that_is_limited_or_dead(checked: Checked) -> None:
    assert "Connection error" in checked.lines["writer"] and "model group 'dead'" in checked.lines["writer"]
    assert list(checked.lines) == list(ASKED), "all were asked, one after the other"
    assert checked.seconds < PATIENCE
