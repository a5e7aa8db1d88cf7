"""Captions and images of every source, each row with its id, before any filter (FLUX-Reason-6M, section 2.2).

A row that cannot be used is not dropped: it stays with status `invalid_input` and the reason. An image that cannot be
used leaves its reason as well; by the row's route that makes the row unusable or not.
"""

from __future__ import annotations

import itertools
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import pyarrow as pa

from gamut.dataset.reading.files import file_rows, folder_rows, left_aside, there
from gamut.dataset.reading.hub import hub_rows, verify_commit
from gamut.dataset.reading.tables import Found, FoundRow
from gamut.dataset.reading.waves import mark_of, note, read_before
from gamut.dataset.shared.joins import route_file, strings, table_of
from gamut.dataset.shared.source_blocks import (
    FileSource,
    FolderSource,
    GivenSource,
    HubSource,
    ImagineSource,
    Route,
    SandboxSource,
    Sourced,
)
from gamut.dataset.shared.texts import is_latin
from gamut.pipeline.entries import KEPT
from gamut.pipeline.steps import Makes, start
from gamut.project.errors import UserError, in_one_line
from gamut.project.files import write_json
from gamut.project.plain_text import amount, shortened
from gamut.project.stage import declared_inputs
from gamut.tables.columns import IMAGE, Row, make_id, place
from gamut.tables.images import upright_jpeg
from gamut.tables.reading import manifest
from gamut.tables.writing import TableWriter

SCHEMA = pa.schema(
    [
        *strings("id", "wave", "route", "source", "source_id", "caption"),
        pa.field("image", IMAGE),
        *strings("image_reason", "status", "reason"),
    ]
)

REMARKS: dict[str, Callable[[Row], bool]] = {
    "without image": lambda row: row["image_reason"] is not None,
    "unusable": lambda row: row["status"] != "ok",
    "captions mostly not in Latin letters": lambda row: not is_latin(row["caption"] or ""),
}
"""What is counted of a wave's rows."""
STATUSES = ("ok", "invalid_input")
QUOTED = 81
"""Characters of a cell, the mark of a cut among them, that a reason quotes."""


def sources(params: Sourced, declared: Callable[[], Mapping[str, Any]] = dict) -> None:
    """Write the rows of all sources, one wave each; `declared` gives digests of what the stage declares to read. Where
    any of that changed meanwhile, nothing is noted as read: put back, it would pass for what it was before.
    """
    for source in params.sources:  # before hours of reading
        require(source)
    before = declared()
    marks = marks_of(params, before)
    with TableWriter(table_of("source_rows"), SCHEMA) as table:
        counts = {source.wave: write_wave(table, source, marks[source.wave]) for source in params.sources}
    routes = {source.wave: route_of(source) for source in params.sources}
    for route in typing.get_args(Route):
        taking = [shard for shard in manifest(table_of("source_rows"))["shards"] if routes[wave_of(shard)] == route]
        write_json(route_file(route), taking)
    if declared() == before and marks_of(params, before) == marks:
        for wave, mark in marks.items():
            shards = [shard for shard in manifest(table_of("source_rows"))["shards"] if wave_of(shard) == wave]
            note(wave, mark, counts=counts[wave], shards=shards)


def marks_of(params: Sourced, declared: Mapping[str, Any]) -> dict[str, str]:
    return {source.wave: mark_of(source, declared) for source in params.sources}


def write_wave(table: TableWriter, source: GivenSource | ImagineSource, mark: str) -> Counter[str]:
    """Write a wave's shards, those that lie here where they are what would be read; return what is counted of it."""
    counts: Counter[str] = Counter()
    if noted := read_before(source.wave, mark):
        counts.update(noted["counts"])
        table.keep(table_of("source_rows"), noted["shards"], {name: counts[name] for name in STATUSES if counts[name]})
    else:
        for (shard, _), group in itertools.groupby(rows_of(source), key=lambda row: place(row["id"])):
            rows = list(group)
            table.write(shard, rows)
            counts["rows"] += len(rows)
            counts.update(row["status"] for row in rows)
            counts.update(remark for remark, holds in REMARKS.items() for row in rows if holds(row))
        if not counts["rows"]:
            table.write(place(make_id(source.wave, 0))[0], [])
    print(f"sources: wave {source.wave}: {summary(source, counts)}{', as read before' if noted else ''}", flush=True)
    return counts


def wave_of(shard: Row) -> str:
    return str(shard["name"].rpartition("-")[0])


def require(source: GivenSource | ImagineSource) -> None:
    if isinstance(source, FileSource | FolderSource):
        there(source)
    elif isinstance(source, HubSource):
        verify_commit(source)


def rows_of(source: GivenSource | ImagineSource) -> Iterator[Row]:
    """Yield all rows of a source, in order. Those that are invented later have only their ids.

    UserError at the end where there are rows and none of them can be used, or no image among those that are there:
    nothing would be made of them, or all of it of captions alone.
    """
    if isinstance(source, ImagineSource):
        yield from (blank(source, ordinal) for ordinal in range(source.count))
        return
    taken: set[str] = set()
    usable, with_image, count = False, False, 0
    reason, image_reason = None, None
    for ordinal, found in enumerate(read(source)):
        row = row_of(source, ordinal, found, taken)
        usable, with_image, count = usable or row["status"] == "ok", with_image or row["image"] is not None, ordinal + 1
        reason = reason or row["reason"]
        if row["image_reason"] != absent(source, "image"):
            image_reason = image_reason or row["image_reason"]
        yield row
    what = "can be used" if count and not usable else "has an image" if image_reason and not with_image else None
    if what:
        raise UserError(
            f"wave {source.wave}: none of {amount(count, 'row')} of {origin(source)} {what} (the first: "
            f"{reason if not usable else image_reason}): mend its block in params.yaml, or the source"
        )


def read(source: GivenSource) -> Iterator[FoundRow]:
    if isinstance(source, SandboxSource):
        from gamut.asking.models.world.sandbox import legacy_rows

        rows = legacy_rows(source.count, source.seed, paint=has_images(source), **source.shares)
        return (Found(row.caption, row.image) for row in rows)
    if isinstance(source, FileSource):
        return file_rows(source)
    return folder_rows(source) if isinstance(source, FolderSource) else hub_rows(source)


def blank(source: GivenSource | ImagineSource, ordinal: int) -> Row:
    row = {"id": make_id(source.wave, ordinal), "wave": source.wave, "status": "ok"}
    return dict.fromkeys(SCHEMA.names) | row | {"route": route_of(source), "source": origin(source)}


def route_of(source: GivenSource | ImagineSource) -> Route:
    return "imagine" if isinstance(source, ImagineSource) else source.route


def row_of(source: GivenSource, ordinal: int, found: FoundRow, taken: set[str]) -> Row:
    """Return one row; `taken` are the source ids of earlier usable rows, this one's is added."""
    row = blank(source, ordinal)
    if isinstance(found, str):
        return row | {"status": "invalid_input", "reason": writable(found)}
    row["source_id"] = id_of(found.source_id)
    row["caption"] = found.caption if isinstance(found.caption, str) and found.caption.strip() else None
    if has_images(source):
        row["image"], row["image_reason"] = picture(source, found.image)
    reason = objection(source, found, row)
    if reason is None and row["source_id"] in taken:
        reason = f"source id {row['source_id']!r} is taken by an earlier row"
    if reason:
        return row | {"status": "invalid_input", "reason": reason}
    if row["source_id"] is not None:
        taken.add(row["source_id"])
    return row


def id_of(value: object) -> str | None:
    """Return a source id as it was written: whole numbers that pandas keeps as doubles without the point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    return None if value in (None, "") or isinstance(value, list | dict) else writable(str(value))


def writable(text: str) -> str:
    """Return a text with what no table can hold in escapes: bytes of a file's name that is not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def picture(source: GivenSource, value: object) -> tuple[Row | None, str | None]:
    """Return an image as the table holds it, or None and why there is none."""
    data, path = value, None
    if isinstance(value, dict) and not value.keys().isdisjoint(("bytes", "path")):
        data, path = value.get("bytes"), value.get("path")
    if data in (None, b""):
        if path:
            return None, f"{named(source, 'image')} holds only the path {path!r}"
        return None, absent(source, "image")
    if isinstance(data, str):
        start = shortened(data, QUOTED)
        return None, f"{named(source, 'image')} holds {start!r}, neither an image nor the path of one from its folder"
    if not isinstance(data, bytes):
        return None, f"{named(source, 'image')} holds {type(data).__name__}, not an image"
    try:
        return {"bytes": upright_jpeg(data), "path": None}, None
    except ValueError as error:
        return None, f"{named(source, 'image')} {error}"


def objection(source: GivenSource, found: Found, row: Row) -> str | None:
    """Return why a row cannot be used on its source's route, or None."""
    if found.caption is not None and not isinstance(found.caption, str):
        return f"{named(source, 'caption')} holds {type(found.caption).__name__}, not text"
    if isinstance(found.source_id, list | dict):
        return f"the column of ids holds {type(found.source_id).__name__}, not an id"
    if source.route == "as_is" and row["caption"] is None:
        return absent(source, "caption")
    if source.route == "rewrite" and row["caption"] is None and row["image"] is None:
        return "there is neither a caption nor an image"
    if source.route == "mine_text" and row["image"] is None:
        return str(row["image_reason"])
    return None


def has_images(source: GivenSource) -> bool:
    """Return whether a source's rows should have images; the embedded world paints none for their captions."""
    if isinstance(source, FileSource | HubSource):
        return source.columns.image is not None
    return isinstance(source, FolderSource) or source.route != "as_is"


def named(source: GivenSource, part: Literal["caption", "image"]) -> str:
    return f"column {getattr(source.columns, part)!r}" if isinstance(source, FileSource | HubSource) else f"the {part}"


def absent(source: GivenSource, part: Literal["caption", "image"]) -> str:
    return f"{named(source, part)} is empty" if isinstance(source, FileSource | HubSource) else f"there is no {part}"


def origin(source: GivenSource | ImagineSource) -> str:
    if isinstance(source, HubSource):
        return f"{source.repo}@{source.revision}"
    return source.path if isinstance(source, FileSource | FolderSource) else source.kind


def summary(source: GivenSource | ImagineSource, counts: Counter[str]) -> str:
    told = [amount(counts["rows"], "row") + ("" if counts["rows"] else f" ({origin(source)} is empty)")]
    told += [f"{counts[remark]:,} {remark}" for remark in REMARKS if counts[remark]]
    if isinstance(source, FileSource | FolderSource) and (others := left_aside(source)):
        some = ", ".join(map(in_one_line, others[:3])) + (", …" if others[3:] else "")
        told.append(f"{amount(len(others), 'other file')} left aside ({some})")
    return ", ".join(told)


STEP = Makes(
    "sources",
    run=sources,
    reads="datasets/world/sources datasets/sources",
    outs=({"datasets/source_rows": KEPT}, "datasets/routes"),
    base=Sourced,
    remark="persist: waves that were read are not read again",
)

if __name__ == "__main__":
    start(STEP, lambda params: sources(params, lambda: declared_inputs("sources")))
