"""`gamut pipeline`: dvc.yaml files, written from the records of the stages that they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from stages.command import root_pipeline
from stages.editions import pipeline as editions
from stages.evaluation.construction.stages import FILE
from stages.evaluation.defining import cells
from stages.leaderboard.rooms import rooms
from stages.pipeline.entries import WRITTEN
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.pipeline import PIPELINE, ROOMS


def texts() -> dict[Path, str]:
    """Return what every file that follows from records is to hold."""
    of_rooms = {ROOMS / name / PIPELINE: cells.text_of(room.benchmark) for name, room in rooms().items()}
    return {PIPELINE: root_pipeline.text(), **of_rooms, FILE: editions.text()}


def stale(wanted: Mapping[Path, str]) -> Iterator[Path]:
    """Yield the files that hold something else; a UserError for one that a person wrote."""
    for file, text in wanted.items():
        found = file.read_text(encoding="utf-8") if file.exists() else WRITTEN
        if not found.startswith(WRITTEN):
            raise UserError(f"{file}: was written by hand, and stands where `gamut pipeline` would write: move it")
        if found != text:
            yield file


def write(check: bool) -> list[str]:
    """Write the files that hold something else, and return a line about each; `check`: a UserError names them."""
    wanted = texts()
    files = list(stale(wanted))
    if check and files:
        raise UserError(f"{', '.join(map(str, files))}: not what the stages' records say: run `gamut pipeline`")
    for file in files:
        write_whole(file, wanted[file].encode())
    return [f"{file}: written" for file in files] or [f"{len(wanted)} files are what the stages' records say"]
