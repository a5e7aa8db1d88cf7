"""Thumbnails: small pictures for pages, named by what they are made of, made once, on all cores."""

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
"""EXIF orientations by which width and height change places."""
GAP = 2
"""A JPEG is decoded at a half, a quarter or an eighth, as long as that is so many times the thumbnail."""
AHEAD = 64
"""Pictures that are in memory at a time."""


class Thumbnail(NamedTuple):
    """A picture as pages show it: its thumbnail and the sizes of both; or `why` it cannot be shown, in words."""

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
    """Write it, if it is not there, as `pictures/<digest>.jpg`: pixels alone, for a file may carry a place, a name,
    another picture behind it. Bytes that are no picture are said to be none.
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
    """Size of a picture turned upright, by its header and its thumbnail's size: that says which side is the longer one,
    but of one as good as square. Then EXIF is read, which takes decoding a PNG.
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
    """Return the size of a thumbnail that is there and whole; else None."""
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
