"""The same stage over Ray, on one node or two: the local engine's bytes, and a `kill -9` anywhere costs no more than
what was in flight.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

pytest.importorskip("ray")

from gamut.asking.requests import Paint, Reply, Request
from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.tables.columns import make_id
from gamut.tables.writing import TableWriter
from stages.dataset.prompts import SCHEMA
from tests import fakes
from tests.end_to_end.project import SIZES, Project, clone
from tests.stub_server import Stub, stub_server

PROMPTS, SLICE, SHARD = 44, 4, 12
WORKERS, CONCURRENCY = 2, 2
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": 32 * "5"}
SOON_NOTICED = {
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_failure_threshold": "2",
}
"""That a node is gone: by default after a quarter of a minute."""
IN_FLIGHT = WORKERS * CONCURRENCY
SYNTHESIZE = (sys.executable, "-m", "stages.dataset.synthesize")


class Painter:
    """A picture of one colour for every prompt; one is refused, one never painted.

    `hold` lets calls wait after so many more, and lets those go that waited before. `prompts` are all that came.
    """

    def __init__(self, in_flight: int = IN_FLIGHT) -> None:
        self.in_flight, self.prompts = in_flight, list[str]()
        self.calls, self.hold_at, self.held = 0, -1, 0
        self.holding, self.open = threading.Event(), threading.Event()
        self.lock = threading.Lock()

    def hold(self, after: int) -> None:
        with self.lock:
            before, self.open = self.open, threading.Event()
            self.holding.clear()
            self.hold_at, self.held = self.calls + after, 0
        before.set()

    def __call__(self, request: Request) -> Reply:
        assert isinstance(request, Paint)
        with self.lock:
            self.calls += 1
            self.prompts.append(request.prompt)
            hold = 0 < self.hold_at <= self.calls
            self.held += hold
            gate = self.open
            if self.held == self.in_flight - 1:  # so each worker has one at least
                self.holding.set()
        if hold:
            gate.wait(60)
        if request.prompt == "prompt 7":
            return Reply(b"no likenesses", "refused")
        if request.prompt == "prompt 30":
            return Reply(b"no such size", "invalid")
        digest = hashlib.sha256(f"{request.prompt} {request.seed}".encode()).digest()
        return Reply(fakes.jpeg(tuple(digest[:3]), (request.width, request.height)))


def project(folder: Path, url: str) -> Project:
    """A clone with prompts to paint, in four shards of three slices; the painter answers over HTTP."""
    made = clone(folder)

    def change(params: Any) -> None:
        params["models"]["painter"] = {"kind": "openai", "id": "painter"}
        params["roles"]["painter"] = "painter"
        params["synthesize"]["max_failures"] = 1

    made.edit(change)
    sources = TableWriter(folder / "datasets/source_rows", ROWS_SCHEMA)
    with TableWriter(folder / "datasets/prompts", SCHEMA) as table, sources as source_rows:
        for first in range(0, PROMPTS, SHARD):
            rows = [
                {"id": make_id("w", number), "prompt": f"prompt {number}", "kept": number % 11 != 0}
                for number in range(first, min(first + SHARD, PROMPTS))
            ]
            table.write(f"w-{first // SHARD:05d}", rows)
            source_rows.write(f"w-{first // SHARD:05d}", [{"id": row["id"], "status": "ok"} for row in rows])
    (folder / "run.toml").write_text(
        f'[models.painter]\nurl = "{url}"\nconcurrency = {CONCURRENCY}\nworkers = {WORKERS}\nattempts = 1\n'
    )
    return made


class Served(NamedTuple):
    """A project, its painter and the painter's server."""

    project: Project
    painter: Painter
    stub: Stub


class Disturbed(NamedTuple):
    """A run of which a node is killed, and, when that has been done, the prompts that it had in hand."""

    served: Served
    running: subprocess.Popen[str]
    killed: Future[set[str]]


@contextlib.contextmanager
def served(folder: Path, in_flight: int = IN_FLIGHT) -> Iterator[Served]:
    painter = Painter(in_flight)
    painter.open.set()
    with stub_server(answer=painter, workers=4 * in_flight) as stub:
        yield Served(project(folder, stub.url), painter, stub)
        painter.open.set()


def on(engine: str, made: Project, more: Mapping[str, str] = {}) -> Project:
    return Project(made.folder, made.environment | {"GAMUT_ENGINE": engine} | more)


@pytest.fixture(scope="module", autouse=True)
def on_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disturbed]:
    """A run on two nodes beside all other tests: it takes long, and mostly waits."""
    folder = tmp_path_factory.mktemp("nodes")
    with served(folder) as one, nodes() as (address, node), ThreadPoolExecutor(1) as thread:
        run_toml = (folder / "run.toml").read_text()
        (folder / "run.toml").write_text(f'ray_address = "{address}"\n{run_toml}')
        one.painter.hold(after=6)
        running = on("ray", one.project, TOKEN).start(*SYNTHESIZE)
        yield Disturbed(one, running, thread.submit(kill_a_node, node, one.painter, running))
        running.kill()
        running.communicate()


@contextlib.contextmanager
def nodes() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Two nodes on this machine as docs/cluster.md has them, each a `ray start` that stays in the foreground, with the
    cluster's token; their workers have this project's small shards. The head's address, and the other node.

    As on another machine they start in a folder of their own, and their paths do not lead to the project.
    """
    with tempfile.TemporaryDirectory(prefix="gamut-ray-", dir="/tmp") as folder, contextlib.ExitStack() as at_end:
        left_out = ("PYTHONPATH", "OPENBLAS_NUM_THREADS")
        inherited = {name: value for name, value in os.environ.items() if name not in left_out}
        environment = inherited | TOKEN | SIZES | SOON_NOTICED | {"RAY_USAGE_STATS_ENABLED": "0"}
        options = ("--block", "--num-cpus=1", "--object-store-memory=80000000")

        def start(*arguments: str) -> subprocess.Popen[str]:
            command = [str(Path(sys.executable).with_name("ray")), "start", *arguments, *options]
            pipe, log = subprocess.PIPE, subprocess.STDOUT
            started = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=pipe, stderr=log, text=True, start_new_session=True
            )
            at_end.callback(kill_tree, started)
            return started

        head = start("--head", "--port=0", f"--temp-dir={folder}", "--include-dashboard=false")
        address = said(head, r"ray start --address='(.*)'")
        node = start(f"--address={address}")
        said(node, "(Ray runtime started)")
        yield address, node


def said(process: subprocess.Popen[str], pattern: str) -> str:
    """The group of a pattern in what a process writes, as soon as it has."""
    assert process.stdout
    lines = list[str]()
    for line in process.stdout:
        lines.append(line)
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError("".join(lines))


def kill_tree(process: subprocess.Popen[str]) -> None:
    """`kill -9` of a node: its process group with the raylet, and the workers, whose groups are their own."""
    family = [psutil.Process(process.pid), *kin(process)] if process.poll() is None else []
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(family)


def kill_a_node(node: subprocess.Popen[str], painter: Painter, running: subprocess.Popen[str]) -> set[str]:
    """Kill a node with its worker at work, as soon as both are, then let the other go on; the prompts of its slices."""
    wait_until_held(painter, running)
    victims = workers(node)
    assert victims
    files = [Path(file.path).name for victim in victims for file in victim.open_files()]
    slices = [re.fullmatch(r"w-(\d+)-(\d+)\.lock", name) for name in files]
    firsts = [SHARD * int(found[1]) + SLICE * int(found[2]) for found in slices if found]
    kill_tree(node)
    painter.hold(after=PROMPTS * WORKERS)
    return {f"prompt {number}" for first in firsts for number in range(first, first + SLICE)}


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("ray")) as one:
        yield one


@pytest.fixture(scope="module")
def local(other: Served) -> tuple[dict[str, bytes], Counter[str]]:
    """The table as the local engine writes it, and every request by its digest."""
    made, _, stub = other
    made.run(*SYNTHESIZE)
    asked = Counter(call.digest for call in stub.log)
    kept = [number for number in range(PROMPTS) if number % 11]
    assert asked.total() == len(asked) == len(kept) == 40
    files = made.files("datasets/synthesize")
    shutil.rmtree(made.folder / "datasets/synthesize")
    shutil.rmtree(made.folder / ".store")
    stub.log.clear()
    return files, asked


def kin(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """All processes of a run, in whatever process groups they are."""
    return psutil.Process(process.pid).children(recursive=True)


def workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return workers_below(psutil.Process(process.pid))


def workers_below(process: psutil.Process) -> list[psutil.Process]:
    below = process.children(recursive=True)
    return [child for child in below if any("Worker" in word for word in child.cmdline()[:1])]


def wait_until_held(painter: Painter, running: subprocess.Popen[str]) -> None:
    """Wait until both workers have requests in flight."""
    if not painter.holding.wait(180):
        running.kill()
        raise AssertionError(f"{painter.held} held of {painter.calls} calls: {running.communicate()}")


def assert_same(made: Project, stub: Stub, local: tuple[dict[str, bytes], Counter[str]], repeated: range) -> None:
    files, requests = local
    assert made.files("datasets/synthesize") == files
    asked = Counter(call.digest for call in stub.log)
    assert set(asked) == set(requests), "the same questions were asked, none other and none less"
    assert asked.total() - requests.total() in repeated, "only what was in flight is asked again"


def test_killed_workers_drivers_and_all_together_lose_only_what_was_in_flight(
    other: Served, local: Any, tmp_path: Path
) -> None:
    """A worker is replaced; of a killed driver no worker stays behind, and Ray goes on; of all, this process does."""
    made, painter, stub = on("ray", other.project, {"HOME": str(tmp_path)}), other.painter, other.stub
    painter.hold(after=8)
    running = made.start(*SYNTHESIZE)
    wait_until_held(painter, running)
    victims = workers(running)
    assert len(victims) == WORKERS
    victims[0].kill()
    painter.hold(after=6)
    wait_until_held(painter, running)
    kill_and_wait(running, [])
    painter.hold(after=6)
    running = made.start(*SYNTHESIZE)
    wait_until_held(painter, running)
    kill_and_wait(running, kin(running))
    painter.open.set()
    assert not (made.folder / "datasets/synthesize").exists()
    on("local", made).run(*SYNTHESIZE)
    assert_same(made, stub, local, range(3, 3 * IN_FLIGHT + 1))
    assert not (tmp_path / ".ray").exists(), "a token in the home folder decides what later clusters ask for"


def kill_and_wait(running: subprocess.Popen[str], family: Sequence[psutil.Process]) -> None:
    """Kill a run and what else is named, and wait until its workers have gone."""
    at_work = workers(running)
    assert at_work
    running.kill()
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    running.communicate()
    _, alive = psutil.wait_procs(at_work, timeout=45)
    assert not alive, "no worker of a killed run stays behind"


def test_two_nodes_of_which_one_is_killed_make_the_bytes_of_the_local_engine(on_nodes: Disturbed, local: Any) -> None:
    """Of 40 pictures only those are asked for again that were in flight on the node: one or two."""
    (made, painter, stub), running, killed = on_nodes
    said, errors = running.communicate()
    assert running.returncode == 0, said + errors
    assert f"40 records for {WORKERS} Ray workers" in said
    assert "1 invalid_input, 38 ok, 1 refused_generation; " in said
    assert "the first invalid_input is w-00000030: HTTP 400: no such size" in said
    assert_same(made, stub, local, range(1, CONCURRENCY + 1))
    again = {prompt for prompt, times in Counter(painter.prompts).items() if times > 1}
    assert again <= killed.result()
    asked = len(stub.log)
    on("local", made).run(*SYNTHESIZE)
    assert len(stub.log) == asked


WORKERS_CODE = """
import os
from types import SimpleNamespace
from gamut.asking.engine.cluster import connect
from gamut.asking.models.world import sandbox
from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.project import settings

ray = connect(SimpleNamespace(settings=settings.load()))

@ray.remote
def seen():
    import gamut, stages.dataset.synthesize
    from gamut.evaluation.curating.benchmarks import NAMES
    files = gamut.__file__, stages.dataset.synthesize.__file__
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    return os.getcwd(), *files, stages.dataset.synthesize.NEWS, NAMES, sandbox.revision("judge")

folder, *files, news, names, revision = ray.get(seen.remote())
from gamut.evaluation.curating.benchmarks import NAMES
assert folder != os.getcwd() and all("py_modules" in file for file in files), (folder, files)
assert (news, names, revision) == ("uncommitted", NAMES, sandbox.revision("judge"))
"""


def test_workers_elsewhere_have_the_code_of_the_library_and_of_the_project_as_the_driver_has_it(
    on_nodes: Disturbed, tmp_path: Path
) -> None:
    """Also what is not committed, and whatever is installed where they run. Ray has workers look into the folder of the
    driver first: here it is one without code, as it is on a machine that does not see it.
    """
    made = on_nodes.served.project
    on_nodes.running.wait()
    module = made.folder / "stages/dataset/synthesize.py"
    module.write_text(f'{module.read_text()}NEWS = "uncommitted"\n')
    (tmp_path / "run.toml").write_text((made.folder / "run.toml").read_text())
    Project(tmp_path, made.environment | TOKEN).run(sys.executable, "-c", WORKERS_CODE)
