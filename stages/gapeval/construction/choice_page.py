"""A page with a question and its options under each other, perhaps below a diagram; one option may be marked."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from stages.gapeval.construction.canvas import INK, MARK, WIDTH, letters, sheet, wrapped
from stages.tables.images import as_png

LETTERS = "ABCDEFGHIJ"
TEXT = 26
"""Size of the font in pixels: readers of whole pages read it without mistakes."""
LINE, GAP, MARGIN = 38, 22, 32
"""Pixels from line to line, between paragraphs, and around the page."""
INDENT = 44
"""Pixels from an option's letter to its text."""


def page(question: str, options: Sequence[str], marked: int | None = None, diagram: Image.Image | None = None) -> bytes:
    """Draw a page, WIDTH wide and as high as it has to be, as PNG; a diagram is as wide as the page."""
    asked = wrapped(question, TEXT, WIDTH - 2 * MARGIN)
    answers = [wrapped(option, TEXT, WIDTH - 2 * MARGIN - INDENT) for option in options]
    top = diagram.height if diagram else MARGIN
    height = top + LINE * (len(asked) + sum(map(len, answers))) + GAP * len(answers) + MARGIN
    image, draw = sheet(WIDTH, height)
    font = letters(TEXT)
    if diagram:
        image.paste(diagram, (0, 0))
    for line in asked:
        draw.text((MARGIN, top), line, font=font, fill=INK)
        top += LINE
    for number, lines in enumerate(answers):
        top += GAP
        if number == marked:
            box = (MARGIN - 14, top - 8, WIDTH - MARGIN + 14, top + LINE * len(lines) + 1)
            draw.rectangle(box, outline=MARK, width=5)
        draw.text((MARGIN, top), f"{LETTERS[number]})", font=font, fill=INK)
        for line in lines:
            draw.text((MARGIN + INDENT, top), line, font=font, fill=INK)
            top += LINE
    return as_png(image)
