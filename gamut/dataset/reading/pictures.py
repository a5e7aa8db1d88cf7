"""Folders of pictures and the files next to them: NAME.txt and NAME.caption, the Hub's metadata files (ImageFolder),
img2dataset's and webdataset's NAME.json.

Names are compared in NFC: macOS writes them decomposed, lists usually have them composed.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from unicodedata import normalize

from gamut.dataset.reading.folders import Folder, content_of, ending, folder_of, is_archive
from gamut.dataset.reading.tables import DECODER, Cells, check_row, read_table
from gamut.project.errors import UserError

IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")
TEXTS = (".txt", ".caption")
"""Endings of files next to NAME.jpg that hold its caption."""
NOTES = ".json"
"""The ending of a file next to NAME.jpg that holds columns, one of them its caption."""
METADATA = ("metadata.csv", "metadata.jsonl", "metadata.parquet")
"""Files in a folder with columns of the pictures that their column `file_name` names, there or in folders below."""
FILE_NAME = "file_name"
CAPTIONS = ("text", "caption", "prompt")
"""Columns that can be the caption if none is named: the first that is not empty."""
Walk = Callable[[], Iterator[str]]


class Picture(NamedTuple):
    """A picture's name, its row of a metadata file, and the files next to it by ending."""

    name: str
    row: dict[str, Any]
    beside: dict[str, str]


def find_pictures(
    folder: Folder, walk: Walk, columns: Collection[str], needed: bool = False
) -> Iterator[Picture | str]:
    """Yield pictures in order of their names, each as often as metadata name it (at least once). Reasons for names
    without a picture come last. Only these columns of metadata are kept in memory; `needed`: one of them must exist.
    """
    listed = metadata(folder, walk, columns, needed)
    near = lru_cache(64)(partial(files_beside, folder))
    for name in filter(is_image, walk()):
        texts = near(folder_of(name)).get(stem(name), {})
        for row in listed.pop(normalize("NFC", name), [{}]):
            yield row if isinstance(row, str) else Picture(name, row, texts)
    for name, rows in listed.items():
        for row in rows:
            yield row if isinstance(row, str) else f"metadata name the picture {name!r}, which does not exist"


def metadata(folder: Folder, walk: Walk, columns: Collection[str], needed: bool) -> dict[str, list[Cells]]:
    """Return the rows of all metadata files by the picture that they name; reasons for unreadable rows are at ""."""
    found: dict[str, list[Cells]] = defaultdict(list)
    for name in filter(is_metadata, walk()):
        where = folder.path_of(name)
        if any(other != name and is_metadata(other) for other in folder.names_in(folder_of(name))):
            raise UserError(f"{where}: the folder has another metadata file: keep one of them")
        known: set[str] = set()
        for row in read_table(folder, name, None):
            if isinstance(row, str):
                found[""].append(f"{PurePosixPath(name).name}: {row}")
                continue
            known.update(row)
            path = path_below(folder_of(name), row.get(FILE_NAME))
            if path is None:
                found[""].append(f"metadata name {row.get(FILE_NAME)!r}, which is not a path below their folder")
            else:
                found[path].append({key: value for key, value in row.items() if key in columns})
        if known and FILE_NAME not in known:
            raise UserError(
                f"{where}: there is no column {FILE_NAME!r}, which names the picture of each row: rename the column, "
                "or the file if it holds something else"
            )
        if needed and known.isdisjoint(columns):
            raise UserError(
                f"{where}: there is no column {' or '.join(columns)}: use `kind: file` with this file as `path` and "
                f"`columns: {{caption: …, image: {FILE_NAME}}}`"
            )
    return found


def path_below(folder: str, path: object) -> str | None:
    """Return the name, in NFC, of the file at a path from a folder; None if it is not a path or leads elsewhere."""
    if not isinstance(path, str) or not path.strip() or "\0" in path or re.match(r"[/\\]|\w+:", path):
        return None
    relative = posixpath.normpath(path.replace("\\", "/"))
    return None if relative.split("/")[0] == ".." else normalize("NFC", posixpath.join(folder, relative))


def files_beside(folder: Folder, here: str) -> dict[str, dict[str, str]]:
    """Return a folder's files that are not pictures, by stem and by ending."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for name in sorted(folder.names_in(here), reverse=True):  # .txt before .TXT
        if not is_image(name):
            found[stem(name)].setdefault(ending(name), name)
    return found


def read_caption(folder: Folder, picture: Picture) -> object:
    """Return a picture's caption: the text next to it, else metadata, else notes. ValueError for an unreadable file."""
    for kind in TEXTS:
        if kind in picture.beside and (text := text_of(folder, picture.beside[kind])):
            return text
    if (found := first_filled(picture.row)) is None and NOTES in picture.beside:
        return first_filled(read_notes(folder, picture.beside[NOTES]))
    return found


def first_filled(row: dict[str, Any]) -> object:
    values = [row[column] for column in CAPTIONS if row.get(column) is not None]
    return next((value for value in values if value == value and str(value).strip()), None)


def picture_cells(folder: Folder, picture: Picture, wanted: Sequence[str]) -> dict[str, Any]:
    """Return a picture as a row of columns; only `wanted` ones are read. `image` and its ending are the picture,
    endings of files next to it are their texts; metadata and notes follow. `file_name` and `__key__` are its name.
    """
    name = picture.name
    files = {kind[1:]: other for kind, other in picture.beside.items()}
    found: dict[str, Any] = dict.fromkeys(files) | picture.row
    found |= {FILE_NAME: name, "__key__": str(PurePosixPath(name).with_suffix(""))}
    for column in {"image", ending(name)[1:]}:
        found[column] = content_of(folder, name) if column in wanted else None
    for column in set(wanted) & files.keys() - picture.row.keys():
        found[column] = text_of(folder, files[column])
    if NOTES in picture.beside and not found.keys() >= set(wanted):
        found = read_notes(folder, picture.beside[NOTES]) | found
    return found


def text_of(folder: Folder, name: str) -> str:
    return content_of(folder, name).decode("utf-8-sig").strip()


def read_notes(folder: Folder, name: str) -> dict[str, Any]:
    value = DECODER.decode(text_of(folder, name) or "{}")
    row = check_row(value, "it", None) if isinstance(value, dict) else {}
    if isinstance(row, str):
        raise ValueError(row)
    return row


def objection(picture: Picture, error: ValueError) -> str:
    kind, about = ("UTF-8 text", error.reason) if isinstance(error, UnicodeDecodeError) else ("JSON", str(error))
    return f"the caption beside {picture.name} is not {kind} ({about})"


def unused_files(folder: Folder) -> Iterator[str]:
    near = lru_cache(64)(partial(files_beside, folder))
    stems = lru_cache(64)(lambda here: {stem(name) for name in folder.names_in(here) if is_image(name)})
    for name in folder.walk():
        if not (is_image(name) or is_archive(name) or is_metadata(name)):
            here, kind = folder_of(name), ending(name)
            read = near(here)[stem(name)].get(kind) == name and kind in (*TEXTS, NOTES)
            if not (read and stem(name) in stems(here)):
                yield name


def stem(name: str) -> str:
    """Return what a picture and the files beside it have in common."""
    return normalize("NFC", PurePosixPath(name).stem)


def is_image(name: object) -> bool:
    return str(name).lower().endswith(IMAGE_ENDINGS)


def is_metadata(name: str) -> bool:
    return PurePosixPath(name).name in METADATA
