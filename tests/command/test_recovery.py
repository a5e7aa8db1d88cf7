"""What a killed dvc leaves half-written is fixed, and nothing that it recorded is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gamut.command import recovery
from gamut.command.recovery import recover
from gamut.project.errors import UserError

HEADER = "schema: '2.0'\nstages:\n"
SOURCES = """\
  sources:
    cmd: python -m stages.dataset.sources
    deps:
    - path: datasets/sources
      hash: md5
      md5: dc6bcd9c6c5eea8e85f96cd8b562bef7.dir
      size: 292
      nfiles: 3
    outs:
    - path: datasets/source_rows
      hash: md5
      md5: 0f4f0368857dea47be2d11212464902e.dir
      size: 114
      nfiles: 2
"""
ANSWER = """\
  answer@careful:
    cmd: python -m stages.prism.answer careful
    params:
      params.yaml:
        contestants.careful:
          class: generation
    outs:
    - path: datasets/prism/answers/careful
      hash: md5
      md5: 390655c367362a01cb604fb6fc8df2be.dir
      size: 116
      nfiles: 2
"""
LOCK = HEADER + SOURCES + ANSWER


@pytest.fixture
def repository(project: Path) -> Path:
    """A project under git and DVC, with a lock file that is not committed."""
    subprocess.run(["git", "init", "--quiet"], check=True)
    (project / ".dvc/tmp").mkdir(parents=True)
    (project / ".dvc/config").touch()
    (project / "dvc.yaml").write_text("stages: {}\n")
    (project / "dvc.lock").write_text(LOCK)
    return project


def commit(lock: str) -> None:
    """Commit a lock file of other content, and put the one that lies here back."""
    here = Path("dvc.lock").read_bytes()
    Path("dvc.lock").write_text(lock)
    who = ["-c", "user.name=test", "-c", "user.email=test"]
    subprocess.run(["git", "add", "dvc.lock"], check=True)
    subprocess.run(["git", *who, "commit", "--quiet", "--message", "test"], check=True)
    Path("dvc.lock").write_bytes(here)


def test_what_is_whole_is_left_alone(repository: Path) -> None:
    assert recover() == []
    assert (repository / "dvc.lock").read_text() == LOCK


AGAIN = "`dvc repro` finds what it recorded in DVC's cache"


@pytest.mark.parametrize("length", [0, 20, len(LOCK) // 2, len(LOCK) - len("  nfiles: 2\n"), len(LOCK) - 1])
def test_a_torn_lock_is_put_back_as_the_last_commit_has_it(repository: Path, length: int) -> None:
    older = HEADER + SOURCES
    commit(older)
    (repository / "dvc.lock").write_text(LOCK[:length])
    assert recover() == [f"dvc.lock: damaged by a killed run: restored from the last commit; {AGAIN}"]
    assert (repository / "dvc.lock").read_text() == older
    assert recover() == []


@pytest.mark.parametrize("torn", [b"", b"\xff\x00", (HEADER + SOURCES[:40]).encode()])
@pytest.mark.parametrize("committed", ["", HEADER + SOURCES[:50]])
def test_a_lock_that_no_commit_has_whole_goes(repository: Path, torn: bytes, committed: str) -> None:
    (repository / "dvc.lock").write_bytes(torn)
    if committed:
        commit(committed)
    assert recover() == [f"dvc.lock: damaged by a killed run: removed; {AGAIN}"]
    assert not (repository / "dvc.lock").exists()


def test_a_conflict_is_for_a_person(repository: Path) -> None:
    text = HEADER + "<<<<<<< HEAD\n" + SOURCES + "=======\n" + ANSWER + ">>>>>>> other\n"
    (repository / "dvc.lock").write_text(text)
    with pytest.raises(UserError, match=r"dvc\.lock has conflicts of a merge: run `git checkout --ours dvc\.lock`"):
        recover()
    assert (repository / "dvc.lock").read_text() == text


@pytest.mark.parametrize(
    "content", ["", "[]", '{"write": {"/a": {"pid"', json.dumps({"write": {"/a": {"pid": 1, "cmd": "dvc repro"}}})]
)
def test_a_lock_that_nobody_holds_goes(repository: Path, content: str) -> None:
    """Empty, torn, or held by a process that is no dvc here: 1 is some other."""
    rwlock = repository / ".dvc/tmp/rwlock"
    rwlock.write_text(content)
    assert recover() == [".dvc/tmp/rwlock: left by a killed run: removed"]
    assert not rwlock.exists()


def test_while_a_dvc_is_at_work_nothing_is_touched(repository: Path) -> None:
    """A process that is called dvc and works in this folder; it waits for our word."""
    rwlock = repository / ".dvc/tmp/rwlock"
    rwlock.write_text("")
    code = "print(flush=True); input()"
    with subprocess.Popen(
        ["dvc", "-c", code], executable=sys.executable, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as dvc:
        assert dvc.stdin and dvc.stdout
        dvc.stdout.readline()
        [line] = recover()
        assert line == f".dvc/tmp/rwlock may be damaged, but dvc runs here (process {dvc.pid}): check again afterwards"
        assert rwlock.exists()
        dvc.stdin.write(b"\n")
    assert recover() == [".dvc/tmp/rwlock: left by a killed run: removed"]


def test_half_noted_runs_go(repository: Path) -> None:
    """DVC fails on an empty folder there, and on the whole beginning of a torn note."""
    runs = repository / ".dvc/cache/runs"
    empty, torn, noted = runs / "ab" / ("a" * 64), runs / "cd" / ("c" * 64), runs / "ef" / ("e" * 64)
    for folder in (empty, torn, noted):
        folder.mkdir(parents=True)
    (torn / ".x7.tmp").write_text("cmd: x\ndeps:\n")
    (noted / ("f" * 64)).write_text("cmd: x\n")
    (noted / ".x8.tmp").write_text("cmd")
    assert recover() == [".dvc/cache/runs: 4 left half-written by a killed run: removed"]
    assert not empty.exists() and not torn.exists()
    assert os.listdir(noted) == ["f" * 64]


def test_a_dvc_that_is_locked_is_one_line(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dvc.lock import LockError

    def locked(*_: Any) -> list[str]:
        raise LockError("Unable to acquire lock")

    monkeypatch.setattr(recovery, "broken_files", locked)
    assert recover() == ["dvc: Unable to acquire lock"]


def test_in_a_shared_cache_only_what_is_old_goes(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("shared")
    (repository / ".dvc/config").write_text(f"[cache]\n    dir = {cache}\n")
    old, young = cache / "runs/ab" / ("a" * 64), cache / "runs/ab" / ("b" * 64)
    for folder in (old, young):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    assert len(recover()) == 1
    assert not old.exists() and young.exists()
