"""What is audited, row by row: this project's release, files and folders.

Rows are copied as far as they are compared, so that they can be gone through by shards, whatever they come from: all
their texts, and of a picture a small grey one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from PIL import Image

from stages.dataset.leaks.pictures import grey
from stages.dataset.leaks.suspects import CHINESE
from stages.dataset.reading.files import folder_rows
from stages.dataset.reading.folders import ending, on_disk
from stages.dataset.reading.pictures import is_image
from stages.dataset.reading.tables import PARQUET, READERS, read
from stages.dataset.release import CAPTION_COLUMNS
from stages.dataset.shared.joins import RELEASE
from stages.dataset.shared.parameters import FolderSource
from stages.project.errors import UserError, nearest
from stages.project.inputs import files_below
from stages.tables.columns import IMAGE, ROWS_PER_SLICE, Row, make_id, place
from stages.tables.images import as_png
from stages.tables.reading import open_parquet, read_rows
from stages.tables.writing import TableWriter

OWN = "release"
WAVE = "audit"
TEXT_COLUMN = re.compile(r"prompt|caption|text|description|instruction", re.IGNORECASE)
"""Columns that are taken for texts where none are named."""
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("row", pa.string()),
        pa.field(
            "texts",
            pa.list_(pa.struct([pa.field("description", pa.string()), pa.field("text", pa.string())])),
        ),
        pa.field("image", IMAGE),
        pa.field("reason", pa.string()),
    ]
)
"""`row`: what a row is called where it comes from; `reason`: why it, or its picture, cannot be read."""


class Asked(NamedTuple):
    """What is named of a dataset: its texts' columns, its pictures' column, and the most rows that are read."""

    columns: Sequence[str] = ()
    image: str | None = None
    limit: int | None = None


class Found(NamedTuple):
    """A row: what it is called, its texts, each behind its column, its picture, and why it cannot be read."""

    name: str
    texts: Sequence[tuple[str, str]] = ()
    image: bytes | None = None
    reason: str | None = None


def copied(dataset: str, asked: Asked, folder: Path, with_pictures: bool) -> int:
    """Write the rows of a dataset as a table; return how many. UserError for a dataset that cannot be read."""
    count = 0
    with TableWriter(folder, SCHEMA) as table:
        rows = islice(rows_of(dataset, asked), asked.limit)
        while some := list(islice(rows, ROWS_PER_SLICE)):
            told = [as_row(make_id(WAVE, count + n), found, with_pictures) for n, found in enumerate(some)]
            table.write(place(told[0]["id"])[0], told)
            count += len(told)
        if not count:
            table.write(place(make_id(WAVE, 0))[0], [])
    return count


def as_row(row_id: str, found: Found, with_pictures: bool) -> Row:
    """Return a row of the table, with a small picture where pictures are compared."""
    texts = [{"description": column, "text": text} for column, text in found.texts if text.strip()]
    row: Row = {"id": row_id, "row": found.name, "texts": texts, "image": None, "reason": found.reason}
    if with_pictures and found.image is not None:
        try:
            small = Image.fromarray(grey(found.image).astype("uint8"))
        except ValueError as error:
            return row | {"reason": f"its picture {error}"}
        return row | {"image": {"bytes": as_png(small), "path": None}}
    return row


def rows_of(dataset: str, asked: Asked) -> Iterator[Found]:
    """Yield the rows of a dataset: `release`, a file or a folder."""
    if dataset == OWN:
        return released()
    path = Path(dataset)
    if path.exists():
        return in_folder(path, asked) if path.is_dir() else in_file(path, asked)
    raise UserError(
        f"{dataset}: no such file or folder; `{OWN}` is this project's release, and one on the Hub becomes a folder by "
        "`hf download --repo-type dataset OWNER/NAME --local-dir DIR`"
    )


def released() -> Iterator[Found]:
    """Yield the rows of this project's release, with captions in both languages."""
    columns = {f"caption_{name}{end}": f"{name}{end}" for name in CAPTION_COLUMNS for end in ("", CHINESE)}
    for row in read_rows(RELEASE, ["id", "image", *columns]):
        texts = [(what, row[column]) for column, what in columns.items() if row[column]]
        yield Found(row["id"], texts, row["image"]["bytes"] if row["image"] else None)


def in_folder(path: Path, asked: Asked) -> Iterator[Found]:
    """Yield the rows of all tables and lists below a folder, or else its images, each with the text beside it."""
    files = [file for file in files_below(path) if ending(file.name) in READERS and ending(file.name) != ".json"]
    images = [file for file in files_below(path) if is_image(file)]
    if images:
        source = FolderSource.model_construct(kind="folder", wave=WAVE, path=str(path), limit=None)
        for number, one in enumerate(folder_rows(source)):
            if isinstance(one, str):
                yield Found(str(number), reason=one)
            else:
                texts = [("text", one.caption)] if isinstance(one.caption, str) else []
                yield Found(str(one.source_id), texts, bytes_of(one.image))
        return
    if not files:
        raise UserError(f"{path}: holds neither tables or lists ({', '.join(READERS)}) nor images")
    for file in files:
        yield from in_file(file, asked)


def in_file(path: Path, asked: Asked) -> Iterator[Found]:
    """Yield the rows of a table, or of a list with a prompt a line."""
    if ending(path.name) not in READERS:
        raise UserError(f"{path}: ends in none of {', '.join(READERS)}")
    folder = on_disk(path.parent, path.name)
    if ending(path.name) == ".txt":
        columns, image = ["text"], None
    else:
        columns, image = columns_of(path, asked)
    wanted = [*columns, *([image] if image else [])]
    for number, cells in enumerate(read(folder, path.name, wanted), start=1):
        name = f"{path.name}:{number}"
        if isinstance(cells, str):
            yield Found(name, reason=cells)
        else:
            texts = [(column, cells[column]) for column in columns if isinstance(cells.get(column), str)]
            yield Found(name, texts, bytes_of(cells.get(image)) if image else None)


def columns_of(path: Path, asked: Asked) -> tuple[list[str], str | None]:
    """Return the columns of a table that hold texts, and the one with pictures: as named, or else by their names."""
    if ending(path.name) == PARQUET:
        with open_parquet(path) as file:
            schema = file.schema_arrow
        known = list(schema.names)
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        pictures = [field.name for field in schema if holds_images(field.type)]
    else:
        rows = read(on_disk(path.parent, path.name), path.name, None)
        known = texts = list(next((cells for cells in rows if not isinstance(cells, str)), {}))
        pictures = []
    for name in (*asked.columns, *([asked.image] if asked.image else [])):
        if name not in known:
            raise UserError(f"{path}: there is no column {name!r}{nearest(name, known)}")
    columns = list(asked.columns) or [name for name in texts if TEXT_COLUMN.search(name)]
    if not columns:
        raise UserError(f"{path}: which column holds texts? Name it with --column: {', '.join(known)}")
    return columns, asked.image or next(iter(pictures), None)


def holds_images(kind: Any) -> bool:
    return pa.types.is_binary(kind) or (pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0)


def bytes_of(image: object) -> bytes | None:
    content = image.get("bytes") if isinstance(image, dict) else image
    return content if isinstance(content, bytes) else None


def records_of(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        texts = [(one["description"], one["text"]) for one in row["texts"]]
        yield {"id": row["id"], "texts": texts} | ({"image": row["image"]} if row["image"] else {})
