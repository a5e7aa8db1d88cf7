"""UGC, generation: the similarity of a picture to the reference pictures of an entity, by their embeddings."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gamut.asking.requests import Picture
from gamut.tables.images import MAX_PIXELS, as_png, scaled_size, upright_rgb

Vector = NDArray[np.float32]
SQUASHED_SIZE, STRETCHED_SIZE = (224, 224), (512, 512)
"""Sizes in pixels to which released scripts scale pictures before embedding, whatever their shape."""
PAD_COLOUR = (128, 128, 128)
LARGEST_SIDE = math.isqrt(MAX_PIXELS)
"""Side in pixels of the largest square: with as many pixels as may be decoded."""


def score(answer: Vector, references: NDArray[np.float32]) -> float:
    """Return the mean cosine of a picture's vector with those of the references, 0..1; 0 if it is negative.

    `references`: shape (pictures, features). ValueError if a vector is zero or not finite, or there is no reference.
    The faults of the released form are not in this formula: it squashes pictures to squares before embedding, and
    leaves missing pictures out of the mean over items.
    """
    return min(max(released_score(answer, references), 0.0), 1.0)


def released_score(answer: Vector, references: NDArray[np.float32]) -> float:
    if references.ndim != 2 or references.shape[1:] != answer.shape or not len(references):
        raise ValueError(f"vectors of shapes {answer.shape} and {references.shape} cannot be compared")
    one, others = answer.astype(np.float64), references.astype(np.float64)
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(one)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise ValueError("a vector is zero or not finite")
    return float((others @ one / lengths).mean())


def pad_to_square(picture: Picture) -> Picture:
    """Return a picture padded in grey to a square, so that embedders cut nothing off. ValueError for no picture."""
    image = upright_rgb(picture.data)
    if image.width == image.height:
        return picture
    if max(image.size) > LARGEST_SIDE:  # a line of 60,000 pixels would be a square of 3.6 thousand million
        image = image.resize(scaled_size(*image.size, LARGEST_SIDE), Image.Resampling.BICUBIC)
    side = max(image.size)
    square = Image.new("RGB", (side, side), PAD_COLOUR)
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return Picture(as_png(square), "image/png")


def squash(picture: Picture) -> Picture:
    return scale_picture(picture, SQUASHED_SIZE)


def stretch(picture: Picture) -> Picture:
    return scale_picture(picture, STRETCHED_SIZE)


@lru_cache(maxsize=64)  # a reference is used with every answer
def scale_picture(picture: Picture, size: tuple[int, int]) -> Picture:
    """Return a picture of this size, whatever its shape. ValueError for bytes that are not a picture."""
    image = upright_rgb(picture.data)
    return picture if image.size == size else Picture(as_png(image.resize(size, Image.Resampling.BICUBIC)), "image/png")
