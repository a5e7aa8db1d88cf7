"""A small project with a frozen edition, committed to git: what `gamut publish prism` needs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests import fakes
from tests.publish import small_version

REPO = "somebody/bench"
RECEIPT = Path("datasets/published/somebody/bench/v0.1.0.json")


def prepare() -> None:
    """Make the working directory such a project."""
    git("init", "--quiet")
    Path(".gitignore").write_text(".store\n.dvc\nhome\n")
    put_params()
    small_version.edition()
    commit_all()


def put_params(**publication: Any) -> None:
    given = {"repo": REPO, "version": "0.1.0", "title": "Bench", "license": "cc0-1.0"} | publication
    values = fakes.values()
    Path("params.yaml").write_text(json.dumps(values | {"publish": values["publish"] | {"prism": given}}))


def commit_all() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", "test")


def git(*arguments: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True).stdout
