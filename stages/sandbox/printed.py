"""Printed pages: a question and its lettered options in lines under each other, perhaps below a diagram."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from .answering import Unsupported
from .grids import Box
from .ocr import read_print

LETTERS = "ABCDEFGHIJ"
_DARK = 128
_TALLEST = 45
"""Pixels of a line of print of a page of _WIDE pixels; what is taller is a diagram."""
_WIDE = 640
_OPTION = re.compile(r"([A-J])\s*[).）]\s*(.+)")
_MARK = (214, 40, 40)


class Page(NamedTuple):
    """What a page asks, its options in order with the box around each, and where the text begins, below a diagram."""

    question: str
    options: Sequence[str]
    boxes: Sequence[Box]
    top: int


def read_page(image: Image.Image) -> Page:
    """Read a page, RGB. Unsupported where its lines are no question with options A, B, C …."""
    grey = np.asarray(image.convert("L"), np.float32)
    dark = grey < _DARK
    bands = _bands(dark)
    tall = [band for band in bands if band[1] - band[0] > _TALLEST * image.width / _WIDE]
    top = tall[-1][1] if tall else 0
    asked: list[str] = []
    options: list[list[str]] = []
    spans: list[tuple[int, int]] = []
    for start, end in (band for band in bands if band[0] >= top):
        line = read_print(grey[start:end])
        option = _OPTION.fullmatch(line)
        if option and len(options) < len(LETTERS) and option[1] == LETTERS[len(options)]:
            options.append([option[2]])
            spans.append((start, end))
        elif options:
            options[-1].append(line)
            spans[-1] = (spans[-1][0], end)
        else:
            asked.append(line)
    if not asked or len(options) < 2:
        raise Unsupported("the picture is no page with a question and options A, B, …")
    left = int(np.flatnonzero(dark[spans[0][0] :].any(0))[0])
    boxes = [(left - 14, start - 13, image.width - left + 14, end + 9) for start, end in spans]
    return Page(" ".join(asked), [" ".join(lines) for lines in options], boxes, top)


def marked(image: Image.Image, page: Page, option: int) -> Image.Image:
    """Return a page with a coloured box around one of its options."""
    made = image.copy()
    ImageDraw.Draw(made).rectangle(page.boxes[option], outline=_MARK, width=5)
    return made


def _bands(dark: np.ndarray) -> list[tuple[int, int]]:
    """Return where what is dark begins and ends, from top to bottom."""
    on = np.flatnonzero(np.diff(np.pad(dark.any(1).astype(np.int8), 1)))
    return [(int(start), int(end)) for start, end in on.reshape(-1, 2)]
