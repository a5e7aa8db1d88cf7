"""A source's rows as the table `source_rows` has them, each usable or with the reason why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gamut.dataset.reading.files import file_rows, folder_rows
from gamut.dataset.reading.hub import hub_rows
from gamut.dataset.reading.tables import RawRow, RawRowOrReason
from gamut.dataset.shared.source_blocks import (
    FileSource,
    FolderSource,
    GivenSource,
    HubSource,
    ImagineSource,
    Route,
    SandboxSource,
)
from gamut.project.errors import UserError
from gamut.project.model_kinds import LEAST_SIDE
from gamut.project.plain_text import amount, shorten_text
from gamut.tables.columns import Row, make_id, table_schema
from gamut.tables.images import picture_size, upright_jpeg

SCHEMA = table_schema("id wave route source source_id caption image:image image_reason status reason")
QUOTED = 81
"""How many characters of a cell a reason quotes, including the mark of a cut."""


def rows_of(source: GivenSource | ImagineSource) -> Iterator[Row]:
    """Yield all rows of a source, in order. Rows that are invented later have only their ids.

    UserError at the end if none of the rows can be used, or none of the images: otherwise nothing would be made of
    them, or everything would be made from captions alone.
    """
    if isinstance(source, ImagineSource):
        yield from (blank_row(source, ordinal) for ordinal in range(source.count))
        return
    taken_ids: set[str] = set()
    usable, with_image, count = False, False, 0
    reason, image_reason = None, None
    for ordinal, raw in enumerate(read_source(source)):
        row = row_of(source, ordinal, raw, taken_ids)
        usable, with_image, count = usable or row["status"] == "ok", with_image or row["image"] is not None, ordinal + 1
        reason = reason or row["reason"]
        if row["image_reason"] != absence(source, "image"):
            image_reason = image_reason or row["image_reason"]
        yield row
    what = "can be used" if count and not usable else "has an image" if image_reason and not with_image else None
    if what:
        raise UserError(
            f"wave {source.wave}: none of {amount(count, 'row')} of {origin(source)} {what} (the first: "
            f"{reason if not usable else image_reason}): fix its block in params.yaml, or the source"
        )


def read_source(source: GivenSource) -> Iterator[RawRowOrReason]:
    if isinstance(source, SandboxSource):
        from gamut.asking.models.world.sandbox import legacy_rows

        rows = legacy_rows(source.count, source.seed, paint=has_images(source), **source.shares)
        return (RawRow(row.caption, row.image) for row in rows)
    if isinstance(source, FileSource):
        return file_rows(source)
    return folder_rows(source) if isinstance(source, FolderSource) else hub_rows(source)


def blank_row(source: GivenSource | ImagineSource, ordinal: int) -> Row:
    row = {"id": make_id(source.wave, ordinal), "wave": source.wave, "status": "ok"}
    return dict.fromkeys(SCHEMA.names) | row | {"route": route_of(source), "source": origin(source)}


def route_of(source: GivenSource | ImagineSource) -> Route:
    return "imagine" if isinstance(source, ImagineSource) else source.route


def row_of(source: GivenSource, ordinal: int, raw: RawRowOrReason, taken_ids: set[str]) -> Row:
    """Return a row of the table. `taken_ids` are the source ids of earlier usable rows; this row's id is added."""
    row = blank_row(source, ordinal)
    if isinstance(raw, str):
        return row | {"status": "invalid_input", "reason": writable_text(raw)}
    row["source_id"] = id_of(raw.source_id)
    row["caption"] = raw.caption if isinstance(raw.caption, str) and raw.caption.strip() else None
    if has_images(source):
        row["image"], row["image_reason"] = usable_picture(source, raw.image)
    reason = objection(source, raw, row)
    if reason is None and row["source_id"] in taken_ids:
        reason = f"source id {row['source_id']!r} is taken by an earlier row"
    if reason:
        return row | {"status": "invalid_input", "reason": reason}
    if row["source_id"] is not None:
        taken_ids.add(row["source_id"])
    return row


def id_of(value: object) -> str | None:
    """Return a source id as it was written: pandas keeps whole numbers as doubles, so their point is removed."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    return None if value in (None, "") or isinstance(value, list | dict) else writable_text(str(value))


def writable_text(text: str) -> str:
    """Return a text in which bytes that no table can hold (of file names that are not UTF-8) are escaped."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def usable_picture(source: GivenSource, value: object) -> tuple[Row | None, str | None]:
    """Return an image as the table holds it, or the reason why there is none."""
    data, path = value, None
    if isinstance(value, dict) and not value.keys().isdisjoint(("bytes", "path")):
        data, path = value.get("bytes"), value.get("path")
    if data in (None, b""):
        if path:
            return None, f"{column_label(source, 'image')} holds only the path {path!r}"
        return None, absence(source, "image")
    if isinstance(data, str):
        start = shorten_text(data, QUOTED)
        return (
            None,
            f"{column_label(source, 'image')} holds {start!r}, neither an image nor the path of one from its folder",
        )
    if not isinstance(data, bytes):
        return None, f"{column_label(source, 'image')} holds {type(data).__name__}, not an image"
    try:
        return {"bytes": upright_jpeg(data), "path": None}, None
    except ValueError as error:
        return None, f"{column_label(source, 'image')} {error}"


def objection(source: GivenSource, raw: RawRow, row: Row) -> str | None:
    """Return why a row cannot be used on its source's route."""
    if raw.caption is not None and not isinstance(raw.caption, str):
        return f"{column_label(source, 'caption')} holds {type(raw.caption).__name__}, not text"
    if isinstance(raw.source_id, list | dict):
        return f"the column of ids holds {type(raw.source_id).__name__}, not an id"
    if source.route == "as_is" and row["caption"] is None:
        return absence(source, "caption")
    if source.route == "rewrite" and row["caption"] is None and row["image"] is None:
        return "there is neither a caption nor an image"
    if source.route in ("mine_text", "keep") and row["image"] is None:
        return str(row["image_reason"])
    if source.route == "keep" and min(size := picture_size(row["image"]["bytes"])) < LEAST_SIDE:
        return f"{column_label(source, 'image')} has {size[0]} x {size[1]} pixels, too few to be a picture"
    return None


def has_images(source: GivenSource) -> bool:
    """Return whether a source's rows should have images; the embedded world paints none on the route as_is."""
    if isinstance(source, FileSource | HubSource):
        return source.columns.image is not None
    return isinstance(source, FolderSource) or source.route != "as_is"


def column_label(source: GivenSource, part: Literal["caption", "image"]) -> str:
    return f"column {getattr(source.columns, part)!r}" if isinstance(source, FileSource | HubSource) else f"the {part}"


def absence(source: GivenSource, part: Literal["caption", "image"]) -> str:
    if isinstance(source, FileSource | HubSource):
        return f"{column_label(source, part)} is empty"
    return f"there is no {part}"


def origin(source: GivenSource | ImagineSource) -> str:
    if isinstance(source, HubSource):
        return f"{source.repo}@{source.revision}"
    return source.path if isinstance(source, FileSource | FolderSource) else source.kind
