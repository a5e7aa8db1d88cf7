"""`gamut pipeline`: dvc.yaml files, written from the records of the stages that they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from stages.pipeline.entries import WRITTEN
from stages.project.errors import UserError
from stages.project.files import write_whole


def texts() -> Mapping[Path, str]:
    """Return what every file that follows from records is to hold."""
    raise NotImplementedError


def stale(wanted: Mapping[Path, str]) -> Iterator[Path]:
    """Yield the files that hold something else; a UserError for one that a person wrote."""
    for file, text in wanted.items():
        found = file.read_text(encoding="utf-8") if file.exists() else WRITTEN
        if not found.startswith(WRITTEN):
            raise UserError(f"{file}: was written by hand, and stands where `gamut pipeline` would write: move it")
        if found != text:
            yield file


def write(check: bool) -> list[str]:
    """Write the files that hold something else and return what is said of each; `check`: only say it (UserError)."""
    wanted = texts()
    files = list(stale(wanted))
    if check and files:
        raise UserError(f"{', '.join(map(str, files))}: not what the stages' records say: run `gamut pipeline`")
    for file in files:
        write_whole(file, wanted[file].encode())
    return [f"{file}: written" for file in files] or [f"{len(wanted)} files are what the stages' records say"]
