"""`gamut init`: a project of one's own, whose stages run the installed code."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import chdir
from fnmatch import fnmatch
from pathlib import Path
from shlex import quote
from shutil import which

from stages.command.left_out import leave_out
from stages.command.projects.contents import README, contents, write_lock
from stages.project.errors import UserError, in_one_line
from stages.project.files import write_whole
from stages.project.installed_code import LOCK, version

BESIDE = (".git", ".venv", README, "LICENSE*", ".*.new")
"""What may lie in the folder before: a repository that was just made, an environment, and what a killed run left."""


def init(folder: Path) -> Iterator[str]:
    """Make a project in a new or empty folder, and yield what to tell, a line each; killed, the same call goes on.

    UserError for a folder that holds anything else, or without git.
    """
    if which("git") is None:
        raise UserError("git is not on PATH: install it, a project is a git repository")
    files = contents()
    require_room(folder, files)
    folder.mkdir(parents=True, exist_ok=True)
    if not is_repository(folder):
        subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    kept = (folder / README).exists()
    for name, content in files.items():
        if not (name == README and kept):
            write_whole(folder / name, content)
    with chdir(folder):
        list(leave_out())  # benchmarks that the profile has no block for: as in a clone
    write_lock(folder, files)
    yield f"{in_one_line(folder)}: a project of gamut {version()}; params.yaml is profiles/laptop.yaml"
    if kept:
        yield f"{README} was there, and stays as it is"
    enter = "" if folder.resolve() == Path.cwd() else f"cd {in_one_line(quote(str(folder)))} && "
    yield f"next: {enter}git add --all && git commit -m 'gamut init' && gamut check && dvc repro"


def require_room(folder: Path, files: Mapping[str, bytes]) -> None:
    """Raise UserError unless a project can be written here and nothing is lost: a name that nothing bears, an empty
    folder, or one with part of the same project.
    """
    shown = in_one_line(folder)
    if (folder / LOCK).exists():
        place = in_one_line(quote(str(folder)))
        raise UserError(f"{shown}: is a project already: `cd {place} && gamut upgrade` brings it up to date")
    if folder.is_file():
        raise UserError(f"{shown}: a file: name a new or empty folder")
    if not folder.is_dir():
        return
    ours = {Path(name).parts[0] for name in files}
    others = sorted(path.name for path in folder.iterdir() if path.name not in ours and not is_beside(path.name))
    others += [name for name, content in files.items() if name != README and is_another(folder / name, content)]
    if others:
        raise UserError(
            f"{shown}: is not empty, {in_one_line(others[0])} lies in it: name a new or empty folder (.git, .venv, "
            f"{README} and LICENSE may be there)"
        )


def is_beside(name: str) -> bool:
    """Return whether a file or folder may lie in the folder before."""
    return any(fnmatch(name, pattern) for pattern in BESIDE)


def is_another(path: Path, content: bytes) -> bool:
    """Return whether something else stands where a file is to be written."""
    return path.exists() and (path.is_dir() or path.read_bytes() != content)


def is_repository(folder: Path) -> bool:
    """Return whether a folder lies in a git repository."""
    inside = ["git", "rev-parse", "--is-inside-work-tree"]
    return subprocess.run(inside, cwd=folder, capture_output=True).returncode == 0
