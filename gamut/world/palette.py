"""Colours of sky, ground and weather under each light: what the painter lays on and what the seer looks for.

Nothing in a backdrop may reach the white of the paper that pictograms are cut from: their smallest channel stays
below BACKDROP_LIMIT, the paper's above it, and so a cut-out always stands free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Rgb = tuple[int, int, int]
Plane = NDArray[np.float32]

PAPER: Rgb = (255, 253, 249)
BACKDROP_LIMIT = 230
SKY_SHARE = 0.66  # the sky's gradient is spread over this share of the height, wherever the horizon lies
BEAM = 0.2  # how far a beam of light moves the sky towards the colour of its source
RAIN_SLANT = 0.36  # how far rain drifts to the left for each step down
BANDS = 6  # steps of a poster's sky


@dataclass(frozen=True)
class Light:
    """One light: the sky from top to horizon, the disc in it, clouds, what tints objects, and grounds near to far."""

    sky: tuple[Rgb, Rgb, Rgb]
    emerald: tuple[Rgb, Rgb, Rgb]
    disc: Rgb
    cloud: Rgb
    mist: Rgb
    rain: Rgb
    tint: tuple[float, float, float]
    shade: float


MOON: Rgb = (232, 226, 204)
CRATER: Rgb = (216, 208, 184)
SPARKLE: Rgb = (216, 248, 255)
FRAME: Rgb = (240, 226, 196)
WASH: Rgb = (243, 238, 224)
ROCK: Rgb = (112, 92, 92)
CONFETTI: tuple[Rgb, ...] = ((255, 96, 128), (255, 216, 70), (70, 226, 170), (120, 96, 255))
CLOTHS: tuple[Rgb, ...] = ((22, 70, 88), (122, 28, 46), (30, 52, 44))
WOODS: tuple[Rgb, ...] = ((112, 72, 44), (92, 58, 40), (128, 84, 48))

LIGHTS: dict[str, Light] = {
    "noon": Light(
        sky=((74, 156, 218), (132, 194, 232), (204, 228, 228)),
        emerald=((30, 150, 110), (96, 196, 148), (196, 228, 190)),
        disc=(255, 240, 178),
        cloud=(226, 234, 228),
        mist=(180, 188, 226),
        rain=(78, 108, 152),
        tint=(1.0, 1.0, 1.0),
        shade=1.0,
    ),
    "dawn": Light(
        sky=((146, 156, 206), (228, 182, 196), (250, 214, 176)),
        emerald=((120, 178, 158), (184, 208, 160), (240, 226, 150)),
        disc=(255, 240, 206),
        cloud=(242, 212, 210),
        mist=(160, 140, 184),
        rain=(74, 70, 116),
        tint=(1.0, 0.97, 0.97),
        shade=0.94,
    ),
    "sunset": Light(
        sky=((98, 66, 128), (222, 102, 92), (250, 176, 90)),
        emerald=((44, 84, 84), (120, 156, 82), (226, 192, 74)),
        disc=(255, 228, 150),
        cloud=(244, 158, 128),
        mist=(140, 92, 150),
        rain=(255, 222, 204),
        tint=(1.0, 0.94, 0.90),
        shade=0.80,
    ),
    "twilight": Light(
        sky=((34, 44, 98), (92, 84, 150), (206, 138, 160)),
        emerald=((18, 62, 66), (44, 116, 104), (150, 184, 140)),
        disc=(246, 228, 190),
        cloud=(128, 108, 164),
        mist=(150, 140, 192),
        rain=(196, 192, 224),
        tint=(0.95, 0.93, 1.0),
        shade=0.60,
    ),
    "night": Light(
        sky=((12, 18, 48), (24, 38, 84), (50, 70, 124)),
        emerald=((6, 34, 32), (14, 60, 52), (38, 100, 80)),
        disc=MOON,
        cloud=(52, 66, 110),
        mist=(104, 116, 160),
        rain=(148, 160, 196),
        tint=(0.90, 0.93, 1.0),
        shade=0.42,
    ),
}

# Grounds by day, far to near; a light shades them towards its own sky.
GROUNDS: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "meadow": ((150, 188, 150), (112, 166, 110), (80, 142, 88)),
    "desert": ((224, 190, 150), (214, 168, 116), (192, 140, 92)),
    "snow": ((186, 204, 222), (208, 220, 228), (222, 226, 228)),
    "sea": ((196, 186, 160), (84, 150, 178), (216, 196, 158)),
    "town": ((126, 138, 160), (150, 156, 166), (172, 168, 164)),
    "autumn": ((186, 150, 128), (190, 130, 88), (160, 104, 72)),
}


@lru_cache(maxsize=128)
def sky(light: str, emerald: bool, banded: bool, height: int) -> Plane:
    """Return the sky's colour in each row of a picture `height` pixels high, (height, 3) in 0..255."""
    stops = np.array(LIGHTS[light].emerald if emerald else LIGHTS[light].sky, np.float32)
    at = np.clip((np.arange(height) + 0.5) / (SKY_SHARE * height), 0, 1)
    if banded:
        at = np.floor(at * BANDS) / (BANDS - 1)
    at = np.clip(at, 0, 1)
    return np.stack([np.interp(at, (0.0, 0.55, 1.0), stops[:, c]) for c in range(3)], 1).astype(np.float32)


def texture(light: str) -> tuple[float, float, float]:
    """Return what the dots or the grain of a style add to the sky: darker by day, by night a warm glow."""
    return (32, 5, 7) if light == "night" else (-22, -23, -23)


def ground(name: str, light: str, emerald: bool) -> tuple[Rgb, ...]:
    """Return the ground's three colours under a light, far to near; the far ones are mixed with the horizon's haze."""
    haze = np.array(sky(light, emerald, False, 100)[62])
    found = []
    for colour, far in zip(GROUNDS[name], (0.45, 0.22, 0.06), strict=True):
        lit = np.array(colour) * LIGHTS[light].shade * np.array(LIGHTS[light].tint)
        found.append(to_rgb(lit * (1 - far) + haze * far))
    return tuple(found)


def to_rgb(colour: NDArray[np.floating]) -> Rgb:
    """Three numbers rounded to a colour that a backdrop may have."""
    red, green, blue = (int(min(255, max(0, round(float(c))))) for c in colour)
    return red, green, min(blue, BACKDROP_LIMIT - 2)
