"""`gamut review` killed (-9) while decisions come: none that was answered is lost, and none stands twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.evaluation.curating.review import digest_of
from gamut.project.decisions import last_decisions, path_of, read_log
from stages.prism.curation import CURATION
from tests.deciding.small_board import write_board
from tests.paths import ROOT
from tests.prism.small_dataset import EDITION
from tests.prism.small_proposal import proposed, write_proposal

ROWS = [proposed("style", n, f"a cubist cat beside {n} dogs") for n in range(400)]
LOG = path_of("ann", f"review.prism.{EDITION}")
COMMAND = ["review", "prism", EDITION, "--reviewer", "ann", "--no-open"]
RUNS = """
import json, os, sys
from gamut.command import cli
from gamut.deciding import benchmark_tasks, server  # importing takes longer than all else
from gamut.evaluation.curating.benchmarks import curations

curations()

for line in sys.stdin:
    folder, arguments = json.loads(line)
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)
        os.chdir(folder)
        os.dup2(1, 2)
        cli.app(arguments)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""
"""Runs a command for each line that it reads, and writes its process and all that it says."""


class Serving(NamedTuple):
    """A command that serves its page: the process, and a connection that it knows."""

    process: int
    connection: HTTPConnection
    headers: dict[str, str]

    def decide(self, number: int) -> bool:
        """Say of a card what is said of it always; whether that was answered."""
        said = {"card": number, "about": digest_of(CURATION, ROWS[number]), "decision": verdict(number)}
        try:
            self.connection.request("POST", "/decisions", json.dumps(said), self.headers)
            reply = self.connection.getresponse()
            return reply.read() == b'{"mistakes": []}' and reply.status == 200
        except (OSError, HTTPException):
            return False


def verdict(number: int) -> str:
    return ("accept", "reject")[number % 3 == 0]


@pytest.fixture(scope="module")
def runs() -> Iterator[subprocess.Popen[str]]:
    """What runs commands here, to be killed."""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    how: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([sys.executable, "-c", RUNS], env=surroundings, **how) as running:
        yield running
        os.killpg(running.pid, signal.SIGKILL)  # with what a test that failed has left


def begin(runs: subprocess.Popen[str], command: Sequence[str]) -> int:
    print(json.dumps([os.getcwd(), command]), file=runs.stdin, flush=True)
    return int(runs.stdout.readline())


def serving(runs: subprocess.Popen[str], command: Sequence[str] = COMMAND) -> Serving:
    process = begin(runs, command)
    port, token = next(found for line in runs.stdout if (found := re.findall(r"1:(\d+)/\?token=(\S+)", line)))[0]
    connection = HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("GET", f"/?token={token}")
    reply = connection.getresponse()
    assert reply.read().startswith(b"<!doctype html>")
    headers = {"Cookie": reply.headers["Set-Cookie"].partition(";")[0], "Origin": f"http://127.0.0.1:{port}"}
    return Serving(process, connection, headers | {"Content-Type": "application/json"})


def ended(runs: subprocess.Popen[str]) -> list[str]:
    """What a command said to its end."""
    return list(iter(lambda: runs.stdout.readline().strip(), "ended"))


def test_what_was_answered_is_there_once(project: Path, runs: subprocess.Popen[str]) -> None:
    write_proposal(*ROWS)
    chance, answered = random.Random(2), 0
    for _ in range(8):
        here = serving(runs)
        killer = threading.Timer(chance.uniform(0, 0.08), os.kill, (here.process, signal.SIGKILL))
        killer.start()
        while here.decide(answered):  # first what was not answered before: it may stand there all the same
            answered += 1
        killer.join()
        here.connection.close()
        ended(runs)
        lines = read_log(LOG) if LOG.exists() else []
        assert [line.id for line in lines] == [row["id"] for row in ROWS[: len(lines)]]
        assert len(lines) - answered in (0, 1)
        assert [line.decision for line in lines] == [verdict(number) for number in range(len(lines))]
    assert 20 < answered < len(ROWS)


def test_the_same_person_decides_in_one_place_at_a_time_and_is_told_at_the_end(
    project: Path, runs: subprocess.Popen[str]
) -> None:
    write_proposal(*ROWS)
    here = serving(runs)
    assert here.decide(0) and here.decide(3)
    second = CliRunner().invoke(app, COMMAND)
    assert second.exit_code == 1 and second.output.startswith(f"{LOG} is open in another run")
    os.kill(here.process, signal.SIGINT)
    here.connection.close()
    said = ended(runs)
    assert said[-3:] == [
        f"2 decided now, 2 in all, 398 left: {LOG}",
        f"`git add {LOG}`",
        "`gamut freeze prism v1` makes an edition of what was accepted or rewritten",
    ]
    assert list(last_decisions(read_log(LOG))) == [(ROWS[0]["id"], 0), (ROWS[3]["id"], 0)]


def test_answers_are_drawn_once_and_put_by_the_command(project: Path, runs: subprocess.Popen[str]) -> None:
    write_board(10)
    key = Path("datasets/sheets/gir/v1.key.csv")
    for own in (["--answers", "12"], []):
        here = serving(runs, ["label", "gir", "--reviewer", "ann", "--no-open", *own])
        assert key.read_text().count("\n") == 13, "it stands before anything is asked"
        here.connection.request("GET", "/cards/12", headers=here.headers)
        assert b"Does the picture show exactly so many?" in here.connection.getresponse().read()
        here.connection.close()
        os.kill(here.process, signal.SIGINT)
        assert ended(runs)[-1] == "0 decided now, 0 in all, 13 left: datasets/decisions/ann/label.gir.v1.jsonl"
    assert not Path("datasets/decisions/ann/label.gir.v1.jsonl").exists()
