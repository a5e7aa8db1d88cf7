"""Pictures into scenes, by their pixels alone: every answer about a picture rests on what `see` reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from . import ocr
from .atmosphere import Atmosphere, survey
from .layout import rim_width
from .scene import Group, Scene
from .shapes import ink_share
from .spotting import SignSpot, Spot, colour_name, find_cut_outs
from .vocabulary import LETTERING, LETTERING_ZH

Pixels = NDArray[np.float32]
_SHARP, _NOISY = 0.4, 3.5  # a picture with less sharpness or more noise is not named: it could be misnamed
_TRUST = 0.4  # share of the sky that must be a known sky before a picture counts as one of this world
_TRUST_UNCLEAR = 0.29  # the same where blur or noise may hide part of it


@dataclass(frozen=True)
class Sight:
    """What is seen. `scene`: None where it cannot be named whole; `familiar`: it is of this world; `impression`: the
    scene as it seems, which may be misnamed in an unclear picture or of broken shapes.

    `sharpness` 0..1 (one-pixel steps against wide ones), `noise` in grey levels, `structure` 0..1 (likeness of the
    least whole pictogram, 1 without any), `transcription` None without a sign, `contrast` in grey levels, `largest` the
    size at which the largest pictogram was drawn, as a share of the picture's shorter side. `spread`: how many levels
    the channel that varies most spans, 0..255.
    """

    scene: Scene | None
    impression: Scene | None
    familiar: bool
    sharpness: float
    noise: float
    structure: float
    transcription: str | None
    contrast: float
    largest: float
    spread: int


def see(image: Image.Image) -> Sight:
    """Look at a picture. Never fails on an image: what is not of this world gives scene None and familiar False."""
    image = image.convert("RGB")
    spread = max(highest - lowest for lowest, highest in image.getextrema())  # type: ignore[misc]
    if min(image.size) < 64:
        return Sight(None, None, False, 0.0, 0.0, 0.0, None, 0.0, 0.0, spread)
    grey = np.asarray(image.convert("L"), np.float32)
    sharpness, noise = _sharpness(grey), _noise(grey)
    pixels = np.asarray(image, np.float32)
    spots, signs = find_cut_outs(pixels)
    around = survey(pixels, [spot.box for spot in spots] + [sign.box for sign in signs])
    if not _familiar(around.trust, bool(spots or signs), sharpness, noise):
        return Sight(None, None, False, sharpness, noise, 0.0, None, 0.0, 0.0, spread)
    text = _spaced(ocr.read_line(signs[0].ink)) if len(signs) == 1 else None
    impression = _scene(spots, signs, text, around)
    sure = sharpness >= _SHARP and noise <= _NOISY and all(spot.sure for spot in spots)
    likeness = min((spot.likeness for spot in spots), default=1.0)
    largest = max((_size(spot, min(image.size)) for spot in spots), default=0.0) / min(image.size)
    contrast = signs[0].contrast if signs else 0.0
    scene = impression if sure else None
    return Sight(scene, impression, True, sharpness, noise, likeness, text, contrast, largest, spread)


def _size(spot: Spot, unit: int) -> float:
    """At which size in pixels a pictogram was drawn: its paper's longer side without the rim, of which one pixel is too
    soft to be seen.
    """
    left, top, right, bottom = spot.box
    return (max(right - left, bottom - top) - 2 * rim_width(unit) + 2) / ink_share(spot.kind)


def _spaced(text: str) -> str:
    """Return a known phrase that was read without its space, with it: spaces are what recognisers lose first."""
    return next((phrase for phrase in LETTERING if phrase.replace(" ", "") == text.replace(" ", "")), text)


def _familiar(trust: float, cut_outs: bool, sharpness: float, noise: float) -> bool:
    """Return whether a picture is of this world: a known sky, and cut-outs unless blur or noise may hide them."""
    if 0.08 < sharpness < _SHARP or noise > _NOISY:
        return trust >= _TRUST_UNCLEAR
    return cut_outs and trust >= _TRUST


def _scene(spots: list[Spot], signs: list[SignSpot], text: str | None, around: Atmosphere) -> Scene | None:
    """Return the scene, or None where there are too many signs, groups or pictograms, or nothing is there."""
    if len(signs) > 1:
        return None
    places: dict[tuple[str, str], list[Spot]] = {}
    for spot in spots:
        places.setdefault((spot.kind, colour_name(spot.ink, around.light)), []).append(spot)
    if len(places) > 2 or any(len(found) > 5 for found in places.values()):
        return None
    relation = None
    order = list(places)
    if len(order) == 2:
        relation, turned = _relation(places[order[0]], places[order[1]])
        order = order[::-1] if turned else order
    lettering = text if text in LETTERING + LETTERING_ZH else None
    if not order and not signs:
        return None
    banner = bool(signs) and signs[0].box[1] < 0.2 * signs[0].box[2]
    return Scene(
        groups=tuple(Group(kind, colour, len(places[kind, colour])) for kind, colour in order),
        relation=relation,
        lettering=lettering,
        sign=("banner" if banner else "board") if signs else None,
        style=around.style,
        light=around.light,
        mood=around.mood,
        surreal=around.surreal,
    )


def _relation(first: list[Spot], second: list[Spot]) -> tuple[str, bool]:
    """`left` or `above`, and whether the second group is the left or upper one. Groups side by side stand on one
    ground; where one is above the other, a level line runs free between them.
    """
    free = max(min(s.box[1] for s in second) - max(s.box[3] for s in first),
               min(s.box[1] for s in first) - max(s.box[3] for s in second))  # fmt: skip
    axis = 1 if free > 0 else 0
    mean = [np.mean([spot.centre[axis] for spot in group]) for group in (first, second)]
    return ("above" if axis else "left"), bool(mean[1] < mean[0])


def _sharpness(grey: Pixels) -> float:
    """Return the strongest one-pixel steps in proportion to the strongest steps over a 64th of the picture, 0..1."""
    span = max(3, min(grey.shape) // 64)
    strongest = []
    for step in (1, span):
        sizes = np.abs(grey[:, step:] - grey[:, :-step]).astype(np.uint8)
        counts = np.bincount(sizes.ravel(), minlength=256)[::-1].cumsum()
        strongest.append(255 - int(np.searchsorted(counts, sizes.size / 1500)))
    return min(1.0, strongest[0] / max(strongest[1], 1))


def _noise(grey: Pixels) -> float:
    """Standard deviation of pixel noise in grey levels, by the median of a second difference (robust against edges)."""
    rows = grey[:, :-2] - 2 * grey[:, 1:-1] + grey[:, 2:]
    second = rows[:-2] - 2 * rows[1:-1] + rows[2:]
    return float(np.median(np.abs(second[::2, ::2]))) / 0.6745 / 6
