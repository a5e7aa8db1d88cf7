"""Thumbnails: small pictures for pages, named by a digest of the original, made once, on all cores."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from PIL import Image

from gamut.report.site.folder import Folder
from gamut.tables.images import (
    as_everyone_sees,
    causes_in_words,
    decode_upright,
    open_carefully,
    orientation,
    picture_size,
)

LONGEST = 512
"""Pixels of the longer side."""
QUALITY = 80
SIDEWAYS = (5, 6, 7, 8)
"""EXIF orientations that swap width and height."""
GAP = 2
"""A JPEG is decoded at a half, a quarter or an eighth of its size if that is at least this many times the thumbnail."""
AHEAD = 64
"""How many pictures are in memory at a time."""


class Thumbnail(NamedTuple):
    """A picture on a page: its thumbnail and the sizes of both; or `why` it cannot be shown, in words."""

    path: str = ""
    width: int = 0
    height: int = 0
    full_width: int = 0
    full_height: int = 0
    why: str | None = None


def thumbnails(folder: Folder, pictures: Iterable[bytes], longest: int = LONGEST) -> Iterator[Thumbnail]:
    """Write a thumbnail of every picture that has none yet, and yield them in order; threads use all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = []
        for data in pictures:
            waiting.append(pool.submit(write_thumbnail, folder, data, longest))
            if len(waiting) >= AHEAD:
                yield waiting.pop(0).result()
        for one in waiting:
            yield one.result()


def write_thumbnail(folder: Folder, data: bytes, longest: int = LONGEST) -> Thumbnail:
    """Write a thumbnail as `pictures/<digest>.jpg`, unless it exists. It has only pixels: the original may contain a
    place, a name or a second picture. Bytes that are not a picture give a thumbnail with the reason.
    """
    name = f"pictures/{hashlib.sha256(data).hexdigest()[:20]}.jpg"
    try:
        there = size_of(folder, name)
        if there is None:
            content = thumbnail_bytes(data, longest)
            folder.write(name, content)
            there = picture_size(content)
        full = upright_size(data, there)
    except ValueError as error:
        return Thumbnail(why=str(error))
    folder.keep(name)
    return Thumbnail(name, *there, *full)


def upright_size(data: bytes, thumbnail_size: tuple[int, int]) -> tuple[int, int]:
    """Return the size of a picture turned upright, from its header and its thumbnail's size, which shows the longer
    side. If the thumbnail is square, EXIF is read; that needs decoding for a PNG.
    """
    full = picture_size(data)
    if full[0] == full[1]:
        return full
    if thumbnail_size[0] != thumbnail_size[1]:
        turned = (full[0] > full[1]) != (thumbnail_size[0] > thumbnail_size[1])
    else:
        with causes_in_words():
            turned = orientation(open_carefully(data)[0]) in SIDEWAYS
    return full[::-1] if turned else full


def size_of(folder: Folder, name: str) -> tuple[int, int] | None:
    """Return the size of a thumbnail if it exists and is complete, otherwise None."""
    try:
        return picture_size(folder.place(name).read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def thumbnail_bytes(data: bytes, longest: int = LONGEST) -> bytes:
    with causes_in_words():
        opened = open_carefully(as_everyone_sees(data))[0]
        opened.draft(None, (GAP * longest, GAP * longest))
        image = decode_upright(opened)
        image.thumbnail((longest, longest), Image.Resampling.LANCZOS, reducing_gap=GAP)
        out = io.BytesIO()
        image.save(out, "JPEG", quality=QUALITY, comment=b"")
    return out.getvalue()
