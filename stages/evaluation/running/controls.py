"""Controls of judges: pictures degraded in known ways, whose scores ought to fall.

A judge that scores a blank picture, or the picture of another prompt, as high as the right one measures nothing; how
far it minds a coarse or a small picture is worth knowing before its differences are believed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PIL import Image

from stages.tables.images import as_jpeg, upright_rgb

CONTROLS = ("blank", "mismatched", "jpeg_20", "half_size")
"""All controls, in the order of boards. What `mismatched` shows, `mismatches` says; the others `DEGRADATIONS`."""
GREY = (128, 128, 128)
COARSE = 20


def blank(image: Image.Image) -> bytes:
    """Return the same size in mid-grey: nothing of what was asked for."""
    return as_jpeg(Image.new("RGB", image.size, GREY))


def jpeg_20(image: Image.Image) -> bytes:
    """Return the same picture with the blocks and rings of JPEG quality 20."""
    return as_jpeg(image, COARSE)


def half_size(image: Image.Image) -> bytes:
    """Half the width and half the height, at least a pixel each (Lanczos, quality 95)."""
    width, height = (max(1, side // 2) for side in image.size)
    return as_jpeg(image.resize((width, height), Image.Resampling.LANCZOS))


DEGRADATIONS: Mapping[str, Callable[[Image.Image], bytes]] = {
    "blank": blank,
    "jpeg_20": jpeg_20,
    "half_size": half_size,
}


def degraded(control: str, picture: bytes) -> bytes:
    """Return the twin of an encoded picture under one of DEGRADATIONS, an upright RGB JPEG; the same bytes each time.

    ValueError saying why the bytes are not one usable picture.
    """
    return DEGRADATIONS[control](upright_rgb(picture))


def mismatches(ids: Sequence[str]) -> dict[str, str]:
    """For every id the one whose picture the control `mismatched` shows in its place.

    The ids turned by half their number: so every one is shown once, none in its own place, and in an edition that is
    ordered by stratum mostly in another one. A single id has no other: then there is no such control.
    """
    if len(ids) < 2:
        return {}
    half = len(ids) // 2
    return dict(zip(ids, [*ids[half:], *ids[:half]], strict=True))
