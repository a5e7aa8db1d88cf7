"""Writes files whole or not at all: a run that is killed at any moment leaves the old file or the new one.

Until it is complete, the new file is next to the old one as `.NAME.XXXXXXXX.new`, which git and DVC ignore.
"""

from __future__ import annotations

import csv
import errno
import glob
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gamut.project.csv_forms import guard_cell
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import regular_file


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, sync it and rename it to its place; make its folder. Permissions stay, and a link stays a link. An
    OSError names `path`. Leftovers of killed runs next to it are removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not os.access(place, os.W_OK):  # a rename would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        while not replace_file(place, content):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    for leftover in place.parent.glob(f".{glob.escape(place.name)}.{'[0-9a-f]' * 8}.new"):
        leftover.unlink(missing_ok=True)


def replace_file(place: Path, content: bytes) -> bool:
    """Write a file next to its place and rename it. Return False if another run removed it as a leftover."""
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.new")
    file = beside.open("xb")
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
        os.replace(beside, place)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno != errno.EBUSY:  # a file that is mounted, as into a container, can only be written where it is
            raise
        place.write_bytes(content)
    finally:
        beside.unlink(missing_ok=True)
    return True


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], encoding: str = "utf-8") -> None:
    """Write a table as CSV. With utf-8-sig it begins with the mark by which spreadsheets detect UTF-8."""
    write_whole(path, csv_text(columns, rows).encode(encoding))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV in which a spreadsheet computes no cell."""
    lines = CsvLines()
    writer = csv.writer(lines)
    for row in (columns, *rows):
        writer.writerow([guard_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return "".join(lines)


class CsvLines(list[str]):
    """Rows of a CSV writer, which keeps its own line end, because otherwise it would not quote a carriage return."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def require_inside(paths: Iterable[Path]) -> None:
    here = os.path.realpath(".")
    for path in paths:
        place = Path(os.path.relpath(os.path.realpath(path), here))
        if any(part.casefold() in ("..", ".git") for part in place.parts[:1]):
            link = next((above for above in (*reversed(path.parents), path) if above.is_symlink()), path)
            raise UserError(f"{in_one_line(link)} leads {in_one_line(path)} out of this project: remove it")


def sha256_of(path: Path) -> str:
    with regular_file(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def write_json(path: Path, content: Any) -> None:
    write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode())


MOST = 10**15
"""No metric is as large, and NaN is not below it."""


def read_metric_file(path: Path) -> dict[str, Any]:
    """Read a metric file: words and numbers, with or without sections; {} if it does not exist yet. Raise UserError for
    a damaged one.
    """
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not is_metric(found):
        raise UserError(f"{path} is not a metric file: delete it, and `dvc repro` writes it again")
    return found


def is_metric(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(is_metric, value.values()))
    return isinstance(value, str) or (isinstance(value, int | float) and abs(value) < MOST)


def read_metrics(path: Path, beside: type | tuple[()] = ()) -> dict[str, float]:
    """Read the numbers of a metric file, without values of the types `beside`. Raise UserError for other values."""
    found = {name: value for name, value in read_metric_file(path).items() if not isinstance(value, beside)}
    if not all(isinstance(value, int | float) for value in found.values()):
        raise UserError(f"{path} is not a metric file: delete it, and `dvc repro` writes it again")
    return found


def delete_unwanted(folder: Path, wanted: Collection[str]) -> None:
    """Delete the sub-folders of a collecting folder that are not `wanted` (`contestant`, `contestant/judge` or deeper),
    and print so. Files, links and the content of wanted tables stay.
    """
    removed = list(unwanted_folders(folder, wanted))
    for path in removed:
        shutil.rmtree(path)
    if removed:
        names = ", ".join(str(path.relative_to(folder)) for path in removed)
        print(f"{folder}: deleted folders that no cell of params.yaml makes: {names}", flush=True)


def unwanted_folders(folder: Path, wanted: Collection[str]) -> Iterator[Path]:
    """Yield unwanted sub-folders; of a folder that contains a wanted table, only its unwanted sub-folders."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()):
        inside = {rest for name, _, rest in (one.partition("/") for one in wanted) if name == path.name}
        if not inside:
            yield path
        elif "" not in inside:
            yield from unwanted_folders(path, inside)
