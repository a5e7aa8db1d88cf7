"""Values as lines of a terminal: harmless whatever stands in them, pictures and long texts in files that are named.

A `stem` is the path of the file that a value is written to, if it is, without its extension.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gamut.asking.parts import unbundled
from gamut.project.files import write_whole
from gamut.project.plain_text import harmless
from gamut.tables.columns import Row
from gamut.tables.images import media_type, size

LONGEST = 2_000
"""Characters of a text that are shown; what is longer stands whole in a file."""
EXTENSIONS = {"jpeg": "jpg"}
"""Of pictures, where it is not what their media type says behind `image/`."""
BRIEF = 200
"""Characters up to which a list, or an object, stands in one line."""
PLAIN = re.compile(r"\w[\w.@-]{0,99}", re.ASCII)
MOST_NAMED = 3
"""How many names stand for all where none is like the one that was asked for."""


def indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def text_lines(name: str, words: str, stem: Path) -> Iterator[str]:
    """Yield a text with its own line breaks; of a long one the beginning, and in which file all of it stands."""
    lines = [harmless(line) for line in words.splitlines()]
    whole = "\n".join(lines)
    shown = whole[:LONGEST].splitlines()
    if len(shown) > 1:
        yield f"{name}:"
        yield from indented(shown)
    else:
        yield f"{name}: {''.join(shown)}"
    if len(whole) > LONGEST:
        path = stem.with_name(f"{stem.name}.txt")
        write_whole(path, f"{whole}\n".encode())
        yield f"  … {len(whole) - LONGEST:,} of {len(whole):,} characters are left out here: {path} has all"


def picture_line(name: str, data: bytes, stem: Path) -> str:
    try:
        kind, (width, height) = media_type(data).removeprefix("image/"), size(data)
        path, said = stem.with_name(f"{stem.name}.{EXTENSIONS.get(kind, kind)}"), f"{width}x{height}"
    except ValueError as error:
        path, said = stem.with_name(f"{stem.name}.bin"), f"{len(data):,} bytes: {harmless(str(error))}"
    write_whole(path, data)
    return f"{name}: {path} ({said})"


def value_lines(name: str, value: Any, stem: Path) -> Iterator[str]:
    """Yield whatever a column holds; nothing for what is not there, or empty."""
    if isinstance(value, bytes):
        yield picture_line(name, value, stem)
    elif isinstance(value, str):
        if value.strip():
            yield from text_lines(name, value, stem)
    elif isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
        yield picture_line(name, value["bytes"], stem)
    elif isinstance(value, dict | list):
        if (brief := brief_line(value)) is not None:
            yield from value_lines(name, brief, stem)
        elif isinstance(value, list) and not any(isinstance(one, str | dict | list) for one in value):
            yield from text_lines(name, json.dumps(value), stem)
        else:
            for key, one in value.items() if isinstance(value, dict) else enumerate(value, start=1):
                yield from value_lines(
                    f"{name} {harmless(str(key))}", one, stem.with_name(f"{stem.name}-{file_name(str(key))}")
                )
    elif value is not None:
        yield f"{name}: {value}"


def brief_line(value: dict[str, Any] | list[Any]) -> str | None:
    """Return a short list or object of plain values as one line; None where it is longer, or has parts of its own."""
    pairs = list(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    if any(isinstance(one, dict | list | bytes) for _, one in pairs):
        return None
    words = [f"{key}: {one}" if key else str(one) for key, one in pairs if one is not None]
    line = "; ".join(words)
    return line if len(line) <= BRIEF and "\n" not in line else None


def row_lines(row: Row, files: Path, hidden: Sequence[str] = ()) -> Iterator[str]:
    for name, found in row.items():
        if name not in hidden:
            yield from value_lines(harmless(name), found, files / file_name(name))


def content_lines(name: str, data: bytes, stem: Path) -> Iterator[str]:
    try:
        created = unbundled(data)
    except ValueError:
        yield picture_line(name, data, stem)
        return
    if created.thinking:
        yield from text_lines(f"{name}, thinking", created.thinking, stem.with_name(f"{stem.name}-thinking"))
    for number, part in enumerate(created.parts, start=1):
        several = len(created.parts) > 1
        label = f"{name}, part {number}" if several else name
        yield from value_lines(label, part, stem.with_name(f"{stem.name}-{number}") if several else stem)


def file_name(name: str) -> str:
    """Return a name as that of a file: as it is, or without what could lead elsewhere and with a digest of the name."""
    if PLAIN.fullmatch(name):
        return name
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:40].strip("-")
    return f"{cleaned or 'name'}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def folder_of(out: Path, *names: str) -> Path:
    """Return the folder in which the files of one record lie; a name with slashes is folders in folders."""
    return out.joinpath(*(file_name(part) for name in names for part in (name.split("/") if "/" in name else [name])))


def similar_names(name: str, names: Sequence[str]) -> str:
    """Return `"; did you mean 'x'?"` for the name most like this one, or a few of many where none is."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    few = ", ".join(map(repr, names[:MOST_NAMED]))
    return f"; there are {few}{', …' if len(names) > MOST_NAMED else ''}" if names else ""
