"""What a painter says of its own picture, such as that the prompt was cut: it stands in the picture, as its comment.

There the reply store, tables, `gamut store seed` and published files keep it without knowing of it: PNG and JPEG have a
place for a comment, and whatever makes a JPEG of a PNG here takes it over (`tables.images`).
"""

from __future__ import annotations

import io

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from stages.project.plain_text import one_line
from stages.tables.images import FORMATS, causes

MARK = "gamut: "
"""What these comments begin with: files from elsewhere have comments of other kinds."""
LONGEST = 200
"""Characters of a remark that are read."""


def png_comment(remark: str) -> PngInfo | None:
    """Return a remark as Pillow writes it into a PNG; None where there is none."""
    if not remark:
        return None
    chunks = PngInfo()
    chunks.add_text("comment", MARK + remark)  # by this name Pillow hands it on to a JPEG's comment
    return chunks


def remark_in(picture: bytes) -> str:
    """Return the remark that an encoded picture carries, in one line; empty where it carries none."""
    with causes(), Image.open(io.BytesIO(picture), formats=FORMATS) as opened:
        comment = opened.info.get("comment") or ""
    said = comment.decode("utf-8", errors="replace") if isinstance(comment, bytes) else str(comment)
    return one_line(said.removeprefix(MARK), LONGEST) if said.startswith(MARK) else ""
