"""What surrounds the pictograms: light by the colours of the sky, and by what differs from it mood, style, wonders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from . import palette as p
from .marks import Marks, grow_marks, open_marks, piece_areas

Pixels = NDArray[np.float32]
_TEXTURE_SHARES = (0.2, 0.4)  # how much of the sky a style's dots or grain cover on average
_REACH = 0.44  # the sky is looked at down to this share of the height; no ground rises above it


@dataclass(frozen=True)
class Atmosphere:
    """Light, style, mood and surreal element; `trust` is the share of the sky that is exactly a known sky."""

    light: str
    style: str
    mood: str
    surreal: str | None
    trust: float


def survey(pixels: Pixels, boxes: Sequence[tuple[int, int, int, int]]) -> Atmosphere:
    """Look at the backdrop of a picture (h, w, 3), leaving out the given boxes (left, top, right, bottom)."""
    unit = min(pixels.shape[:2])
    # Planes (3, h, w): every measure below runs along channels, and whole planes are several times faster to compare.
    sky = np.ascontiguousarray(pixels[: int(_REACH * pixels.shape[0])].transpose(2, 0, 1))
    free = np.ones(sky.shape[1:], bool)
    rim = int(0.055 * unit)
    free[:rim], free[:, :rim], free[:, -rim:] = False, False, False
    for left, top, right, bottom in boxes:
        margin = round(0.03 * unit) + 2
        free[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin] = False
    light, emerald, banded, trust = _fit(sky, free, pixels.shape[0])
    model = p.sky(light, emerald, banded, pixels.shape[0])[: sky.shape[1]].T[:, :, None]
    residual = sky - model
    style = _style(pixels, residual, free, banded)
    marks = _Sky(sky, residual, free, light, unit)
    return Atmosphere(light, style, _mood(marks), "emerald sky" if emerald else _wonder(marks), trust)


@dataclass(frozen=True)
class _Sky:
    """The sky as looked at: its planes (3, h, w), how they differ from the bare sky, where it is unobstructed."""

    pixels: Pixels
    residual: Pixels
    free: Marks
    light: str
    unit: int

    def near(self, colour: Sequence[float], tolerance: float) -> Marks:
        """Return where the sky has a colour, each channel within a tolerance."""
        return (_widest(self.pixels - _column(colour)) < tolerance) & self.free

    def share(self, marks: Marks) -> float:
        """Area in units of the picture's shorter side squared."""
        return float(marks.sum()) / self.unit**2

    def density(self, marks: Marks) -> float:
        return float(marks.sum()) / max(1, int(self.free.sum()))


def _column(colour: Sequence[float]) -> Pixels:
    return np.array(colour, np.float32)[:, None, None]


def _widest(planes: Pixels) -> Pixels:
    size = np.abs(planes)
    return np.asarray(np.maximum(np.maximum(size[0], size[1]), size[2]), np.float32)


def _fit(sky: Pixels, free: Marks, height: int) -> tuple[str, bool, bool, float]:
    """The known sky that explains most of what is free: light, emerald, banded, share explained."""
    step = max(2, height // 64)
    rows, columns = sky.shape[1] // step, sky.shape[2] // step
    cut = sky[:, : rows * step, : columns * step].reshape(3, rows, step, columns, step)
    cells = np.einsum("crsde->crd", cut) / step**2
    open_cells = free[: rows * step, : columns * step].reshape(rows, step, columns, step).all((1, 3))
    open_cells &= _widest(cells - _column(p.MOON)) > 20
    if open_cells.sum() < 12:
        return "noon", False, False, 0.0
    best = ("noon", False, False, 0.0)
    for light in p.LIGHTS:
        for emerald in (False, True):
            for banded in (False, True):
                sky_rows = p.sky(light, emerald, banded, height)[: rows * step]
                model = sky_rows.reshape(rows, step, 3).mean(1).T[:, :, None]
                beams = model + p.BEAM * (_column(p.LIGHTS[light].disc) - model)
                off = np.minimum(_widest(cells - model), _widest(cells - beams) + 3)
                for share in _TEXTURE_SHARES:
                    off = np.minimum(off, _widest(cells - model - share * _column(p.texture(light))) + 2)
                off = off[open_cells]
                share = float(np.mean(np.clip(1.5 - off / 14, 0, 1)))
                if share > best[3]:
                    best = (light, emerald, banded, share)
    return best


@lru_cache(maxsize=8)
def _waves(rows: int, columns: int, unit: int) -> tuple[NDArray[np.complex64], NDArray[np.complex64]]:
    y, x = np.arange(rows, dtype=np.float32)[:, None], np.arange(columns, dtype=np.float32)[None, :]
    dots = np.exp(2j * np.pi * (x + y) / (unit / 30)).astype(np.complex64)
    period = unit / 56
    grain = np.exp(2j * np.pi * ((y + 0.25 * period * np.sin(x / unit * 9.0)) / period)).astype(np.complex64)
    return dots, grain


def _style(pixels: Pixels, residual: Pixels, free: Marks, banded: bool) -> str:
    unit = min(pixels.shape[:2])
    edge = max(2, round(0.014 * unit))
    rim = np.concatenate([side.reshape(-1, 3) for side in (pixels[:edge], pixels[-edge:], pixels[:, :edge])]).T
    for style, colour in (("poster", p.FRAME), ("watercolour", p.WASH)):
        if (_widest(rim - np.array(colour, np.float32)[:, None]) < 10).mean() > 0.7:
            return style
    tone = np.where(free & (_widest(residual) < 90), residual.sum(0) / 3, 0)
    area = max(1, int(free.sum()))
    dots, grain = (abs(complex((tone * wave).sum())) / area for wave in _waves(*tone.shape, unit))
    if max(dots, grain) > 1.1:
        return "popart" if dots > grain else "woodcut"
    return "flat"


def _wonder(sky: _Sky) -> str | None:
    moon = sky.near(p.MOON, 15) | sky.near(p.CRATER, 9)
    pieces = piece_areas(moon, 0.0033 * sky.unit**2)
    if max(pieces, default=0) > 0.0145 * sky.unit**2:
        return "giant moon"
    if len(pieces) >= 2:
        return "twin moons"
    shade = 0.55 + 0.45 * p.LIGHTS[sky.light].shade
    rock = sky.near([c * shade for c in p.ROCK], 12)
    broad = max(3, round(0.012 * sky.unit))  # broader than the cords that signs and shelves hang on
    if sky.share(open_marks(rock, broad, broad)) > 0.0012:
        return "floating islands"
    return None


def _mood(sky: _Sky) -> str:
    light = p.LIGHTS[sky.light]
    bits = [len(piece_areas(sky.near(colour, 30), 0.00002 * sky.unit**2)) for colour in p.CONFETTI]
    if sum(bits) >= 7 and sorted(bits)[1] >= 1:  # three of the four colours at least
        return "joyful"
    sparks = [
        area for area in piece_areas(sky.near(p.SPARKLE, 16), 0.00008 * sky.unit**2) if area < 0.0012 * sky.unit**2
    ]
    if len(sparks) >= 3:
        return "dreamy"
    thick, long = round(0.014 * sky.unit), round(0.06 * sky.unit)  # thicker than the grain of a woodblock
    if sky.density(open_marks(sky.near(light.mist, 12), thick, long)) > 0.018:
        return "mysterious"
    model = sky.pixels[:, :, :1] - sky.residual[:, :, :1]
    towards = _column(light.disc) - model
    length = np.maximum((towards**2).sum(0), 1)
    alpha = (sky.residual * towards).sum(0) / length
    aside = _widest(sky.residual - alpha * towards)
    bare = sky.free & ~sky.near(p.MOON, 24)
    beams = (alpha > 0.13) & (alpha < 0.3) & (aside < 14) & bare
    if beams.sum() > 0.2 * max(1, bare.sum()):
        return "dramatic"
    return "melancholy" if sky.density(_streaks(sky)) > 0.0013 else "calm"


def _streaks(sky: _Sky) -> Marks:
    """Thin marks in the colour of rain."""
    expected = (sky.pixels - sky.residual) * 0.3 + _column(p.LIGHTS[sky.light].rain) * 0.7
    marks = (_widest(sky.pixels - expected) < 22) & (_widest(sky.residual) > 10) & sky.free
    wide = max(3, round(0.012 * sky.unit))
    thin = marks & ~grow_marks(open_marks(marks, wide, wide))
    # Rain slants: a mark must go on in its direction, which upright cords and level grain do not.
    down = round(0.03 * sky.unit)
    left = round(p.RAIN_SLANT * down)
    return np.asarray(thin[:-down, left:] & thin[down:, :-left])
