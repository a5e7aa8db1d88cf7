"""What git knows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def is_committed(path: Path) -> bool:
    """Compare with any line ends; links are followed, and files that git was told to overlook are looked at."""
    place = os.path.relpath(os.path.realpath(path))
    try:
        committed = git_output("rev-parse", "--verify", f"HEAD:./{place}")
        return any(git_output("hash-object", *option, "--", place) == committed for option in ([], ["--no-filters"]))
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False


def committed_content(path: Path) -> bytes:
    try:
        return subprocess.run(["git", "show", f"HEAD:./{path}"], capture_output=True).stdout
    except FileNotFoundError:  # no git here
        return b""


def revision() -> str:
    return git_output("rev-parse", "HEAD").strip()


def uncommitted_files(apart: Path) -> list[str]:
    entries = git_output("status", "--porcelain", "--untracked-files=all", "-z", "--", ".", f":!{apart}").split("\0")
    return [entry[3:] for entry in entries if entry[2:3] == " "]


def git_output(*arguments: str) -> str:
    """Names of files that are not UTF-8 come in escapes."""
    done = subprocess.run(
        ["git", *arguments], capture_output=True, encoding="utf-8", errors="backslashreplace", check=True
    )
    return done.stdout
