"""Where attention goes, as a picture: the pictures of a context, before and after an adjustment, under their heat.

Figure 3 of An et al. is such a one. All maps of one drawing have one scale, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from stages.project.files import write_whole
from stages.tables.drawing import INK, PAPER, font, lossless

Heat = NDArray[np.float64]
"""Of one picture: the share of all attention that each of its cells gets, shape (rows, columns)."""
HEIGHT, GAP, LINE, TEXT = 240, 16, 22, 14
"""Pixels: of a picture, between two, of a line of text, and of its letters."""
HOT = np.array([214, 39, 0])
STRONGEST = 0.85
"""How much of a picture the hottest cell covers."""


def attended(passes: Sequence[NDArray[np.floating]], context: int) -> NDArray[np.float64]:
    """Return the share of attention that each of the first `context` tokens gets, shape (context,), as the mean over
    passes and heads.

    `passes`: what one query attends to in each pass, shape (heads, keys).
    """
    return np.mean([weights[:, :context].mean(0, dtype=np.float64) for weights in passes], axis=0)


def heats(
    shares: NDArray[np.float64], stands_for_picture: NDArray[np.bool_], grids: Sequence[tuple[int, int]]
) -> list[Heat]:
    """Return the heat of each picture of a context, whose tokens stand row by row in a grid (rows, columns).

    ValueError where the grids have not as many cells as there are tokens of pictures.
    """
    found, cells = shares[stands_for_picture], [rows * columns for rows, columns in grids]
    if sum(cells) != len(found):
        raise ValueError(f"grids of {sum(cells)} cells for {len(found)} tokens of pictures")
    parts = np.split(found, np.cumsum(cells)[:-1])
    return [part.reshape(grid) for part, grid in zip(parts, grids, strict=True)]


def draw_maps(path: Path, pictures: Sequence[Image.Image], rows: Mapping[str, Sequence[Heat]]) -> None:
    """Draw the pictures of a context once a row under the heat that it gives them, as a lossless WebP file."""
    most = max(float(heat.max()) for given in rows.values() for heat in given)
    shown = [
        picture.convert("L").resize((round(picture.width * HEIGHT / picture.height), HEIGHT)) for picture in pictures
    ]
    width = max(GAP + sum(one.width + GAP for one in shown), 520)
    below = f"Red: a cell's share of all attention of the reply, from 0 to {100 * most:.3g} %."
    canvas = Image.new("RGB", (width, GAP + len(rows) * (LINE + HEIGHT + GAP) + LINE), PAPER)
    draw = ImageDraw.Draw(canvas)
    top = GAP
    for name, given in rows.items():
        share = 100 * sum(float(heat.sum()) for heat in given)
        draw.text((GAP, top), f"{name}: {share:.3g} % on pictures", fill=INK, font=font(TEXT))
        left, top = GAP, top + LINE
        for picture, heat in zip(shown, given, strict=True):
            canvas.paste(under_heat(picture, heat / most if most else heat), (left, top))
            left += picture.width + GAP
        top += HEIGHT + GAP
    draw.text((GAP, top), below, fill=INK, font=font(TEXT))
    write_whole(path, lossless(canvas))


def under_heat(picture: Image.Image, heat: Heat) -> Image.Image:
    """Return a grey picture under its heat, 0..1 a cell, each cell a rectangle of the picture."""
    rows, columns = heat.shape
    down = np.arange(picture.height) * rows // picture.height
    across = np.arange(picture.width) * columns // picture.width
    covers = STRONGEST * heat[down][:, across, None]
    grey = np.asarray(picture, dtype=np.float64)[..., None]
    return Image.fromarray(np.rint(grey * (1 - covers) + HOT * covers).astype(np.uint8))
