"""Where things of a kind are in a picture, paper rim and all: as painted, which is the truth."""

from __future__ import annotations

import io
import random

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .answering import Unsupported
from .layout import plan, rim
from .painting import commission, paint
from .scene import canonical
from .shapes import sticker


def painted_with_mask(prompt: str, kind: str, width: int, height: int, seed: int) -> tuple[bytes, bytes]:
    """Return the faultless picture of a prompt and the mask of its things of one kind, 255 inside, 0 outside, as PNG.

    The mask is known from the painter's shapes; nobody looks. Unsupported for a prompt that cannot be read, or a kind
    that is not in it.
    """
    scene, _, rng = commission(prompt, seed, {})
    state = rng.getstate()
    try:
        picture = paint(scene, width, height, rng)
    except ValueError as error:
        raise Unsupported(str(error)) from error
    scene = canonical(scene)
    if all(group.kind != kind for group in scene.groups):
        raise Unsupported(f"there is no {kind} in the scene of {prompt[:120]!r}")
    again = random.Random()
    again.setstate(state)
    layout = plan(scene, width, height, again)
    ring = rim(layout.unit)
    mask = np.zeros((height, width), np.float32)
    groups = zip(scene.groups, layout.objects, strict=True)
    things = [(y, x, size, group.kind) for group, spots in groups for x, y, size in spots]
    for bottom, x, size, own in sorted(things, key=lambda thing: thing[0]):  # as painted: the nearest last
        _, body = sticker(own, round(size), ring)
        left, top = round(x - body.shape[1] / 2), round(bottom - body.shape[0] + ring + 2)
        lay(mask, body, left, top, float(own == kind))
    return png(picture), png(Image.fromarray((mask > 0.5).astype(np.uint8) * 255))


def lay(mask: NDArray[np.float32], body: NDArray[np.float32], left: int, top: int, value: float) -> None:
    """Lay a value on a mask where a body is 1; the rest is cut off."""
    high, wide = mask.shape
    rows = slice(max(0, top), min(high, top + body.shape[0]))
    columns = slice(max(0, left), min(wide, left + body.shape[1]))
    own = body[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    mask[rows, columns] += (value - mask[rows, columns]) * own


def png(image: Image.Image) -> bytes:
    """Encode a picture without any loss."""
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
