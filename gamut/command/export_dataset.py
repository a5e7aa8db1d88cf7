"""`gamut export dataset DIR`: the release as training programs read it, WebDataset shards or a folder of pictures.

A row becomes three files with its id as their name: the picture, the caption that a trainer learns from (`.txt`), and
all else in `.json`. A folder has the columns of the release in `metadata.parquet` instead, as `datasets` reads an
ImageFolder.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
from pyarrow import parquet as pq

from gamut.dataset.shared.joins import table_of
from gamut.dataset.steps import CAPTION_COLUMNS, LENGTHS, RELEASE_SCHEMA
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.images import file_ending
from gamut.tables.reading import cut_into_slices, manifest, read_shard, shard_names, shard_rows
from gamut.tables.writing import parquet_writer

DATASET = "dataset"
WEBDATASET, FOLDER = "webdataset", "folder"
FORMATS = (WEBDATASET, FOLDER)
SOURCE = "source.json"
"""Which release and caption a folder was written from; it comes first, so that a killed export goes on."""
METADATA = "metadata.parquet"
CAPTIONS = ("caption", *(f"caption_{name}{end}" for end in ("", "_cn") for name in CAPTION_COLUMNS), *LENGTHS)
"""Columns of the release, and lengths of English captions in the table `captions`."""


def export_dataset(folder: Path, form: str, caption: str) -> Iterator[str]:
    """Write the release into a new folder, and yield what to print. UserError where it holds something else. What is
    there already is not written again. Rows without the caption are left out and counted.
    """
    if form not in FORMATS:
        raise UserError(f"--format {form} is not known: give {' or '.join(FORMATS)}")
    if caption not in CAPTIONS:
        raise UserError(f"--caption {caption}: the release has no such column{nearest_choice(caption, CAPTIONS)}")
    release = table_of("release")
    further = manifest(table_of("captions"))["shards"] if caption in LENGTHS else []
    if caption in LENGTHS and not further:
        raise UserError(f"--caption {caption}: there are no captions of lengths: name it at captions.lengths")
    shards = [*manifest(release)["shards"], *further]
    source = orjson.dumps({"release": shards, "format": form, "caption": caption})
    if folder.exists() and any(folder.iterdir()) and not is_from(folder, source):
        raise UserError(f"{folder} holds other files, or another release: name a new folder")
    write_whole(folder / SOURCE, source)
    rows, lacking = 0, 0
    with ExitStack() as opened:
        metadata = opened.enter_context(metadata_writer(folder)) if form == FOLDER else None
        for shard in shard_names(release):
            captions = [row[caption] for row in captioned_rows(shard, caption, ["id"] if further else ["id", caption])]
            rows, lacking = rows + len(captions) - captions.count(None), lacking + captions.count(None)
            with_caption = (row for row in captioned_rows(shard, caption) if row[caption] is not None)
            if metadata is not None:
                write_files(folder / shard, with_caption, caption, metadata)
            elif not (place := folder / f"{shard}.tar").exists() and captions.count(None) < len(captions):
                write_tar(place, with_caption, caption)
    left_out = f"; {lacking:,} without {caption} left out" if lacking else ""
    yield f"{folder}: {amount(rows, 'row')} as {form}, `.txt` has {caption}{left_out}"


def captioned_rows(shard: str, caption: str, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield a shard's rows with their caption; that of a length is from the table `captions`."""
    rows = read_shard(table_of("captions"), shard) if caption in LENGTHS else ()
    found = {row["id"]: row["caption"] for row in rows if (row["language"], row["length"]) == ("English", caption)}
    for row in shard_rows(table_of("release"), shard, columns):
        yield {caption: found.get(row["id"])} | row


def is_from(folder: Path, source: bytes) -> bool:
    file = folder / SOURCE
    return file.is_file() and file.read_bytes() == source


def files_of(row: Row, caption: str) -> dict[str, bytes]:
    """Return a row's picture and the caption that is learnt, by the endings of their files."""
    picture = row["image"]["bytes"]
    return {file_ending(picture): picture, "txt": row[caption].encode()}


def described(row: Row) -> dict[str, Any]:
    """Return a row's captions and scores as lists without nulls: readers take the type of a key from the first rows."""
    captions = [
        {"name": name, "language": language, "text": row[f"caption_{name}{end}"], "true": row[f"bool_caption_{name}"]}
        for name in CAPTION_COLUMNS
        for language, end in (("en", ""), ("zh", "_cn"))
        if row[f"caption_{name}{end}"] is not None
    ]
    scores = [
        {"name": name.removeprefix("score_"), "value": value}
        for name, value in row.items()
        if name.startswith("score_") and value is not None
    ]
    return {"id": row["id"], "captions": captions, "scores": scores}


def write_tar(place: Path, rows: Iterator[Row], caption: str) -> None:
    """Write a shard of WebDataset, whole or not at all; the same rows give the same bytes."""
    beside = place.with_name(f".{place.name}.new")
    with tarfile.open(beside, "w", format=tarfile.USTAR_FORMAT) as file:
        for row in rows:
            for ending, content in {**files_of(row, caption), "json": orjson.dumps(described(row))}.items():
                member = tarfile.TarInfo(f"{row['id']}.{ending}")
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    beside.replace(place)


METADATA_SCHEMA = pa.schema(
    [pa.field("file_name", pa.string()), *(one for one in RELEASE_SCHEMA if one.name != "image")]
)


@contextmanager
def metadata_writer(folder: Path) -> Iterator[pq.ParquetWriter]:
    beside = folder / f".{METADATA}.new"
    with parquet_writer(beside, METADATA_SCHEMA) as writer:
        yield writer
    beside.replace(folder / METADATA)


def write_files(place: Path, rows: Iterator[Row], caption: str, metadata: pq.ParquetWriter) -> None:
    """Write pictures and captions of a shard into a folder, and its rows into metadata.parquet."""
    for _, _, some in cut_into_slices(place.name, rows):
        lines = []
        for row in some:
            files = files_of(row, caption)
            for ending, content in files.items():
                if not (file := place / f"{row['id']}.{ending}").exists():
                    write_whole(file, content)
            lines.append(row | {"file_name": f"{place.name}/{row['id']}.{next(iter(files))}"})
        metadata.write_table(pa.Table.from_pylist(lines, schema=METADATA_SCHEMA))
