"""Rows of sources: tables, and folders of pictures with the files next to them, on the disk and on the Hub alike.

Files and folders are read in the order of their names; hidden ones (`.name`) are not part of a source.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

from gamut.dataset.reading import pictures
from gamut.dataset.reading.folders import Folder, archive_in, content_of, ending, folder_of, folder_on_disk, is_archive
from gamut.dataset.reading.pictures import CAPTIONS, IMAGE_ENDINGS, Walk, is_image, is_metadata
from gamut.dataset.reading.tables import (
    PARQUET,
    READERS,
    Cells,
    RawRow,
    RawRowOrReason,
    mapped_columns,
    parquet_columns,
    pick_cells,
    read_table,
    require_columns,
)
from gamut.dataset.shared.source_blocks import Columns, FileSource, FolderSource, HubSource
from gamut.project.errors import UserError

BESIDE = (".json", ".txt")
"""Endings of tables that are notes and captions in folders of pictures."""


def file_rows(source: FileSource) -> Iterator[RawRowOrReason]:
    path = require_path(source)
    if path.is_dir():
        folder = folder_on_disk(path)
        for name in table_names(folder.walk):  # first, so that hours of reading do not fail at the last one
            if ending(name) == PARQUET:
                require_columns(path / name, mapped_columns(source.columns), parquet_columns(folder, name))
        return mapped_rows(folder, folder.walk, source, str(path))
    return mapped_rows(folder_on_disk(path.parent, path.name), lambda: iter([path.name]), source, str(path))


def mapped_rows(folder: Folder, walk: Walk, source: FileSource | HubSource, where: str) -> Iterator[RawRowOrReason]:
    """Yield the mapped columns of the files that `walk` names; messages about all of them begin with `where`."""
    columns, keys = source.columns, set[str]()
    for cells in itertools.islice(cells_of(folder, walk, columns), source.limit):
        if isinstance(cells, str):
            yield cells
        else:
            keys.update(cells)
            yield pick_cells(columns, cells)
    if keys:
        require_columns(where, mapped_columns(columns), sorted(keys))


def cells_of(folder: Folder, walk: Walk, columns: Columns) -> Iterator[Cells]:
    """Yield the rows of tables if there are any, otherwise of pictures and archives."""
    wanted = mapped_columns(columns)
    for name in (names := table_names(walk)):
        for row in read_table(folder, name, wanted):
            if columns.image and not isinstance(row, str):
                row[columns.image] = picture_bytes(folder, name, row.get(columns.image))
            yield row
    if names:
        return
    for picture in pictures.find_pictures(folder, walk, wanted):
        if isinstance(picture, str):
            yield picture
            continue
        try:
            yield pictures.picture_cells(folder, picture, wanted)
        except ValueError as error:
            yield pictures.objection(picture, error)
    for name in filter(is_archive, walk()):
        with archive_in(folder, name) as inner:
            yield from cells_of(inner, inner.walk, columns)


def table_names(walk: Walk) -> list[str]:
    """Return the tables among files: all of the first kind that occurs. Notes and metadata of pictures are none."""
    kinds = {ending(name) for name in walk()}
    shown = not kinds.isdisjoint(IMAGE_ENDINGS) or any(map(is_archive, walk()))
    for kind in filter(kinds.__contains__, READERS):
        names = [name for name in walk() if ending(name) == kind]
        if shown:
            names = [] if kind in BESIDE else [name for name in names if not is_metadata(name)]
        if names:
            return names
    return []


def picture_bytes(folder: Folder, table: str, image: Any) -> Any:
    """Return the bytes of a picture that a row only names, by its path from the table's folder."""
    path = image.get("path") if isinstance(image, dict) and not image.get("bytes") else image
    name = pictures.path_below(folder_of(table), path)
    if name is None:
        return image
    for spelt in (name, normalize("NFD", name)):
        try:
            return content_of(folder, spelt)
        except FileNotFoundError:
            continue
    return image


def folder_rows(source: FolderSource) -> Iterator[RawRowOrReason]:
    """Yield all pictures in order of their paths, which are their source ids; then those of archives in the folder."""

    def all_rows() -> Iterator[RawRowOrReason]:
        path = require_path(source)
        folder = folder_on_disk(path) if path.is_dir() else folder_on_disk(path.parent, path.name)
        if path.is_dir():
            yield from captioned_pictures(folder, "", source)
        for name in filter(is_archive, folder.walk()) if path.is_dir() else [path.name]:
            with archive_in(folder, name) as inner:
                yield from captioned_pictures(inner, f"{name}/" if path.is_dir() else "", source)

    return itertools.islice(all_rows(), source.limit)


def captioned_pictures(folder: Folder, prefix: str, source: FolderSource) -> Iterator[RawRowOrReason]:
    """Yield the pictures of a folder with their captions; their ids begin with `prefix`."""
    for picture in pictures.find_pictures(folder, folder.walk, CAPTIONS, needed=source.route != "mine_text"):
        if isinstance(picture, str):
            yield picture
            continue
        try:
            yield RawRow(
                pictures.read_caption(folder, picture), content_of(folder, picture.name), prefix + picture.name
            )
        except ValueError as error:
            yield pictures.objection(picture, error)


def files_left_aside(source: FileSource | FolderSource) -> list[str]:
    """Return the files in a source's folder that are not part of the source."""
    path = Path(source.path)
    if not path.is_dir():
        return []
    folder = folder_on_disk(path)
    if isinstance(source, FileSource) and (names := set(table_names(folder.walk))):
        with_pictures = source.columns.image is not None
        return [name for name in folder.walk() if name not in names and not (with_pictures and is_image(name))]
    return list(pictures.unused_files(folder))


def require_path(source: FileSource | FolderSource) -> Path:
    """Return a source's path; UserError if it does not exist, or is not of the declared kind."""
    path = Path(source.path)
    is_file = is_archive(path.name) or (isinstance(source, FileSource) and path.suffix)
    kind = "file" if is_file else "folder"
    if not path.exists():
        where = f"the {kind} {path} (wave {source.wave!r} in params.yaml)"
        raise UserError(f"{where} does not exist: put it there, or run `dvc pull`")
    if kind == "folder" and not path.is_dir():
        how = "a table needs `kind: file` and a name with an ending, such as .csv"
        raise UserError(f"{path} (wave {source.wave!r} in params.yaml) is not a folder: {how}")
    return path
