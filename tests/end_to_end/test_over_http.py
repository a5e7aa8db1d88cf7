"""The straight path with every role over HTTP: the same tables, and runs that survive being killed anywhere."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.models.sandbox import answer as world
from stages.requests import Reply, Request
from tests.end_to_end.project import ROOT, Project, answer_over_http, clone
from tests.stub_server import stub_server

ASKED = (
    "brainstorm",
    "imagined",
    "rewritten",
    "found_text",
    "mined",
    "aligned",
    "images",
    "quality",
    "relevance",
    "typography",
    "annotations",
    "translations",
)
CONCURRENCY = 4
KILLS = 6
FAULTS = YAML(typ="safe").load((ROOT / "params.yaml").read_text())["models"]["world_painter"]["faults"]


class Gate:
    """Answers as the embedded world does; at the chosen calls it says so and answers no more until opened again."""

    def __init__(self) -> None:
        self.calls = 0
        self.stop_at = -1
        self.reached, self.open = threading.Event(), threading.Event()
        self.open.set()
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> Reply:
        with self.lock:
            self.calls += 1
            if self.calls == self.stop_at:
                self.open.clear()
                self.reached.set()
        self.open.wait()
        return world(request, FAULTS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Counter[str]]:
    """A clone built over HTTP, and how often each request came."""
    project = clone(tmp_path_factory.mktemp("http"))
    with stub_server(faults=FAULTS) as stub:
        answer_over_http(project, stub.url, CONCURRENCY)
        project.run("dvc", "repro")
        return project, Counter(call.digest for call in stub.log)


def test_the_same_tables_as_in_process(
    undisturbed: tuple[Project, Counter[str]], twins: tuple[Project, Project]
) -> None:
    project, _ = undisturbed
    for table in (*ASKED, "admitted", "categories", "selected", "release"):
        assert project.rows(table) == twins[0].rows(table), table


def test_killed_anywhere_nothing_is_lost_or_doubled(undisturbed: tuple[Project, Counter[str]], tmp_path: Path) -> None:
    """Kill the whole process group at seeded calls, then go on: only what was in flight is asked again."""
    calm, requests = undisturbed
    total = requests.total()
    moments = sorted(random.Random(2).sample(range(2, total), KILLS))
    project, gate = clone(tmp_path), Gate()
    with stub_server(answer=gate, workers=2 * CONCURRENCY) as stub:
        answer_over_http(project, stub.url, CONCURRENCY)
        for moment, before in zip(moments, [0, *moments], strict=False):
            gate.reached.clear()
            gate.stop_at = gate.calls + moment - before
            running = project.start("dvc", "repro")
            assert gate.reached.wait(120), "the run ended before the moment came"
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            gate.open.set()
        project.run("dvc", "repro")
        asked = Counter(call.digest for call in stub.log)
    assert set(asked) == set(requests), "the same questions were asked, none other and none less"
    repeated = asked.total() - requests.total()
    assert 1 <= repeated <= KILLS * CONCURRENCY, "only what was in flight is asked again"
    for table in (*ASKED, "release"):
        assert project.files(f"datasets/{table}") == calm.files(f"datasets/{table}"), table
