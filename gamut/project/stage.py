"""The start and end of every stage: it checks parameters, is the only writer, and its inputs must not change.

DVC hashes dependencies after a command has ended, so it would record an input that was edited meanwhile as if it had
made the output. Therefore a stage notes its declared inputs when it starts, and fails at its end if they have changed.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NoReturn

from gamut.project import build_progress, pipeline
from gamut.project.errors import RUN_AGAIN, UserError, errors_in_one_line
from gamut.project.files import sha256_of
from gamut.project.locks import only_writer
from gamut.project.places import BOARDS
from gamut.project.process import put_imports_aside
from gamut.project.validation import Strict, check_values


def main(
    name: str,
    body: Callable[..., None],
    folder: type[Strict],
    *cell: str,
    before: Callable[..., None] | None = None,
    record: Any = None,
) -> NoReturn:
    """Run a stage's body with the parameters of its `folder` and a cell's values. Exit with 0, or with 1 and one line.

    `record`: the values of its entry in dvc.yaml, if this is written from records (`entries.Entry.values`).
    """
    if cell:
        name = f"{name}@{'-'.join(cell)}"
    stopped = "stopped; what was answered is kept, `gamut check && dvc repro` goes on from there"
    with errors_in_one_line(f"{name}: ", RUN_AGAIN, stopped):
        first = None if before is None else lambda params: before(params, *cell)
        run(name, lambda params: body(params, *cell), folder, first, record)
    sys.exit(0)


def run(
    name: str,
    body: Callable[[Any], None],
    folder: type[Strict],
    before: Callable[[Any], None] | None = None,
    record: Any = None,
) -> None:
    """Run a stage's body as its only writer. Raise UserError if inputs change, except by `before`."""
    put_imports_aside()
    with only_writer(name):
        if record is not None:
            pipeline.require_written(name, record)
        values = pipeline.read_values(pipeline.file_of(name))  # once: `dvc exp run` notes other values later
        declared = pipeline.declaration_of(name, values)
        began, where = time.monotonic(), build_progress.note_start(name)
        print(f"{name}: {where or f'stage {declared.number} of {declared.of} in {declared.file}'}", flush=True)
        noted, params = inputs(declared), check_values(folder, values[pipeline.PARAMS], pipeline.PARAMS, values)
        if before is not None:
            before(params)
            noted = inputs(declared)
        body(params)
        if record is not None:
            require_declared(name, declared.deps)
        after = declared_inputs(name)
        changed = sorted(key for key in noted.keys() | after.keys() if noted.get(key) != after.get(key))
        if changed:
            raise UserError(
                f"{', '.join(changed)} changed while the stage ran, so its output is not recorded; "
                "what was answered is kept: run `dvc repro` again"
            )
        build_progress.note_end(name, time.monotonic() - began)


def require_declared(name: str, deps: Collection[str]) -> None:
    """Raise UserError for imported code that the stage does not declare, because DVC would not see its changes. The
    embedded world is declared by the files that `world` writes about it; a benchmark on the first page of the report
    by its boards.
    """
    here = f"{Path.cwd()}/"
    code = (f"{here}{pipeline.LIBRARY}/", f"{here}{pipeline.BENCHMARKS}/")
    elsewhere = [f"{pipeline.LIBRARY}/world/"]
    if "." not in name or str(BOARDS) in deps:
        elsewhere += [f"{record.parent}/" for record in pipeline.BENCHMARKS.glob("*/curation.py")]
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if file.endswith("__init__.py") or not file.startswith(code):
            continue
        path = file.removeprefix(here)
        if not path.startswith(tuple(elsewhere)) and not any(path == dep or path.startswith(f"{dep}/") for dep in deps):
            raise UserError(f"{path} was imported, but {pipeline.file_of(name)} does not declare it: {pipeline.MEND}")


def declared_inputs(name: str) -> dict[str, Any]:
    return inputs(pipeline.declaration_of(name, pipeline.read_values(pipeline.file_of(name))))


def inputs(declared: pipeline.Declaration) -> dict[str, Any]:
    return {path: digest(Path(path)) for path in declared.deps} | {
        f"{file}: {key}": value for (file, key), value in declared.params.items()
    }


def digest(path: Path) -> str:
    """Return a digest of contents, or of a folder of data (large, and hashed by DVC anyway) of names, sizes and times.
    Code is hashed by its contents: git may write the same file again while a stage runs for days.
    """
    if path.is_dir():
        content_of: Callable[[Path], Any] = sha256_of if pipeline.is_code(str(path)) else noted
        listing = sorted((os.path.relpath(file, path), content_of(Path(file))) for file in files_in(path))
        return hashlib.sha256(repr(listing).encode()).hexdigest()
    if not path.exists():
        return "missing"
    return sha256_of(path)


def files_in(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (file for name in names if os.path.isfile(file := f"{place}/{name}"))


def noted(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
