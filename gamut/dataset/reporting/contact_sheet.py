"""A contact sheet: a few kept pictures of every characteristic, and a few of those left out for every reason.

They are drawn at random from the build's seed; only those are read. Below each stands its id, which `gamut show` takes.
"""

from __future__ import annotations

import hashlib
import heapq
import io
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, ImageOps

from gamut.dataset.reporting.figures import Report
from gamut.dataset.shared.joins import table_of, values_by_id
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.pipeline.steps import reason_key
from gamut.project.files import write_whole
from gamut.tables.columns import place
from gamut.tables.images import causes_in_words, to_rgb
from gamut.tables.reading import read_shard, shard_columns, shard_rows

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


@dataclass
class Examples:
    """How many pictures a row of the sheet stands for, and the few that the lot has drawn."""

    name: str
    count: int = 0
    drawn: list[tuple[int, str]] = field(default_factory=list)

    def add(self, row_id: str, seed: int) -> None:
        lot = int.from_bytes(hashlib.sha256(f"{self.name}:{seed}:{row_id}".encode()).digest()[:8])
        self.count += 1
        heapq.heappush(self.drawn, (-lot, row_id))
        if len(self.drawn) > PER_ROW:
            heapq.heappop(self.drawn)

    def ids(self) -> list[str]:
        return [row_id for _, row_id in sorted(self.drawn, reverse=True)]


@dataclass(frozen=True)
class Section:
    """Rows under one heading; their pictures stand in one table, and `gamut show` of a `stage` tells why they stand
    there.
    """

    heading: str
    stage: str
    folder: Path
    rows: Sequence[Examples]


def sections_of(seed: int) -> list[Section]:
    return [section for section in (*selected_sections(seed), text_section(seed)) if section.rows]


def write_contact_sheet(path: Path, sections: Sequence[Section], report: Report) -> None:
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


def selected_sections(seed: int) -> tuple[Section, Section]:
    kept = {name: Examples(name) for name in CHARACTERISTICS}
    left_out: dict[str, Examples] = {}
    for shard, table in shard_columns(table_of("select"), ["id", "reason", "categories"]):
        held_out = values_by_id("hold_out", shard, "reason")
        released = {row["id"] for row in read_shard(table_of("release"), shard, ["id"])}
        for row in table.to_pylist():
            withheld = None if row["id"] in released else "no_chain_of_thought"
            if reason := row["reason"] or held_out[row["id"]] or withheld:
                left_out.setdefault(key := reason_key(reason), Examples(key)).add(row["id"], seed)
            else:
                for name in row["categories"]:
                    kept[name].add(row["id"], seed)
    return (
        Section(
            "Kept, for each characteristic",
            "annotate",
            table_of("synthesize"),
            [row for row in kept.values() if row.count],
        ),
        Section("Left out", "select", table_of("synthesize"), painted_examples(left_out)),
    )


def text_section(seed: int) -> Section:
    left_out: dict[str, Examples] = {}
    for _, table in shard_columns(table_of("legible"), ["id", "reason"]):
        for row in table.filter(table["reason"].is_valid()).to_pylist():
            left_out.setdefault(key := reason_key(row["reason"]), Examples(key)).add(row["id"], seed)
    return Section("Source images left out", "legible", table_of("source_rows"), painted_examples(left_out))


def painted_examples(examples: Mapping[str, Examples]) -> list[Examples]:
    """Leave out what was never painted; the most frequent come first."""
    painted = [row for row in examples.values() if not row.name.startswith("synthesize_")]
    return sorted(painted, key=lambda row: (-row.count, row.name))


def draw_rows(sheet: Image.Image, draw: ImageDraw.ImageDraw, top: int, section: Section) -> None:
    pictures = thumbnails(section)
    for number, row in enumerate(section.rows):
        y = top + number * STEP
        label = textwrap.wrap(row.name.replace("_", " "), 20)
        draw.text((2 * GAP, y), "\n".join(label), INK, font(19))
        draw.text((2 * GAP, y + 6 + 24 * len(label)), f"{row.count:,}", FAINT, font(15))
        for column, row_id in enumerate(row.ids()):
            x = LABELS + column * (THUMBNAIL + GAP)
            sheet.paste(pictures[row_id], (x, y))
            draw_id(draw, x, y + THUMBNAIL, row_id)


def draw_id(draw: ImageDraw.ImageDraw, left: int, top: int, row_id: str) -> None:
    """Write an id below its picture; of a long one its end, which tells it from others."""
    shown = row_id
    while font(ID_SIZE).getlength(shown) > THUMBNAIL:
        shown = f"…{shown.removeprefix('…')[1:]}"
    draw.text((left, top + ID_LINE // 2), shown, FAINT, font(ID_SIZE), anchor="lm")


def thumbnails(section: Section) -> dict[str, Image.Image]:
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in section.rows:
        for row_id in row.ids():
            wanted[place(row_id)[0]].add(row_id)
    found = (row for shard, ids in wanted.items() for row in shard_rows(section.folder, shard, ["id", "image"], ids))
    return {row["id"]: thumbnail(row["image"]["bytes"]) for row in found}


def thumbnail(data: bytes) -> Image.Image:
    """Return a picture as a square, whole, on a quiet ground; of one that cannot be decoded only the ground."""
    try:
        with causes_in_words(), Image.open(io.BytesIO(data)) as picture:
            picture.draft("RGB", (2 * THUMBNAIL, 2 * THUMBNAIL))  # a JPEG need not be decoded in full
            return ImageOps.pad(to_rgb(picture), (THUMBNAIL, THUMBNAIL), color=GROUND)
    except ValueError:  # `upright_jpeg` keeps JPEGs without decoding them
        return Image.new("RGB", (THUMBNAIL, THUMBNAIL), GROUND)


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font; in the basic layout, as the other one depends on a library of the system."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded.font_variant(layout_engine=ImageFont.Layout.BASIC)


def heading(draw: ImageDraw.ImageDraw, top: int, text: str, size: int) -> None:
    draw.text((2 * GAP, top + HEADING - 2 * GAP), text, INK, font(size), anchor="ls")


def encode_webp(sheet: Image.Image) -> bytes:
    """Encode a sheet with the best quality that stays below MOST_BYTES, or with the lowest there is."""
    for quality in QUALITIES:
        out = io.BytesIO()
        sheet.save(out, "WEBP", quality=quality, method=4)
        if out.tell() < MOST_BYTES:
            break
    return out.getvalue()
