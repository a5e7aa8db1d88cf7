"""Folders of answers and weights are kept out of git, and DVC's where somebody gives them to it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.settings import project_root

IGNORED = ".gitignore"


def require_below(folder: Path) -> None:
    """Raise UserError for a folder in which the whole project lies."""
    if Path.cwd().resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{folder}: the project itself lies there: name the folder that holds nothing else")


def note_of(folder: Path) -> Path:
    """Return the file by which DVC knows a folder, beside it."""
    return folder.with_name(f"{folder.name}.dvc")


def keep(folder: Path) -> str:
    """Let git ignore a folder, unless git or DVC has it, or it lies elsewhere; return a line about it."""
    root = Path.cwd().resolve()
    if root != project_root().resolve() or not folder.resolve().is_relative_to(root) or not is_repository():
        return f"{folder} lies outside this repository and stays there"
    if note_of(folder).exists():
        return f"{folder} is DVC's already ({note_of(folder)}): after a change `dvc add {folder}`"
    if run("git", "ls-files", "--", str(folder)).stdout.strip():
        return f"{folder} is in git and stays there: `git rm -r --cached {folder}` takes it out"
    shares = f"so only this machine has it: `dvc add {folder}` gives it to DVC"
    if run("git", "check-ignore", "--quiet", str(folder)).returncode == 0:
        return f"{folder} is ignored by git already, {shares}"
    ignored = folder.parent / IGNORED
    before = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    line = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.name)
    write_whole(ignored, f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{line}\n".encode())
    return f"{folder} is ignored by git now ({ignored}), {shares}"


def is_repository() -> bool:
    try:
        return run("git", "rev-parse", "--git-dir").returncode == 0
    except FileNotFoundError:
        return False


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="backslashreplace")
