"""Embeddings of pictures without weights: colours and edges over a coarse grid, as vectors of length 1.

A stand-in, so that what needs an image embedder runs where no network can: it tells a red picture from a blue one and
stripes from a plane, and knows nothing of what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stages.asking.models.batches import BatchedModel, usable_cores
from stages.asking.models.pictures import decoded
from stages.asking.requests import Embed, Picture, Reply, Request, packed
from stages.project.model_kinds import PixelsModel, identity

SIDE, CELLS = 128, 4
"""Pixels of a picture's side as it is looked at, and cells of the grid along it."""
SHADES, DIRECTIONS = 8, 8
"""Bins of each colour channel, and of the direction of edges."""


def open_pixels(model: PixelsModel) -> BatchedModel:
    threads = ThreadPoolExecutor(usable_cores(), thread_name_prefix="pixels")

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return list(threads.map(answer, requests))

    return BatchedModel(identity(model), 4 * usable_cores(), generate)


def answer(request: Request) -> Reply:
    assert isinstance(request, Embed) and isinstance(request.item, Picture)  # the role asks nothing else
    try:
        return Reply(packed(embedding(decoded(request.item))))
    except ValueError as error:
        return Reply(f"the picture {error}".encode(), "invalid")


def embedding(picture: Image.Image) -> NDArray[np.float32]:
    """Return a picture's vector, float32 of shape (512,): of each of 16 cells the histograms of red, green and blue,
    8 bins each, and of the directions of edges, 8 bins.

    Histograms are taken by their square roots, so that the dot product of two is how far they overlap (Bhattacharyya
    1943), and no single colour outweighs the others. An edge counts by its strength.
    """
    pixels = np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX), np.float64) / 255
    shares = np.concatenate([*np.moveaxis(spread(pixels), 2, 0), edges(pixels.mean(axis=2))], axis=-1)
    cells = shares.reshape(CELLS, SIDE // CELLS, CELLS, SIDE // CELLS, -1).mean(axis=(1, 3))
    vector = np.sqrt(cells).ravel()
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share values 0..1 out between the two nearest of SHADES bins (last axis): no light jumps a bin."""
    place = values[..., None] * (SHADES - 1) - np.arange(SHADES)
    return np.clip(1 - np.abs(place), 0, None)


def edges(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return edges of a grey picture (h, w) by their direction without sign, of shape (h, w, DIRECTIONS)."""
    down, across = np.gradient(light)
    turn = np.arctan2(down, across) / np.pi * DIRECTIONS  # where half a turn is the same direction
    away = np.abs((turn[..., None] - np.arange(DIRECTIONS) + DIRECTIONS / 2) % DIRECTIONS - DIRECTIONS / 2)
    shares: NDArray[np.float64] = np.clip(1 - away, 0, None) * np.hypot(down, across)[..., None]
    return shares
