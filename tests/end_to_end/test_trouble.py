"""What goes wrong around a run: each a clear line, nothing lost."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from gamut.asking.requests import Reply, Request
from tests.embedded_world import reply as world
from tests.end_to_end.project import Project, copy_of
from tests.stub_server import stub_server


def let_answer(project: Project, role: str, url: str) -> None:
    """Let one role be answered by the server at `url`."""
    project.edit(lambda params: params["models"].update(remote={"kind": "openai", "id": "remote"}))
    project.edit(lambda params: params["roles"].update({role: "remote"}))
    (project.folder / "run.toml").write_text(f'[models.remote]\nurl = "{url}"\n')


class Held:
    """Answers as the embedded world does, but holds every answer back until released."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Reply:
        self.asked.set()
        assert self.released.wait(60)
        return world(request, {})


def test_trees_that_share_a_store_take_turns_and_ask_once(built: Project, tmp_path: Path) -> None:
    held, synthesize = Held(), ["python", "-m", "stages.dataset.synthesize"]
    with stub_server(answer=held, workers=8) as stub:
        let_answer(built, "painter", stub.url)
        copied = copy_of(built, tmp_path / "second")
        second = replace(copied, environment=copied.environment | {"GAMUT_STORE": str(built.folder / ".store")})
        before = built.asked()
        first = built.start(*synthesize)
        assert held.asked.wait(60)
        waiting = second.start(*synthesize)
        assert waiting.stderr
        said = f"synthesize: process {first.pid} in {built.folder} is working on this: waiting for it\n"
        assert waiting.stderr.readline() == said
        second.run("python", "-m", "stages.dataset.seeds")  # who only decides waits for nobody
        held.released.set()
        for running in first, waiting:
            _, errors = running.communicate()
            assert running.returncode == 0, errors
    assert built.asked_since(before) == {"synthesize": stub.calls}, "each once"
    assert built.files("datasets/synthesize") == second.files("datasets/synthesize")


def test_two_at_once_and_a_file_edited_meanwhile(built: Project) -> None:
    """While one run asks, a second `dvc repro` and a second writer are refused; an edit is noticed at the end."""
    held = Held()
    with stub_server(answer=held, workers=8) as stub:
        let_answer(built, "painter", stub.url)
        running = built.start("dvc", "repro", "examine")
        assert held.asked.wait(60)
        second = built.run("dvc", "repro", "examine", check=False)
        assert second.returncode != 0
        writer = built.run("python", "-m", "stages.dataset.synthesize", check=False)
        assert writer.returncode == 1
        assert "already runs this: wait for it to end" in writer.stderr
        (built.folder / "stages/dataset/synthesize.py").open("a").write("# edited meanwhile\n")
        (built.folder / "params.yaml").open("a").write("# a comment, no declared value\n")
        held.released.set()
        _, errors = running.communicate()
        assert running.returncode != 0
        assert "synthesize: stages/dataset/synthesize.py changed while the stage ran" in errors
        calls = stub.calls
        built.run("dvc", "repro", "synthesize")
        assert stub.calls == calls, "what was answered was kept"


def test_failures_over_the_budget_then_retry(built: Project) -> None:
    """A server that is down fails the stage and asks all again; a reply that cannot be parsed is asked by `retry`."""
    replies = {"broken": True}

    def answer(request: Request) -> Reply:
        return Reply(b"no JSON") if replies["broken"] else world(request, {})

    built.edit(lambda params: params.update(translate={"max_failures": 100_000}))
    with stub_server(answer=answer) as stub:
        let_answer(built, "translator", stub.url)
        built.run("dvc", "repro", "--single-item", "translate", "release", "statistics")
        metrics = built.metrics()
        assert set(metrics["translate"]) == {"parse_error"}
        assert metrics["release"]["pictures"] == 0
        captions = metrics["translate"]["parse_error"]
        assert stub.calls == 2 * captions, "each once, and once more with the parser's complaint"
        replies["broken"] = False
        built.run("gamut", "retry", "translate")
        assert set(built.metrics()["translate"]) == {"ok"}
        assert stub.calls == 3 * captions
