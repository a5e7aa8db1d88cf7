"""Pictures drawn by chance, and what becomes of pictures that are passed on: scaled, cropped, mirrored."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from tests import fakes


def drawn_picture(seed: int, size: tuple[int, int] = (320, 240)) -> bytes:
    """A JPEG of shapes on a ground that changes from top to bottom, softened, with grain."""
    rng = random.Random(seed)
    width, height = size

    def colour() -> tuple[int, ...]:
        return tuple(rng.randrange(256) for _ in range(3))

    ground = Image.linear_gradient("L").resize(size)
    image = ImageOps.colorize(ground, colour(), colour())
    draw = ImageDraw.Draw(image)
    for _ in range(rng.randint(4, 9)):
        corners = [(rng.randrange(width), rng.randrange(height)) for _ in range(rng.choice((2, 3, 5)))]
        if len(corners) == 2:
            (left, right), (top, bottom) = (sorted(pair) for pair in zip(*corners, strict=True))
            draw.ellipse((left, top, right + 8, bottom + 8), fill=colour())
        else:
            draw.polygon(corners, fill=colour())
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    grain = Image.fromarray(noise)  # too fine to matter
    return fakes.encoded(Image.blend(image.filter(ImageFilter.GaussianBlur(1)), grain, 0.05), "JPEG", quality=92)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def encoded_again(data: bytes, quality: int = 60) -> bytes:
    return fakes.encoded(opened(data), "JPEG", quality=quality)


def changed(data: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """What is done to a picture, and what comes of it."""
    rng, image = random.Random(seed), opened(data)
    width, height = image.size

    def cropped(least: float) -> Image.Image:
        wide, high = width * rng.uniform(least, 1), height * rng.uniform(least, 1)
        left, top = rng.uniform(0, width - wide), rng.uniform(0, height - high)
        return image.crop((round(left), round(top), round(left + wide), round(top + high)))

    yield "JPEG 60", encoded_again(data)
    yield "half as large", fakes.encoded(image.resize((width // 2, height // 2)), "PNG")
    yield "twice as large", fakes.encoded(image.resize((width * 2, height * 2)), "JPEG", quality=80)
    yield "mirrored", fakes.encoded(ImageOps.mirror(image), "JPEG", quality=90)
    yield "cropped to 90 %", fakes.encoded(cropped(0.9), "JPEG", quality=90)
    yield "cropped to 80 %", fakes.encoded(cropped(0.8), "JPEG", quality=90)
    yield "cropped to 80 %, mirrored", fakes.encoded(ImageOps.mirror(cropped(0.8)), "JPEG", quality=60)
