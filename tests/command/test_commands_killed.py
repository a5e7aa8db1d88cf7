"""A command killed before any change of the disk, and within any write: what people own is whole, or not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gamut.command import cli
from gamut.evaluation.defining.editions import path_of
from tests.paths import ROOT
from tests.prism.small_proposal import CAT, DOG, decide, write_proposal

V1 = path_of("prism", "v1")

RUNS = """
import json, os, resource, signal, sys
sys.dont_write_bytecode = True
from gamut.command import cli, left_out  # importing takes longer than all else
from gamut.deciding import benchmark_tasks
from gamut.evaluation.curating import freeze, review
from gamut.evaluation.curating.benchmarks import curations

curations()

CHANGES = {"os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}


def run(folder, arguments, changes_left, most_bytes):
    def before(event, arguments):
        nonlocal changes_left
        opened = event == "open" and arguments[2] & os.O_ACCMODE and not str(arguments[0]).startswith("/dev/")
        if opened or event in CHANGES:
            if not changes_left:
                os.kill(os.getpid(), signal.SIGKILL)
            changes_left -= 1

    os.chdir(folder)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    sys.addaudithook(before)
    try:
        cli.app(arguments)
    except SystemExit as end:
        os._exit(bool(end.code))  # at once: a usual end takes longer than the command


for line in sys.stdin:
    child = os.fork()
    if not child:
        run(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs a command for each line that it reads, killed before the n-th change of the disk that it makes (-1: never) or in
the write that would make a file larger than so many bytes, and writes how it ended."""
ANY_SIZE = 10**6
Run = Callable[..., int]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """A function that runs a command here, to be killed, and tells how that ended."""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", RUNS], env=surroundings, text=True, **pipes) as running:

        def run(arguments: list[str], changes: int = -1, most_bytes: int = ANY_SIZE) -> int:
            print(json.dumps([os.getcwd(), arguments, changes, most_bytes]), file=running.stdin, flush=True)
            return int(running.stdout.readline())

        yield run
        running.stdin.close()


def call(arguments: str) -> int:
    return CliRunner().invoke(cli.app, arguments.split()).exit_code


def content() -> bytes | None:
    return V1.read_bytes() if V1.exists() else None


def test_an_edition_is_there_whole_or_not_at_all_wherever_its_freezing_is_killed(project: Path, run: Run) -> None:
    write_proposal(CAT, DOG)
    decide("ann", {row["id"]: "accept" for row in (CAT, DOG)}, CAT, DOG)
    lay_here, command = set(Path().rglob("*")), "freeze prism v1"
    assert call(command) == 0
    whole, lie_here = content(), set(Path().rglob("*"))
    assert whole and lie_here - lay_here <= {V1, V1.with_suffix(".origin.json"), *V1.parents}

    def ended(**where: int) -> int:
        V1.unlink(missing_ok=True)
        code = run(command.split(), **where)
        assert content() in ((None, whole) if code else (whole,))
        return code

    assert [ended(most_bytes=size) for size in (0, len(whole) // 2)] == [-signal.SIGXFSZ] * 2
    change = 0
    while code := ended(changes=change):
        assert code == -signal.SIGKILL
        change += 1
    assert change >= 2, "a new file, and its renaming"
    assert set(Path().rglob("*")) == lie_here, "nothing of the killed runs stays after one that was not"
