"""Checks of input from elsewhere: files that have an end, folders without circles, keys that occur once."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from gamut.project.errors import UserError, in_one_line


def regular_file(path: Path) -> Path:
    """Raise UserError for a FIFO, socket or device, which may have no end; folders and missing files pass."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or path.samefile(os.devnull)):
        raise UserError(f"{in_one_line(path)}: is a FIFO, socket or device: put a file there")
    return path


def files_below(folder: Path) -> Iterator[Path]:
    require_no_circle(folder)
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if is_visible(entry.name):
            yield from files_below(Path(entry.path)) if is_folder(entry) else [Path(entry.path)]


def is_folder(entry: os.DirEntry[str]) -> bool:
    return os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir()


IN_DVC_CACHE = re.compile(r"/files/md5/[0-9a-f]{2}/[0-9a-f]{30}$")
"""The target of links by which DVC replaces files (`cache.type symlink`)."""


def stays_within(folder: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))  # resolve() fails where they circle


def leads_out(folder: Path, path: Path) -> bool:
    """Return whether a link that is not DVC's leads a file of a folder elsewhere."""
    if stays_within(folder, path):
        return False
    return not (stays_within(folder, path.parent) and IN_DVC_CACHE.search(Path(os.path.realpath(path)).as_posix()))


def require_no_circle(folder: Path) -> None:
    """Raise UserError for a link to a folder that contains it, because to follow it would never end."""
    if folder.is_symlink() and folder.resolve() in map(Path.resolve, folder.parents):
        raise UserError(f"{in_one_line(folder)} is a link to a folder that contains it: remove it")


def is_visible(name: str) -> bool:
    return not name.startswith(".")


def parse_json(content: bytes) -> Any:
    """Parse JSON, with Python's NaN and Infinity. Raise ValueError for anything else, such as half a character."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        try:
            found = json.loads(content)
            json.dumps(found, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise error from None
        return found


class DoubledObject(dict[str, Any]):
    """A JSON object in which `keys_twice` occur twice; the last value of each is kept, as in parsers."""

    keys_twice: tuple[str, ...]


def json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, a DoubledObject if keys occur twice; `json` calls it."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled = DoubledObject(found)
    doubled.keys_twice = tuple(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
    return doubled


def repeated_keys(text: str | bytes) -> list[str]:
    """Return repeated keys: parsers keep the last, so a second verdict would win unseen. Other text repeats none."""
    repeated: list[str] = []

    def keys(pairs: list[tuple[str, Any]]) -> None:
        if isinstance(found := json_object(pairs), DoubledObject):
            repeated.extend(found.keys_twice)

    try:
        json.loads(text, object_pairs_hook=keys)
    except (ValueError, RecursionError):
        return []  # the reader's own parser reports the error
    return repeated
