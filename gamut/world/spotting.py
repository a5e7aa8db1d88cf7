"""Finds the cut-outs in a picture: every patch of paper, what its ink is shaped like and coloured, and the sign."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import palette as p
from .marks import close_gaps, fill_holes, label_pieces
from .shapes import match_kind
from .vocabulary import RGB

Pixels = NDArray[np.float32]
_PAPER_LEVEL = 234  # smallest channel of paper after light compression; backdrops stay below p.BACKDROP_LIMIT
_TORN_LEVEL = 225  # the same after strong compression or noise, which also tear the rims
_LEAST_INSIDE = 0.04  # share of a cut-out that is not paper
_SURE = 0.78  # likeness from which a shape is named


@dataclass(frozen=True)
class Spot:
    """One pictogram: place (left, top, right, bottom in pixels), the kind it is most like, likeness, ink colour."""

    box: tuple[int, int, int, int]
    kind: str
    likeness: float
    ink: tuple[float, float, float]

    @property
    def sure(self) -> bool:
        return self.likeness >= _SURE

    @property
    def centre(self) -> tuple[float, float]:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True)
class SignSpot:
    """A banner or board: place, ink mask of its lettering (h, w) in 0..1, lightness step between ink and ground."""

    box: tuple[int, int, int, int]
    ink: Pixels
    contrast: float


def find_cut_outs(pixels: Pixels) -> tuple[list[Spot], list[SignSpot]]:
    """All cut-outs of a picture (h, w, 3) in 0..255, from left to right. Where shapes are unsure it is looked at again,
    with rims mended; the look counts whose least likeness is higher.
    """
    lightness = np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])
    first = _cut_outs(pixels, lightness, lightness > _PAPER_LEVEL)
    if _likeness(first) >= _SURE:
        return first
    return max(first, _cut_outs(pixels, lightness, close_gaps(lightness > _TORN_LEVEL)), key=_likeness)


def _likeness(cut_outs: tuple[list[Spot], list[SignSpot]]) -> float:
    """That of the least sure shape; 1 for a sign alone, 0 for nothing."""
    spots, signs = cut_outs
    return min((spot.likeness for spot in spots), default=float(bool(signs)))


def _cut_outs(pixels: Pixels, lightness: Pixels, paper: NDArray[np.bool_]) -> tuple[list[Spot], list[SignSpot]]:
    unit = min(pixels.shape[:2])
    labels, places = label_pieces(paper)  # thin rings may hang together by corners only
    spots: list[Spot] = []
    signs: list[SignSpot] = []
    for number, place in enumerate(places, start=1):
        height, width = (part.stop - part.start for part in place)
        if max(height, width) < 0.055 * unit or not 0.012 * unit <= min(height, width) <= 0.6 * unit:
            continue
        own = labels[place] == number
        region = _enclosed(own)
        inside = region & ~own
        if inside.sum() < _LEAST_INSIDE * region.sum():
            continue
        patch = pixels[place]
        box = (place[1].start, place[0].start, place[1].stop, place[0].stop)
        if region.mean() > 0.95 and width > 1.7 * height and _is_sign_ground(_median(patch[inside])):
            signs.append(_sign(patch, region, box))
        else:
            spots.append(_spot(patch, region, inside, inside & (lightness[place] < _TORN_LEVEL), box))
    spots.sort(key=lambda spot: spot.centre)
    signs.sort(key=lambda sign: (sign.box[1], sign.box[0]))
    return _outermost(spots, signs)


def _enclosed(patch: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a patch of paper and what it encloses; where its rim is broken at a sharp tip, the break is bridged."""
    region = fill_holes(patch)
    if (region & ~patch).sum() >= _LEAST_INSIDE * region.sum():
        return region
    return fill_holes(close_gaps(np.pad(patch, 3)))[3:-3, 3:-3]


def _outermost(spots: list[Spot], signs: list[SignSpot]) -> tuple[list[Spot], list[SignSpot]]:
    """Without the patches that lie inside another cut-out (a letter or a part of one, an eye)."""
    boxes = [spot.box for spot in spots] + [sign.box for sign in signs]

    def within(a: tuple[int, ...]) -> bool:
        return any(a != b and a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3] for b in boxes)

    return [spot for spot in spots if not within(spot.box)], [sign for sign in signs if not within(sign.box)]


def _median(values: Pixels) -> Pixels:
    return np.asarray(np.median(values, axis=0), np.float32)


def _spot(
    patch: Pixels,
    region: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    core: NDArray[np.bool_],
    box: tuple[int, int, int, int],
) -> Spot:
    """`core`: the part of the inside that is surely no paper."""
    colour = _median(patch[core] if core.any() else patch[inside])
    kind, likeness = match_kind(_cover(patch, colour) * region)
    red, green, blue = (float(c) for c in colour)
    return Spot(box, kind, likeness, (red, green, blue))


def _cover(patch: Pixels, colour: Pixels) -> Pixels:
    """Return how much of each pixel is ink rather than paper, 0..1."""
    paper = np.array(p.PAPER, np.float32)
    step = colour - paper
    return np.clip(((patch - paper) @ step) / max(float(step @ step), 1.0), 0, 1).astype(np.float32)


def _is_sign_ground(colour: Pixels) -> bool:
    return any(float(np.abs(colour - np.array(known)).max()) < 26 for known in (*p.CLOTHS, *p.WOODS))


def _sign(patch: Pixels, region: NDArray[np.bool_], box: tuple[int, int, int, int]) -> SignSpot:
    """Return the lettering on a sign's face: what is lighter than the face, which may shade off from row to row."""
    height, width = region.shape
    edge_y, edge_x = round(0.16 * height), max(round(0.03 * width), round(0.1 * height))
    face = patch[edge_y : height - edge_y, edge_x : width - edge_x].mean(2)
    lift = face - np.percentile(face, 30, axis=1)[:, None]
    contrast = float(np.percentile(lift, 97))
    ink = np.clip(lift / max(contrast, 4.0), 0, 1).astype(np.float32)
    return SignSpot(box, ink, contrast)


def colour_name(ink: tuple[float, float, float], light: str) -> str:
    tint = np.array(p.LIGHTS[light].tint)
    return min(RGB, key=lambda name: float(np.linalg.norm(np.array(RGB[name]) * tint - np.array(ink))))
