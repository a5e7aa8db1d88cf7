"""A contact sheet: a few kept pictures of every characteristic, and a few of those left out for every reason.

They are drawn at random by the build's seed, and only these are read. Below each is its id, for `gamut show`.
"""

from __future__ import annotations

import hashlib
import io
import textwrap
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw, ImageFont, ImageOps

from gamut.dataset.shared.joins import table_of, values_by_id
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.pipeline.steps import reason_key
from gamut.project.files import write_whole
from gamut.tables.columns import grouped, place
from gamut.tables.images import causes_in_words, to_rgb
from gamut.tables.reading import read_shard, shard_names, shard_rows

PER_ROW = 6
THUMBNAIL = 160
GROUND, PAPER, INK, FAINT = "#eceef0", "#ffffff", "#1c2024", "#6a737b"
GAP = 8
LABELS = 230
WIDTH = LABELS + PER_ROW * (THUMBNAIL + GAP) + GAP
HEADING = 56
ID_LINE, ID_SIZE = 16, 10
"""Pixels below a picture for its id, and the size of its letters."""
STEP = THUMBNAIL + ID_LINE + GAP
"""Pixels from one row of pictures to the next."""
MOST_BYTES = 480_000
QUALITIES = (85, 75, 65, 55, 45, 35, 25, 15, 5)
Lots = Mapping[str, Any]
"""By section and row name: how many pictures the row stands for, and the lowest lots, each with an id."""


class Examples(NamedTuple):
    """How many pictures a row of the sheet stands for, and the few that were drawn."""

    name: str
    pictures: int
    ids: Sequence[str]


@dataclass(frozen=True)
class Section:
    """Rows under one heading. Their pictures are in one table; `gamut show` of `stage` says why they are in a row."""

    heading: str
    stage: str
    folder: Path
    rows: Sequence[Examples]


def sections_of(drawn: Lots) -> list[Section]:
    """Return the sections that have rows, from the pictures drawn from all shards."""
    kept, left_out, illegible = (examples_of(drawn, section) for section in ("kept", "left_out", "illegible"))
    kept.sort(key=lambda row: CHARACTERISTICS.index(row.name))
    synthesize, sources = table_of("synthesize"), table_of("source_rows")
    sections = (
        Section("Kept, for each characteristic", "annotate", synthesize, kept),
        Section("Left out", "select", synthesize, painted_examples(left_out)),
        Section("Source images left out", "legible", sources, painted_examples(illegible)),
    )
    return [section for section in sections if section.rows]


def write_contact_sheet(path: Path, sections: Sequence[Section], report: Mapping[str, Any]) -> None:
    rows = sum(len(section.rows) for section in sections)
    height = (1 + len(sections)) * HEADING + rows * STEP + 2 * GAP
    sheet = Image.new("RGB", (WIDTH, height), PAPER)
    draw = ImageDraw.Draw(sheet)
    released, candidates = report["release"]["pictures"], sum(report["source_rows"].values())
    heading(draw, 0, f"{released:,} pictures released of {candidates:,} candidates", 26)
    top = HEADING
    for section in sections:
        heading(draw, top, section.heading, 20)
        hint = f"gamut show {section.stage} ID"
        draw.text((WIDTH - GAP, top + HEADING - 2 * GAP), hint, FAINT, font(15), anchor="rs")
        draw_rows(sheet, draw, top + HEADING, section)
        top += HEADING + len(section.rows) * STEP
    write_whole(path, encode_webp(sheet))


def draw_of_shard(shard: str, seed: int, may_be_seen: Callable[[str], bool]) -> Lots:
    """Return the pictures drawn from one shard, of those that may be seen: the sheet is published."""
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    held_out = values_by_id("hold_out", shard, "reason")
    released = {row["id"] for row in read_shard(table_of("release"), shard, ["id"])}
    for row in read_shard(table_of("select"), shard, ["id", "reason", "categories"]):
        withheld = None if row["id"] in released else "no_chain_of_thought"
        reason = row["reason"] or held_out[row["id"]] or withheld
        for key in [("left_out", reason_key(reason))] if reason else [("kept", name) for name in row["categories"]]:
            ids[key].append(row["id"])
    if shard in shard_names(table_of("legible")):
        for row in read_shard(table_of("legible"), shard, ["id", "reason"]):
            if row["reason"]:
                ids["illegible", reason_key(row["reason"])].append(row["id"])
    return {"/".join(key): draw_lots(key[1], some, seed, may_be_seen) for key, some in ids.items()}


def draw_lots(name: str, ids: Sequence[str], seed: int, may_be_seen: Callable[[str], bool]) -> list[Any]:
    """Return how many pictures there are, and the few with the lowest lots, each with its lot."""
    seen = filter(may_be_seen, ids)
    lots = ([hashlib.sha256(f"{name}:{seed}:{row_id}".encode()).hexdigest()[:16], row_id] for row_id in seen)
    return [len(ids), nsmallest(PER_ROW, lots)]


def merge_lots(shards: Sequence[Lots]) -> Lots:
    """Return the pictures drawn from several shards together."""
    return {
        name: [sum(count for count, _ in some), nsmallest(PER_ROW, chain.from_iterable(lots for _, lots in some))]
        for name, some in grouped(item for shard in shards for item in shard.items()).items()
    }


def examples_of(drawn: Lots, section: str) -> list[Examples]:
    of_section = {name.removeprefix(f"{section}/"): of for name, of in drawn.items() if name.startswith(f"{section}/")}
    return [Examples(name, count, [row_id for _, row_id in lots]) for name, (count, lots) in of_section.items()]


def painted_examples(examples: Sequence[Examples]) -> list[Examples]:
    """Leave out rows without pictures, painted ones and such as may be seen; the most frequent come first."""
    painted = [row for row in examples if row.ids and not row.name.startswith("synthesize_")]
    return sorted(painted, key=lambda row: (-row.pictures, row.name))


def draw_rows(sheet: Image.Image, draw: ImageDraw.ImageDraw, top: int, section: Section) -> None:
    pictures = thumbnails(section)
    for number, row in enumerate(section.rows):
        y = top + number * STEP
        label = textwrap.wrap(row.name.replace("_", " "), 20)
        draw.text((2 * GAP, y), "\n".join(label), INK, font(19))
        draw.text((2 * GAP, y + 6 + 24 * len(label)), f"{row.pictures:,}", FAINT, font(15))
        for column, row_id in enumerate(row.ids):
            x = LABELS + column * (THUMBNAIL + GAP)
            sheet.paste(pictures[row_id], (x, y))
            draw_id(draw, x, y + THUMBNAIL, row_id)


def draw_id(draw: ImageDraw.ImageDraw, left: int, top: int, row_id: str) -> None:
    """Write an id below its picture; of a long id only the end, where ids differ."""
    shown = row_id
    while font(ID_SIZE).getlength(shown) > THUMBNAIL:
        shown = f"…{shown.removeprefix('…')[1:]}"
    draw.text((left, top + ID_LINE // 2), shown, FAINT, font(ID_SIZE), anchor="lm")


def thumbnails(section: Section) -> dict[str, Image.Image]:
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in section.rows:
        for row_id in row.ids:
            wanted[place(row_id)[0]].add(row_id)
    found = (row for shard, ids in wanted.items() for row in shard_rows(section.folder, shard, ["id", "image"], ids))
    return {row["id"]: thumbnail(row["image"]["bytes"]) for row in found}


def thumbnail(data: bytes) -> Image.Image:
    """Return a whole picture in a square on a plain ground; only the ground if it cannot be decoded."""
    try:
        with causes_in_words(), Image.open(io.BytesIO(data)) as picture:
            picture.draft("RGB", (2 * THUMBNAIL, 2 * THUMBNAIL))  # a JPEG need not be decoded in full
            return ImageOps.pad(to_rgb(picture), (THUMBNAIL, THUMBNAIL), color=GROUND)
    except ValueError:  # `upright_jpeg` keeps JPEGs without decoding them
        return Image.new("RGB", (THUMBNAIL, THUMBNAIL), GROUND)


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font, in the basic layout: the other layout depends on a library of the system."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded.font_variant(layout_engine=ImageFont.Layout.BASIC)


def heading(draw: ImageDraw.ImageDraw, top: int, text: str, size: int) -> None:
    draw.text((2 * GAP, top + HEADING - 2 * GAP), text, INK, font(size), anchor="ls")


def encode_webp(sheet: Image.Image) -> bytes:
    """Encode a sheet with the best quality that stays below MOST_BYTES, or with the lowest quality."""
    for quality in QUALITIES:
        out = io.BytesIO()
        sheet.save(out, "WEBP", quality=quality, method=4)
        if out.tell() < MOST_BYTES:
            break
    return out.getvalue()
