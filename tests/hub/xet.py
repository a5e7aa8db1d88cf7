"""Xet, the default way up: the client's hf_xet writes to a folder of this machine, whose growth is what went up."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.hub.answers import Call, Refused, Response

FAR = 4_102_444_800
"""A time until which tokens are good: the year 2100."""
ENTRY = 48
"""The bytes of everything that stands in a shard of hf_xet 1.8.0."""


def token(call: Call, revision: str) -> Response:
    if not call.hub.xet:
        raise Refused(404, "this Hub has no Xet: start it with xet=True")
    place, word = f"local://{call.hub.xet_folder}", "a-token-for-chunks"
    headers = {"X-Xet-Cas-Url": place, "X-Xet-Access-Token": word, "X-Xet-Token-Expiration": str(FAR)}
    return Response(200, {"casUrl": place, "accessToken": word, "exp": FAR}, headers)


def uploaded_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("xet/xorbs/*/*") if path.suffix != ".tagset")


def read(folder: Path, sha256: str, size: int) -> bytes | None:
    for shard in folder.glob("xet/xorbs/shards/*.mdb"):
        for found, xet_hash in files_of(shard.read_bytes()):
            if found == sha256:
                import hf_xet

                downloads = hf_xet.XetSession().new_download_stream_group(endpoint=f"local://{folder}")
                return b"".join(downloads.download_stream(hf_xet.XetFileInfo(xet_hash, size)))
    return None


def files_of(shard: bytes) -> list[tuple[str, str]]:
    """The files that a shard speaks of: their sha256, and Xet's own hash.

    After a header comes each file: its hash, flags and number of segments; the segments; if the first bit of the flags
    is set, as many checksums; if the second is, the sha256. A file with a hash of ones ends them.
    """
    found, at = [], ENTRY
    while (xet_hash := shard[at : at + 32]) != b"\xff" * 32:
        flags, segments = struct.unpack_from("<II", shard, at + 32)
        at += ENTRY * (1 + segments + segments * (flags >> 31))
        if flags >> 30 & 1:
            found.append((in_hex(shard[at : at + 32]), in_hex(xet_hash)))
            at += ENTRY
    return found


def in_hex(value: bytes) -> str:
    """A hash as it is written: each eight of its bytes stand in a shard the other way round."""
    return "".join(value[start : start + 8][::-1].hex() for start in range(0, 32, 8))
