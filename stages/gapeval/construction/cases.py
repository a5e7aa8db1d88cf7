"""Cases, from which items of an edition are made, and what all drawn pictures share: paper, ink, colours, and a font
that looks the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from gamut.evaluation.construction.drawing import font_of
from gamut.evaluation.construction.slots import pack_case
from gamut.tables.columns import Row


class Prompts(NamedTuple):
    """The `question` is answered in words, the `prompt` in a picture. The right answer in words is `reference_text`."""

    question: str
    prompt: str
    reference_text: str


def case_columns(prompts: Prompts, case: Mapping[str, Any]) -> Row:
    """Return a case as columns of a table. Its further keys are in `case`, with its `proof`."""
    return {**prompts._asdict(), "case": pack_case(case)}


class Case(NamedTuple):
    """A case, both of whose prompts come from the same facts; pictures are PNG.

    It is asked in words (`question`) and for a picture (`prompt`), both with the given `pictures`. The right answers
    are `reference_text` and `reference`. The `proof` says why no other is right.
    """

    subcategory: str
    question: str
    prompt: str
    pictures: tuple[bytes, ...]
    reference_text: str
    reference: bytes
    proof: str


Colour = tuple[int, int, int]
PAPER: Colour = (255, 255, 255)
INK: Colour = (20, 20, 24)
GREY: Colour = (120, 120, 120)
PALE: Colour = (226, 226, 226)
MARK: Colour = (214, 40, 40)
"""The box around a right option: the only colour of its picture."""
WIDTH = 640
"""Width in pixels of every picture of one scene."""


def empty_sheet(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (width, height), PAPER)
    return image, ImageDraw.Draw(image)


def write_text(draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: float, fill: Colour = INK) -> None:
    font = font_of(size)
    _, above, _, below = font.getbbox("H", anchor="ls")
    draw.text((at[0], at[1] - (above + below) / 2), text, font=font, fill=fill, anchor="ms")


def wrap_text(text: str, size: float, width: float) -> list[str]:
    font, lines = font_of(size), [""]
    for word in text.split():
        if lines[-1] and font.getlength(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines += [""] if lines[-1] else []
        for sign in word:
            if lines[-1] and font.getlength(lines[-1] + sign) > width:
                lines.append("")
            lines[-1] += sign
    return lines
