"""Profiles are put in place whole, and never over edits that could not be had again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stages import profiles
from stages.errors import UserError
from tests import fakes

LAPTOP, OTHER = json.dumps(fakes.values(seed=1)), json.dumps(fakes.values(seed=2))


def git(*arguments: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], check=True)


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    (project / "profiles").mkdir()
    (project / "profiles/laptop.yaml").write_text(LAPTOP)
    (project / "profiles/other.yaml").write_text(OTHER)
    (project / "profiles/notes.txt").write_text("no profile")
    return project


PARAMS = Path("params.yaml")


def test_names() -> None:
    assert profiles.names() == ["laptop", "other"]


def test_a_profile_is_put_in_place() -> None:
    profiles.use("laptop")
    assert PARAMS.read_text() == LAPTOP
    profiles.use("other")  # a profile can always be had again
    assert PARAMS.read_text() == OTHER


def test_edits_are_not_lost() -> None:
    PARAMS.write_text(LAPTOP + "\n# mine\n")
    with pytest.raises(UserError, match=r"^params\.yaml has edits that are in no commit: commit them or `git checkout"):
        profiles.use("other")
    assert PARAMS.read_text() == LAPTOP + "\n# mine\n"


def test_committed_edits_can_be_had_again() -> None:
    PARAMS.write_text(LAPTOP + "\n# mine\n")
    git("init", "-q")
    git("add", "params.yaml")
    with pytest.raises(UserError):  # added, but in no commit
        profiles.use("other")
    git("commit", "-q", "-m", "mine")
    profiles.use("other")
    assert PARAMS.read_text() == OTHER
    PARAMS.write_text(LAPTOP + "\n# later\n")
    with pytest.raises(UserError):
        profiles.use("laptop")


def test_committed_in_a_subfolder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    inner = folder / "inner"
    (folder / "profiles").rename(folder / "moved")
    inner.mkdir()
    (folder / "moved").rename(inner / "profiles")
    monkeypatch.chdir(inner)
    PARAMS.write_text(LAPTOP + "\n")
    git("init", "-q", "..")
    git("add", "params.yaml")
    git("commit", "-q", "-m", "mine")
    profiles.use("other")
    assert PARAMS.read_text() == OTHER


def test_an_unknown_profile_is_told_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"^there is no profile 'laptp'; did you mean 'laptop'\?$"):
        profiles.use("laptp")


def test_a_wrong_profile_is_not_put_in_place() -> None:
    Path("profiles/wrong.yaml").write_text(json.dumps(fakes.values(seed=-1)))
    PARAMS.write_text(LAPTOP)
    with pytest.raises(UserError, match=r"^profiles/wrong\.yaml: seed: -1 is not right"):
        profiles.use("wrong")
    assert PARAMS.read_text() == LAPTOP
