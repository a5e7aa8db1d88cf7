"""What git knows of files as people and spreadsheets write them: the same on both sides of a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gamut.project.git import commit_in_words, is_committed
from tests.paths import ROOT

ATTRIBUTES = (ROOT / ".gitattributes").read_bytes()
TEXT = '\ufeffid,said\r\n1,"two\r\nlines"\r\n\r\n'.encode()
"""As a spreadsheet saves it."""
HASHED = [Path("datasets", name) for name in ("labels/v1.csv", "labels/prism/v1.csv", "editions/prism/v1.jsonl")]
HASHED.append(Path("datasets/sources/captions.csv"))
"""What DVC hashes as it lies here."""
PARAMS, REVIEW = Path("params.yaml"), Path("datasets/reviews/prism/v1.csv")
ALL = [*HASHED, PARAMS, REVIEW]


def git(*arguments: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def committed(project: Path) -> Path:
    """A repository with this project's attributes, in which everything has CRLF."""
    git("init", "-q")
    Path(".gitattributes").write_bytes(ATTRIBUTES)
    for path in ALL:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(TEXT)
    assert not is_committed(PARAMS), "there is no commit"
    git("add", ".")
    git("commit", "-qm", "all")
    return project


@pytest.mark.parametrize("autocrlf", ["true", "false"])
def test_a_clone_has_the_same_bytes(committed: Path, monkeypatch: pytest.MonkeyPatch, autocrlf: str) -> None:
    assert git("status", "--porcelain") == "" and all(map(is_committed, ALL))
    git("-c", f"core.autocrlf={autocrlf}", "clone", "-q", ".", "clone")
    monkeypatch.chdir(committed / "clone")
    assert {path: path.read_bytes() for path in HASHED} == dict.fromkeys(HASHED, TEXT)
    assert PARAMS.read_bytes() == REVIEW.read_bytes() == TEXT.replace(b"\r\n", b"\n"), "merged line by line"
    assert git("status", "--porcelain") == "" and all(map(is_committed, ALL))


@pytest.mark.parametrize("path", [HASHED[0], PARAMS], ids=str)
def test_an_edit_is_seen_whatever_git_was_told(committed: Path, path: Path) -> None:
    git("update-index", "--assume-unchanged", str(path))
    path.write_bytes(TEXT + b"more\r\n")
    assert git("status", "--porcelain") == "" and not is_committed(path)


def test_through_a_link_the_file_is_looked_at(committed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = committed / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    PARAMS.symlink_to(f"../{PARAMS}")
    assert is_committed(PARAMS)
    (committed / PARAMS).write_bytes(b"other")
    assert not is_committed(PARAMS)
    (committed / PARAMS).unlink()
    assert not is_committed(PARAMS)


def test_outside_a_repository_and_without_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PARAMS.write_bytes(TEXT)
    assert not is_committed(PARAMS)
    monkeypatch.setenv("PATH", "")
    assert not is_committed(PARAMS)


def test_a_commit_in_words_says_what_is_not_in_it(committed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = Path("public")
    said = commit_in_words(out)
    assert (
        said == f"commit {git('rev-parse', '--short=12', 'HEAD').strip()} of {git('log', '-1', '--format=%cs').strip()}"
    )
    out.mkdir()
    (out / "index.html").write_text("a page of its own")
    assert commit_in_words(out) == said
    assert commit_in_words(Path("../elsewhere")) == f"{said}, with 1 file not committed: public/index.html"
    git("checkout", "-q", "--detach")
    PARAMS.write_bytes(b"other")
    REVIEW.unlink()
    assert commit_in_words(out) == f"{said}, with 2 files not committed: {REVIEW}, {PARAMS}"
    monkeypatch.setenv("PATH", "")
    assert commit_in_words(out) is None


def test_without_a_commit_there_are_no_words_for_it(project: Path) -> None:
    assert commit_in_words(Path("public")) is None
    git("init", "-q")
    assert commit_in_words(Path("public")) is None
