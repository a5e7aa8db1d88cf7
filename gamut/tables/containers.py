"""The pieces of a picture file: segments of a JPEG, chunks of a PNG or WebP. No pixel is decoded here."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

MARKER = re.compile(rb"\xff([\x01-\xcf\xd8-\xfe])")
"""A JPEG's marker. Within a scan, FF 00 is a byte FF, and FF D0 to FF D7 are restarts."""
SOI, EOI, SOS, APP0, APP2, APP14, APP15, COM = 0xD8, 0xD9, 0xDA, 0xE0, 0xE2, 0xEE, 0xEF, 0xFE
FRAMES = (0xC0, 0xC1, 0xC2)
"""Start-of-frame markers of baseline, extended and progressive JPEGs with Huffman codes, which all viewers decode."""
PNG_HEAD, RGB_OF_8_BITS = 8, b"\x08\x02"
PNG_TEXTS = (b"tEXt", b"zTXt", b"iTXt", b"iCCP")
PNG_PIXELS = (b"IHDR", b"IDAT", b"IEND")
WEBP_LOSSY, WEBP_LOSSLESS = b"VP8 ", b"VP8L"


class Piece(NamedTuple):
    """A JPEG's segment by its marker, or a chunk by its name, and where it begins and ends."""

    name: int | bytes
    start: int
    end: int


def pieces_of(data: bytes) -> Iterator[Piece]:
    """Yield the pieces of a JPEG, PNG or WebP up to its end or to damage; of other files none."""
    if data.startswith(b"\xff\xd8"):
        return segments_of(data)
    if data.startswith(b"\x89PNG"):
        return png_chunks(data)
    return webp_chunks(data) if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else iter(())


def segments_of(data: bytes) -> Iterator[Piece]:
    """Yield a JPEG's segments, up to the marker EOI that ends its image: without it, the JPEG is truncated."""
    position, scanned = 0, False
    while found := MARKER.search(data, position):
        marker, position = found[1][0], found.end()
        if marker not in (SOI, EOI, 0x01):
            behind = position + int.from_bytes(data[position : position + 2])
            position = behind if behind <= len(data) else position  # in a damaged scan, anything that looks like one
        scanned = scanned or marker == SOS
        if marker != EOI or scanned:
            yield Piece(marker, found.start(), position)
        if marker == EOI and scanned:
            return


def png_chunks(data: bytes) -> Iterator[Piece]:
    name, end = b"", PNG_HEAD
    while name != b"IEND":
        start, name = end, data[end + 4 : end + 8]
        end = start + 12 + int.from_bytes(data[start : start + 4])
        if end > len(data):
            return
        yield Piece(name, start, end)


def webp_chunks(data: bytes) -> Iterator[Piece]:
    """Yield the chunks of a WebP; one of odd length has a byte more."""
    whole, end = 8 + int.from_bytes(data[4:8], "little"), 12
    while end + 8 <= whole:
        start, length = end, int.from_bytes(data[end + 4 : end + 8], "little")
        end = start + 8 + length + length % 2
        if end > len(data):
            return
        yield Piece(data[start : start + 4], start, end)


def end_of(data: bytes) -> int:
    """Return the end of a JPEG, PNG or WebP; for other and damaged files, the end of the bytes."""
    *_, last = [Piece(b"", 0, 0), *pieces_of(data)]
    return last.end if last.name in (EOI, b"IEND") or (last.end and data.startswith(b"RIFF")) else len(data)


def first_image(data: bytes) -> bytes:
    """Return a JPEG without the index of the pictures that followed it (CIPA DC-007: "MPF" in APP2)."""
    before = itertools.takewhile(lambda piece: piece.name != SOS, segments_of(data))
    return drop_pieces(data, before, lambda piece: piece.name == APP2 and data.startswith(b"MPF\0", piece.start + 4))


def drop_pieces(data: bytes, pieces: Iterable[Piece], dropped: Callable[[Piece], bool]) -> bytes:
    kept, position = [], 0
    for piece in filter(dropped, pieces):
        kept.append(data[position : piece.start])
        position = piece.end
    return b"".join([*kept, data[position:]]) if kept else data


def strip_to_pixels(data: bytes) -> bytes | None:
    """Return only the pieces that make the pixels, of 8-bit colours; None for files that viewers decode differently."""
    pieces = list(pieces_of(data))
    last = pieces[-1] if pieces else Piece(b"", 0, 0)
    if last.name == EOI:
        head = pieces[: 1 + next(n for n, piece in enumerate(pieces) if piece.name == SOS)]
        whole = all(one.end == following.start for one, following in itertools.pairwise(head))
        if not (whole and any(piece.name in FRAMES for piece in head)):
            return None
        return drop_pieces(data[: last.end], pieces, lambda piece: makes_no_pixel(data, piece))
    if last.name == b"IEND" and data[24:26] == RGB_OF_8_BITS:
        return drop_pieces(data[: last.end], pieces, lambda piece: piece.name not in PNG_PIXELS)
    images = [piece for piece in pieces if piece.name in (WEBP_LOSSY, WEBP_LOSSLESS)]
    if len(images) != 1:
        return None
    content = b"WEBP" + data[images[0].start : images[0].end]
    found = b"RIFF" + len(content).to_bytes(4, "little") + content
    return data if found == data else found


def makes_no_pixel(data: bytes, segment: Piece) -> bool:
    """Return whether a JPEG's segment may go; JFIF's and Adobe's define the colours, and stay."""
    name, start = segment.name, segment.start + 4
    if name == APP0:
        return not data.startswith(b"JFIF\0", start)
    if name == APP14:
        return not data.startswith(b"Adobe", start)
    return isinstance(name, int) and (APP0 < name <= APP15 or name == COM)


def without_long_texts(data: bytes, most: int) -> bytes:
    """Remove long texts and profiles from a PNG, which decoders would refuse; other files stay unchanged."""
    room = most

    def is_too_long(piece: Piece) -> bool:
        nonlocal room
        if piece.name not in PNG_TEXTS:
            return False
        length = text_length(data[piece.start + 8 : piece.end - 4], piece.name, most)
        fits = length <= room
        room -= length * fits
        return not fits

    return drop_pieces(data, png_chunks(data), is_too_long) if data.startswith(b"\x89PNG") else data


def text_length(content: bytes, name: int | bytes, most: int) -> int:
    """Return the number of bytes of a PNG's text or profile when unpacked, up to `most` + 1."""
    packed = content.partition(b"\0")[2][1:]  # behind keyword and method
    if name == b"iTXt" and content.partition(b"\0")[2][:1] == b"\1":  # behind flag, method, language, keyword again
        packed = packed[1:].split(b"\0", 2)[-1]
    elif name in (b"iTXt", b"tEXt"):
        return len(content)
    try:
        return len(zlib.decompressobj().decompress(packed, most + 1))
    except zlib.error:
        return len(content)  # for the decoder to say


def may_be_turned(data: bytes) -> bool:
    """Return whether a PNG has a chunk that may give its orientation."""
    profiles = (b"Raw profile type exif", b"XML:com.adobe.xmp")
    return any(piece.name == b"eXIf" or data.startswith(profiles, piece.start + 8) for piece in png_chunks(data))


def is_lossy(data: bytes) -> bool:
    """Return whether a picture's pixels only approximate what was encoded: a JPEG, or a lossy WebP."""
    return data.startswith(b"\xff\xd8") or any(piece.name == WEBP_LOSSY for piece in pieces_of(data))
