"""Facts from git: commits, and files that are not committed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from gamut.project.plain_text import amount, name_first

MOST_NAMED = 3
"""The most files that are named; the number of others follows."""


def is_committed(path: Path) -> bool:
    """Return whether HEAD has this content, with any line ends; follow links. Files that git overlooks count too."""
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


def uncommitted_files(*apart: Path) -> list[str]:
    listed = git_output("status", "--porcelain", "-uall", "-z", "--", ".", *(f":!{one}" for one in apart))
    return [entry[3:] for entry in listed.split("\0") if entry[2:3] == " "]


def commit_in_words(apart: Path) -> str | None:
    """Return the commit in words, as `commit 4f0c2a91b3de of 2026-11-27, with 1 file not committed: params.yaml`; None
    without git or a commit. Files of the folder `apart` do not count.
    """
    inside = Path(os.path.relpath(os.path.realpath(apart)))
    try:
        said = git_output("log", "-1", "--date=short", "--abbrev=12", "--format=commit %h of %cd").strip()
        files = sorted(uncommitted_files(*([] if inside.parts[:1] == ("..",) else [inside])))
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None
    return said + (f", with {amount(len(files), 'file')} not committed: {name_first(files, MOST_NAMED)}" * bool(files))


def git_output(*arguments: str) -> str:
    """Return git's output, in which names that are not UTF-8 are escaped."""
    done = subprocess.run(
        ["git", *arguments], capture_output=True, encoding="utf-8", errors="backslashreplace", check=True
    )
    return done.stdout
