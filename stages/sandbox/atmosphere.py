"""What surrounds the pictograms: light by the sky's colours, and from what differs from that sky mood, style, wonders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from . import palette as p

Pixels = NDArray[np.float32]
Marks = NDArray[np.bool_]
_REACH = 0.44  # the sky is looked at down to this share of the height; no ground rises above it


@dataclass(frozen=True)
class Atmosphere:
    """Light, style, mood and surreal element; `trust` is the share of the sky that has exactly a known sky's colours."""

    light: str
    style: str
    mood: str
    surreal: str | None
    trust: float


def survey(pixels: Pixels, boxes: Sequence[tuple[int, int, int, int]]) -> Atmosphere:
    """Look at the backdrop of a picture (h, w, 3), leaving out the given boxes (left, top, right, bottom)."""
    unit = min(pixels.shape[:2])
    sky = pixels[: int(_REACH * pixels.shape[0])]
    free = np.ones(sky.shape[:2], bool)
    rim = int(0.055 * unit)
    free[:rim], free[:, :rim], free[:, -rim:] = False, False, False
    for left, top, right, bottom in boxes:
        margin = round(0.1 * (right - left)) + 2
        free[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin] = False
    light, emerald, banded, trust = _fit(sky, free, pixels.shape[0])
    model = p.sky(light, emerald, banded, pixels.shape[0])[: len(sky), None, :]
    style = _style(pixels, sky - model, free, banded)
    marks = _Sky(sky, sky - model, free, light, unit)
    return Atmosphere(light, style, _mood(marks), "emerald sky" if emerald else _wonder(marks), trust)


@dataclass(frozen=True)
class _Sky:
    """The sky as looked at: its pixels, how they differ from the bare sky, where it is unobstructed."""

    pixels: Pixels
    residual: Pixels
    free: Marks
    light: str
    unit: int

    def near(self, colour: Sequence[float], tolerance: float) -> Marks:
        """Where the sky has a colour, each channel within a tolerance."""
        return np.asarray((np.abs(self.pixels - np.array(colour, np.float32)).max(2) < tolerance) & self.free)

    def share(self, marks: Marks) -> float:
        """Area in units of the picture's shorter side squared."""
        return float(marks.sum()) / self.unit**2


def _fit(sky: Pixels, free: Marks, height: int) -> tuple[str, bool, bool, float]:
    """The sky among all known ones that explains most of what is free: light, emerald, banded, share explained."""
    step = max(2, height // 64)
    rows, columns = len(sky) // step, sky.shape[1] // step
    cells = sky[: rows * step, : columns * step].reshape(rows, step, columns, step, 3).mean((1, 3))
    open_cells = free[: rows * step, : columns * step].reshape(rows, step, columns, step).all((1, 3))
    if open_cells.sum() < 12:
        return "noon", False, False, 0.0
    best = ("noon", False, False, 0.0)
    for light in p.LIGHTS:
        for emerald in (False, True):
            for banded in (False, True):
                model = p.sky(light, emerald, banded, height)[: rows * step].reshape(rows, step, 3).mean(1)
                good = np.abs(cells - model[:, None, :]).max(2)[open_cells]
                share = float(np.mean(np.clip(1.5 - good / 14, 0, 1)))
                if share > best[3]:
                    best = (light, emerald, banded, share)
    return best


@lru_cache(maxsize=8)
def _waves(rows: int, columns: int, unit: int) -> tuple[NDArray[np.complex64], NDArray[np.complex64]]:
    """The rhythm of a pop art print's dots and of a woodblock's grain over the sky."""
    y, x = np.arange(rows, dtype=np.float32)[:, None], np.arange(columns, dtype=np.float32)[None, :]
    dots = np.exp(2j * np.pi * (x + y) / (unit / 30)).astype(np.complex64)
    period = unit / 56
    grain = np.exp(2j * np.pi * ((y + 0.25 * period * np.sin(x / unit * 9.0)) / period)).astype(np.complex64)
    return dots, grain


def _style(pixels: Pixels, residual: Pixels, free: Marks, banded: bool) -> str:
    unit = min(pixels.shape[:2])
    edge = max(2, round(0.014 * unit))
    rim = np.concatenate([pixels[:edge].reshape(-1, 3), pixels[-edge:].reshape(-1, 3), pixels[:, :edge].reshape(-1, 3)])
    for style, colour in (("poster", p.FRAME), ("watercolour", p.WASH)):
        if (np.abs(rim - np.array(colour)).max(1) < 10).mean() > 0.7:
            return style
    tone = np.where(free & (np.abs(residual).max(2) < 60), residual.mean(2), 0)
    area = max(1, int(free.sum()))
    dots, grain = (abs(complex((tone * wave).sum())) / area for wave in _waves(*tone.shape, unit))
    if max(dots, grain) > 1.3:
        return "popart" if dots > grain else "woodcut"
    return "flat"


def _wonder(sky: _Sky) -> str | None:
    moon = sky.near(p.MOON, 15) | sky.near(p.CRATER, 9)
    if sky.share(moon) > 0.035:
        return "giant moon"
    if len(_pieces(moon, 0.0035 * sky.unit**2)) >= 2:
        return "twin moons"
    shade = 0.55 + 0.45 * p.LIGHTS[sky.light].shade
    if sky.share(sky.near([c * shade for c in p.ROCK], 12)) > 0.0016:
        return "floating islands"
    return None


def _mood(sky: _Sky) -> str:
    light = p.LIGHTS[sky.light]
    paper_bits = np.zeros(sky.free.shape, bool)
    for colour in p.CONFETTI:
        paper_bits |= sky.near(colour, 30)
    if len(_pieces(paper_bits, 0.00002 * sky.unit**2)) >= 8:
        return "joyful"
    sparks = [area for area in _pieces(sky.near(p.SPARKLE, 24), 0.00008 * sky.unit**2) if area < 0.0012 * sky.unit**2]
    if len(sparks) >= 4:
        return "dreamy"
    if sky.share(sky.near(light.mist, 12)) > 0.006:
        return "mysterious"
    towards = np.array(light.disc, np.float32) - (sky.pixels - sky.residual)
    length = np.maximum((towards**2).sum(2), 1)
    alpha = (sky.residual * towards).sum(2) / length
    aside = np.abs(sky.residual - alpha[..., None] * towards).max(2)
    beams = (alpha > 0.13) & (alpha < 0.3) & (aside < 14) & sky.free
    if beams.sum() > 0.2 * max(1, sky.free.sum()):
        return "dramatic"
    return "melancholy" if sky.share(_streaks(sky)) > 0.0022 else "calm"


def _streaks(sky: _Sky) -> Marks:
    """Thin bright marks in the colour of rain."""
    cloud = np.array(p.LIGHTS[sky.light].cloud, np.float32)
    rain = np.minimum(0.5 * cloud + 110, p.BACKDROP_LIMIT - 2)
    expected = (sky.pixels - sky.residual) * 0.3 + rain * 0.7
    marks = (np.abs(sky.pixels - expected).max(2) < 22) & (np.abs(sky.residual).max(2) > 10) & sky.free
    wide = max(3, round(0.012 * sky.unit))
    return marks & ~ndimage.binary_dilation(ndimage.binary_opening(marks, np.ones((wide, wide))), iterations=2)


def _pieces(marks: Marks, least: float) -> list[int]:
    """Areas in pixels of the connected pieces that are at least so large."""
    labels, number = ndimage.label(marks)
    areas = np.bincount(labels.ravel(), minlength=number + 1)[1:]
    return [int(area) for area in areas if area >= least]
