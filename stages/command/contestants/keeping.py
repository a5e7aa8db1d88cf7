"""Folders of answers and weights are kept out of git: by DVC where it has a remote, else ignored."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.settings import project_root

IGNORED = ".gitignore"


def written_for(folder: Path) -> list[Path]:
    return [folder.parent / IGNORED, note_of(folder)]


def require_below(folder: Path) -> None:
    """Raise UserError for a folder in which the whole project lies."""
    if Path.cwd().resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{folder}: the project itself lies there: name the folder that holds nothing else")


def note_of(folder: Path) -> Path:
    """Return the file by which DVC knows a folder, beside it."""
    return folder.with_name(f"{folder.name}.dvc")


def keep(folder: Path, by_dvc: bool | None) -> str:
    """Keep a folder out of git: by DVC, or where `by_dvc` is None and it has no remote, ignored. Return a line about
    it.
    """
    root = Path.cwd().resolve()
    if root != project_root().resolve() or not folder.resolve().is_relative_to(root) or not is_repository():
        return f"{folder} lies outside this repository and stays there"
    if note_of(folder).exists():
        return f"{folder} is DVC's already ({note_of(folder)}): after a change `dvc add {folder}`"
    if said("git", "ls-files", "--", str(folder)):
        return f"{folder} is in git and stays there: `git rm -r --cached {folder}` takes it out"
    hidden = run("git", "check-ignore", "--quiet", str(note_of(folder))).returncode == 0  # DVC wants its note seen
    if by_dvc or (by_dvc is None and not hidden and has_remote()):
        done = run(sys.executable, "-m", "dvc", "add", "--quiet", str(folder))
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["dvc failed"])[0].removeprefix("ERROR: ")
            raise UserError(f"{folder}: `dvc add` failed ({why}): mend that, or leave it out of DVC by --ignore")
        return f"{folder} is DVC's now: `git add {note_of(folder)} {folder.parent / IGNORED}`, `dvc push` shares it"
    if run("git", "check-ignore", "--quiet", str(folder)).returncode == 0:
        return f"{folder} is ignored by git already, and DVC does not have it: only this machine does"
    ignored = folder.parent / IGNORED
    before = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    line = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.name)
    write_whole(ignored, f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{line}\n".encode())
    return f"{folder} is ignored by git now ({ignored}), so only this machine has it: --dvc gives it to DVC"


def is_repository() -> bool:
    try:
        return run("git", "rev-parse", "--git-dir").returncode == 0
    except FileNotFoundError:
        return False


def has_remote() -> bool:
    return bool(said(sys.executable, "-m", "dvc", "remote", "list"))


def said(*command: str) -> str:
    return run(*command).stdout.strip()


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="backslashreplace")
