"""`gamut export dataset DIR`: the release as training programs read it, WebDataset shards or a folder of pictures.

A row becomes three files with its id as their name: the picture, the caption that a trainer learns from (`.txt`), and
all its other columns (`.json`; in a folder a line of `metadata.jsonl`, as `datasets` reads an ImageFolder).
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import orjson

from gamut.dataset.shared.joins import table_of
from gamut.dataset.steps import CAPTION_COLUMNS
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.images import media_type
from gamut.tables.reading import manifest, shard_names, shard_rows

DATASET = "dataset"
WEBDATASET, FOLDER = "webdataset", "folder"
FORMATS = (WEBDATASET, FOLDER)
SOURCE = "source.json"
"""Which release and caption a folder was written from; it comes first, so that a killed export goes on."""
METADATA = "metadata.jsonl"
CAPTIONS = ("caption", *(f"caption_{name}{end}" for end in ("", "_cn") for name in CAPTION_COLUMNS))


def export_dataset(folder: Path, form: str, caption: str) -> Iterator[str]:
    """Write the release into a new folder, and yield what to print. UserError where it holds something else. What is
    there already is not written again. Rows without the caption are left out and counted.
    """
    if form not in FORMATS:
        raise UserError(f"--format {form} is not known: give {' or '.join(FORMATS)}")
    if caption not in CAPTIONS:
        raise UserError(f"--caption {caption}: the release has no such column{nearest_choice(caption, CAPTIONS)}")
    release = table_of("release")
    source = orjson.dumps({"release": manifest(release)["shards"], "format": form, "caption": caption})
    if folder.exists() and any(folder.iterdir()) and not is_from(folder, source):
        raise UserError(f"{folder} holds other files, or another release: name a new folder")
    write_whole(folder / SOURCE, source)
    rows, lacking, lines = 0, 0, list[bytes]()
    for shard in shard_names(release):
        place = folder / (f"{shard}.tar" if form == WEBDATASET else shard)
        of_shard = [row["id"] for row in shard_rows(release, shard, ["id", caption]) if row[caption]]
        lacking += sum(1 for _ in shard_rows(release, shard, ["id"])) - len(of_shard)
        rows += len(of_shard)
        if form == WEBDATASET and not place.exists() and of_shard:
            write_tar(place, shard_rows(release, shard, None, set(of_shard)), caption)
        elif form == FOLDER:
            lines += [write_files(place, row, caption) for row in shard_rows(release, shard, None, set(of_shard))]
    if form == FOLDER:
        write_whole(folder / METADATA, b"".join(lines))
    left_out = f"; {lacking:,} without {caption} left out" if lacking else ""
    yield f"{folder}: {amount(rows, 'row')} as {form}, `.txt` has {caption}{left_out}"


def is_from(folder: Path, source: bytes) -> bool:
    file = folder / SOURCE
    return file.is_file() and file.read_bytes() == source


def parts_of(row: Row, caption: str) -> tuple[str, bytes, bytes, Row]:
    """Return the ending of a row's picture, the picture, the caption that is learnt, and all other columns."""
    picture = row.pop("image")["bytes"]
    return media_type(picture).partition("/")[2].replace("jpeg", "jpg"), picture, row[caption].encode(), row


def write_tar(place: Path, rows: Iterator[Row], caption: str) -> None:
    """Write a shard of WebDataset, whole or not at all; the same rows give the same bytes."""
    beside = place.with_name(f".{place.name}.new")
    with tarfile.open(beside, "w", format=tarfile.USTAR_FORMAT) as file:
        for row in rows:
            ending, picture, text, rest = parts_of(row, caption)
            for name, content in ((ending, picture), ("txt", text), ("json", orjson.dumps(rest))):
                member = tarfile.TarInfo(f"{row['id']}.{name}")
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    beside.replace(place)


def write_files(place: Path, row: Row, caption: str) -> bytes:
    """Write a row's picture and caption, and return its line of metadata.jsonl."""
    ending, picture, text, rest = parts_of(row, caption)
    for name, content in ((ending, picture), ("txt", text)):
        file = place / f"{row['id']}.{name}"
        if not file.exists():
            write_whole(file, content)
    return orjson.dumps({"file_name": f"{place.name}/{row['id']}.{ending}", **rest}) + b"\n"
