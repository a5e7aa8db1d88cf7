"""Logs of decisions: what is written is there, what was killed in the middle is not, and the last word counts."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.project import decisions
from gamut.project.decisions import Decision, majority, open_log, path_of, read_decisions, read_log, reviewer_name
from gamut.project.errors import UserError

CAT = Decision(id="cat", about="5a", decision="accept")
DOG = Decision(id="dog", decision="rewrite", texts={"prompt": 'a dog,\n"狗"'}, remark="two readings")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def logged(*lines: Decision, by: str = "ann", task: str = "review.toy.v1") -> Path:
    with open_log(by, task) as log:
        for line in lines:
            log.add(line)
    return path_of(by, task)


def test_a_log_is_a_line_a_decision() -> None:
    path = logged(CAT, DOG)
    assert path == Path("datasets/decisions/ann/review.toy.v1.jsonl")
    assert path.read_text().splitlines() == [
        '{"id":"cat","about":"5a","decision":"accept"}',
        '{"id":"dog","decision":"rewrite","texts":{"prompt":"a dog,\\n\\"狗\\""},"remark":"two readings"}',
    ]
    assert read_log(path) == [CAT, DOG]


def test_the_last_word_counts_and_an_empty_one_takes_back() -> None:
    logged(CAT, DOG, Decision(id="cat", decision="reject"), Decision(id="cat", round=1, decision="accept"))
    logged(Decision(id="dog", decision=""))
    assert {key: one.decision for key, one in read_decisions("review.toy.v1")["ann"].items()} == {
        ("cat", 0): "reject",
        ("cat", 1): "accept",
    }
    logged(CAT, by="bob", task="review.toy.v2")
    logged(CAT, Decision(id="cat", decision=""), by="eve")
    assert [*read_decisions("review.toy.v1")] == ["ann"]  # bob reviewed another edition, eve took all back


@given(st.integers(0, 200))
def test_half_a_line_is_lost_alone(cut: int) -> None:
    """Wherever a line was cut, the ones before it stay, and the next one stands on a line of its own."""
    path = path_of("ann", f"cut.{cut}")
    path.parent.mkdir(parents=True, exist_ok=True)
    first, second = (f"{one.model_dump_json(exclude_defaults=True)}\n".encode() for one in (CAT, DOG))
    path.write_bytes(first + second[: min(cut, len(second))])
    whole = [CAT, DOG] if cut >= len(second) - 1 else [CAT]  # a line that lacks its end alone is whole
    assert read_log(path) == whole
    path = logged(Decision(id="owl", decision="reject"), task=f"cut.{cut}")
    assert [one.id for one in read_log(path)] == [*(one.id for one in whole), "owl"]
    path.unlink()


def test_a_log_that_nothing_was_added_to_is_not_left_behind() -> None:
    with open_log("ann", "review.toy.v1"):
        pass
    assert not path_of("ann", "review.toy.v1").exists()


def test_two_runs_of_one_person_do_not_write_into_one_log() -> None:
    with open_log("ann", "review.toy.v1"), open_log("bob", "review.toy.v1"):
        with pytest.raises(UserError, match=r"^datasets/decisions/ann/review\.toy\.v1\.jsonl is open in another run"):
            open_log("ann", "review.toy.v1").__enter__()
        with open_log("ann", "review.toy.v2"):
            pass


def test_a_killed_run_leaves_the_log_free_and_whole() -> None:
    code = (
        "import os, signal\n"
        "from gamut.project.decisions import Decision, open_log\n"
        "with open_log('ann', 'review.toy.v1') as log:\n"
        "    log.add(Decision(id='cat', decision='accept'))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    where = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    assert subprocess.run([sys.executable, "-c", code], env=where).returncode == -9
    assert [one.id for one in read_log(logged(DOG))] == ["cat", "dog"]


def test_a_disk_that_is_full_leaves_no_half_line(monkeypatch: pytest.MonkeyPatch) -> None:
    path = logged(CAT)
    with open_log("ann", "review.toy.v1") as log:
        whole = os.write
        with monkeypatch.context() as full, pytest.raises(OSError, match="No space left"):
            full.setattr(os, "write", lambda file, data: whole(file, data[:7]))
            log.add(DOG)
        assert path.stat().st_size == log.size
        log.add(DOG)
    assert read_log(path) == [CAT, DOG]


@pytest.mark.parametrize("change", ["replaced", "removed", "added to"])
def test_nothing_is_said_to_be_saved_in_a_log_that_was_changed_meanwhile(change: str) -> None:
    """Git puts another file in its place (stash, checkout, pull): what is written into the old one would be lost."""
    path = path_of("ann", "review.toy.v1")
    with open_log("ann", "review.toy.v1") as log:
        log.add(CAT)
        line = path.read_bytes()
        if change != "added to":
            path.unlink()
        if change != "removed":
            with path.open("ab") as file:
                file.write(line)
        with pytest.raises(UserError, match=r"was changed meanwhile, .*: end this and start again$"):
            log.add(DOG)
    assert (
        read_log(path) == {"replaced": [CAT], "added to": [CAT, CAT]}[change] if path.exists() else change == "removed"
    )


def test_a_log_that_its_last_run_removes_is_not_written_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between open and lock the run before may have removed its empty log."""
    path, lock = path_of("ann", "review.toy.v1"), fcntl.flock

    def removed_first(file: int, how: int) -> None:
        path.unlink()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", removed_first)
    with pytest.raises(UserError, match="is open in another run"):
        open_log("ann", "review.toy.v1").__enter__()


def test_nobody_speaks_under_two_names_by_a_link() -> None:
    path = logged(CAT)
    for link, to in ((Path("datasets/decisions/bob"), "ann"), (path.with_name("review.toy.v2.jsonl"), path.name)):
        link.symlink_to(to)
        task = "review.toy.v1" if link.name == "bob" else "review.toy.v2"
        for read in (
            lambda task=task: read_decisions(task),
            open_log("bob" if link.name == "bob" else "ann", task).__enter__,
        ):
            with pytest.raises(UserError, match=f"^{link}: is a link: put the file or folder itself there$"):
                read()
        link.unlink()


def test_what_is_no_file_is_no_log() -> None:
    path = path_of("ann", "review.toy.v1")
    path.mkdir(parents=True)
    for _ in range(2):
        for read in (lambda: read_decisions("review.toy.v1"), open_log("ann", "review.toy.v1").__enter__):
            with pytest.raises(UserError, match=f"^{path} is a folder or pipe, but a log is expected$"):
                read()
        if path.is_dir():
            path.rmdir()
            os.mkfifo(path)


def test_what_is_no_decision_is_named_by_its_line() -> None:
    path = logged(CAT)
    wrong = [
        "<<<<<<< HEAD",
        '{"id":"cat","decision":"accept","decision":"reject"}',
        '{"id":"","decision":"accept"}',
        '{"id":"cat"}',
        '{"id":"cat","decision":1}',
        '{"id":"cat","decision":"accept","by":"eve"}',
        "[" * 5000,
        "",
    ]
    path.write_text("\n".join([path.read_text().strip(), *wrong]) + "\n")
    with pytest.raises(UserError) as error:
        read_log(path)
    assert [line.partition(":")[0] for line in str(error.value).splitlines()] == [
        f"{path}, line {n}" for n in range(2, 10)
    ]
    assert "'decision' occurs twice" in str(error.value)


def test_reviewers_have_names_that_are_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reviewer_name("Ann  Lee <ann@example.org>") == "ann-lee-ann-example-org"
    assert reviewer_name("../../etc/passwd") == "etc-passwd"
    assert reviewer_name("王小明") == "王小明"
    for nobody in ("", "...", "🙂", "x" * 65):
        with pytest.raises(UserError, match="--reviewer"):
            reviewer_name(nobody)
    monkeypatch.setattr(decisions, "git_output", lambda *_: "Ann\n")
    assert reviewer_name(None) == "ann"


def test_what_most_say() -> None:
    assert majority(["a", "b", "a"]) == "a" and majority(["a"]) == "a"
    assert majority([]) is None and majority(["a", "b"]) is None and majority(["a", "b", "a", "b", "c"]) is None


def test_logs_of_two_people_merge_by_git(tmp_path: Path) -> None:
    """And those of one person on two computers: lines of both stand in the merged file."""

    def git(*arguments: str) -> str:
        author = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
        return subprocess.run(["git", *author, *arguments], check=True, capture_output=True, text=True).stdout

    rules = Path(__file__).parents[2] / ".gitattributes"
    Path(".gitattributes").write_text(rules.read_text())
    logged(CAT)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "other")
    logged(DOG)
    logged(CAT, by="bob")
    git("add", "-A")
    git("commit", "-qm", "other")
    git("checkout", "-q", "main")
    path = logged(Decision(id="owl", decision="reject"))
    git("commit", "-qam", "here")
    git("merge", "-q", "--no-edit", "other")
    assert {one.id for one in read_log(path)} == {"cat", "dog", "owl"}
    assert [*read_decisions("review.toy.v1")] == ["ann", "bob"]
    assert all(json.loads(line) for line in path.read_text().splitlines())
