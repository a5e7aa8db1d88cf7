"""The files by which stages depend on what answers them and is no data of theirs: parts of the embedded world, Python
files of the project, weights that a stage builds. One for each place where params.yaml may use such.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from gamut.asking.models.weights import built_digest
from gamut.asking.models.world.sandbox import PARTS, revision
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.model_kinds import Model, PythonModel, SandboxModel, built_folders


def write_versions(folder: Path, places: Iterable[tuple[str, Sequence[str]]]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for place, parts in places:
        write_whole(folder / place, f"{' '.join(map(version, parts)) or 'not used here'}\n".encode())


def parts_used(model: Model, *parts: str) -> Sequence[str]:
    """Return those parts where the world is the model; else its Python file, or the folders that stages build of it."""
    if isinstance(model, PythonModel):
        return (model.file,)
    return parts if isinstance(model, SandboxModel) else built_folders(model)


def version(part: str) -> str:
    """Return what a part, file or folder is now: where there is none, its own cell says so."""
    if part in PARTS:
        return revision(part)
    try:
        return f"{part} {digest_of_file(Path(part)) if part.endswith('.py') else built_digest(part)}"
    except UserError as error:
        return str(error)
