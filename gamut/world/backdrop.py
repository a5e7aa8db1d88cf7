"""The backdrop of a picture: sky, what hangs in it, weather that carries the mood, and the marks of a style."""

from __future__ import annotations

import random

import numpy as np
from PIL import Image

from . import palette as p
from .brush import Canvas, blend, capsule, cloud, disc, polygon
from .ground import lay_ground
from .layout import Box, Layout
from .scene import Scene

Moon = tuple[float, float, float]
"""Centre and radius in pixels."""


def backdrop(scene: Scene, plan: Layout, width: int, height: int, rng: random.Random) -> Canvas:
    """Paint everything that stands behind the pictograms: (height, width, 3) float32."""
    emerald = scene.surreal == "emerald sky"
    light = scene.light or "noon"
    rows = p.sky(light, emerald, scene.style == "poster", height)
    canvas = np.repeat(rows[:, None, :], width, axis=1)
    _texture(canvas, scene, plan)
    taken = _occupied(plan)
    sun, moons = _hang_sky(canvas, scene, plan, taken, rng)
    if scene.mood == "dramatic":
        _beams(canvas, light, sun, plan)
        _disc_in_sky(canvas, scene, sun, plan.unit)
    _clouds(canvas, scene, plan, taken, rng)
    if scene.mood in _WEATHER:
        _WEATHER[scene.mood](canvas, light, plan, taken, rng)
    for moon in moons:
        _moon(canvas, *moon)
    lay_ground(canvas, rng.choice(list(p.GROUNDS)), light, emerald, plan, rng)
    if scene.mood == "melancholy":
        _rain(canvas, light, plan, taken, rng)
    _border(canvas, scene, plan.unit, rng)
    return canvas


def _occupied(plan: Layout) -> list[Box]:
    """Boxes that things in the sky keep away from."""
    boxes = [Box(x - s * 0.62, y - s * 1.12, x + s * 0.62, y + 0.1 * s) for g in plan.objects for x, y, s in g]
    boxes += [plan.sign] if plan.sign else []
    boxes += [Box(x, 0.0, x, plan.shelf.y1) for x in plan.cords] if plan.shelf else []
    return boxes


def _free_spot(
    width: float, height: float, region: Box, occupied: list[Box], rng: random.Random, tries: int = 40
) -> Box | None:
    """Return a box of the given size within the region that touches none of those taken; it is taken from then on."""
    for _ in range(tries):
        x = rng.uniform(region.x0, max(region.x0, region.x1 - width))
        y = rng.uniform(region.y0, max(region.y0, region.y1 - height))
        box = Box(x, y, x + width, y + height)
        if all(b.x1 < box.x0 or b.x0 > box.x1 or b.y1 < box.y0 or b.y0 > box.y1 for b in occupied):
            occupied.append(box)
            return box
    return None


def _sky_region(canvas: Canvas, unit: float, share: float = 0.44) -> Box:
    height, width = canvas.shape[:2]
    return Box(0.06 * unit, 0.06 * unit, width - 0.06 * unit, share * height)


def _hang_sky(
    canvas: Canvas, scene: Scene, plan: Layout, occupied: list[Box], rng: random.Random
) -> tuple[tuple[float, float], list[Moon]]:
    """Paint stars, sun or moon, and what is surreal in the sky; return the disc's centre in pixels, and the moons that
    are painted last, for no weather may hide them.
    """
    unit, (height, width) = plan.unit, canvas.shape[:2]
    region = _sky_region(canvas, unit)
    if scene.light in ("night", "twilight"):
        for _ in range(46 if scene.light == "night" else 18):
            at = (rng.uniform(0, width), rng.uniform(0, 0.46 * height))
            disc(canvas, *at, rng.uniform(0.4, 0.9) * unit / 400, (214, 218, 228), rng.uniform(0.4, 0.9))
    if scene.surreal == "giant moon":
        radius = 0.235 * unit
        side = rng.choice((0.3, 0.5, 0.7))
        sun = (side * width, max(radius + 0.05 * unit, rng.uniform(0.24, 0.3) * height))
        _moon(canvas, *sun, radius)
        return sun, []
    if scene.surreal == "twin moons":
        moons = _twin_moons(unit, region, occupied, rng)
        return moons[0][:2], moons
    if scene.surreal == "floating islands":
        for size in (0.2, 0.16, 0.13, 0.1, 0.1):
            spot = _free_spot(size * unit, 0.8 * size * unit, region, occupied, rng)
            if spot:
                _island(canvas, spot, scene.light or "noon")
    spot = _free_spot(0.13 * unit, 0.13 * unit, region, occupied, rng)
    if spot is None:
        return (rng.choice((0.2, 0.8)) * width, 0.3 * height), []
    sun = ((spot.x0 + spot.x1) / 2, (spot.y0 + spot.y1) / 2)
    _disc_in_sky(canvas, scene, sun, unit)
    return sun, []


def _disc_in_sky(canvas: Canvas, scene: Scene, at: tuple[float, float], unit: float) -> None:
    if scene.surreal not in ("giant moon", "twin moons"):
        disc(canvas, *at, 0.046 * unit, p.LIGHTS[scene.light or "noon"].disc)


def _moon(canvas: Canvas, x: float, y: float, radius: float) -> None:
    disc(canvas, x, y, radius, p.MOON)
    for dx, dy, r in ((-0.35, -0.3, 0.2), (0.25, 0.1, 0.28), (-0.2, 0.45, 0.14), (0.45, -0.4, 0.11)):
        disc(canvas, x + dx * radius, y + dy * radius, r * radius, p.CRATER)


def _twin_moons(unit: float, region: Box, occupied: list[Box], rng: random.Random) -> list[Moon]:
    """Places for two moons side by side, or apart where objects leave no room for a pair."""
    radii = (0.06 * unit, 0.042 * unit)
    pair = _free_spot(0.215 * unit, 0.135 * unit, region, occupied, rng, 300)
    if pair:
        places = [(pair.x0 + radii[0], pair.y0 + radii[0]), (pair.x1 - radii[1], pair.y1 - radii[1])]
    else:
        spots = [_free_spot(2 * r, 2 * r, region, occupied, rng, 400) for r in radii]
        corner = Box(region.x0, region.y0, region.x0, region.y0)
        places = [((s or corner).x0 + r, (s or corner).y0 + r) for s, r in zip(spots, radii, strict=True)]
    return [(x, y, radius) for (x, y), radius in zip(places, radii, strict=True)]


def _island(canvas: Canvas, box: Box, light: str) -> None:
    shade = 0.55 + 0.45 * p.LIGHTS[light].shade
    rock, grass = np.array(p.ROCK) * shade, np.array((104, 150, 96)) * shade
    top = box.y0 + 0.28 * box.height
    outline = ((0, 0), (1, 0), (0.86, 0.3), (0.66, 0.5), (0.55, 1), (0.4, 0.62), (0.2, 0.42))
    polygon(canvas, [(box.x0 + u * box.width, top + w * 0.72 * box.height) for u, w in outline], rock)
    edge = 0.1 * box.height
    capsule(canvas, box.x0 + edge, box.x1 - edge, top, edge, grass)
    for u, r in ((0.3, 0.13), (0.5, 0.18), (0.68, 0.1)):
        disc(canvas, box.x0 + u * box.width, top - 0.06 * box.height, r * box.width, grass * 0.86)


def _clouds(canvas: Canvas, scene: Scene, plan: Layout, occupied: list[Box], rng: random.Random) -> None:
    region = _sky_region(canvas, plan.unit, 0.46)
    for _ in range(rng.randint(2, 4)):
        width = rng.uniform(0.13, 0.24) * plan.unit
        spot = _free_spot(width, 0.4 * width, region, occupied, rng, 8)
        if spot:
            colour = p.LIGHTS[scene.light or "noon"].cloud
            cloud(canvas, (spot.x0 + spot.x1) / 2, spot.y1, width, colour, 0.85)


def _beams(canvas: Canvas, light: str, sun: tuple[float, float], plan: Layout) -> None:
    height, width = canvas.shape[:2]
    reach = 1.5 * max(width, height)
    for k in range(14):
        edges = [2 * np.pi * (k + share) / 14 for share in (0.0, 0.5)]
        points = [(sun[0] + reach * np.cos(a), sun[1] + reach * np.sin(a)) for a in edges]
        _wedge(canvas, [sun, *points], p.LIGHTS[light].disc)


def _wedge(canvas: Canvas, points: list[tuple[float, float]], colour: p.Rgb) -> None:
    """Draw a beam that crosses the picture: the half planes of its two edges, cut to the sky."""
    height, width = canvas.shape[:2]
    (x, y), (x1, y1), (x2, y2) = points
    rows = np.arange(int(0.72 * height), dtype=np.float32)[:, None] - y
    columns = np.arange(width, dtype=np.float32)[None, :] - x
    length = float(np.hypot(x1 - x, y1 - y))
    first = ((x1 - x) * rows - (y1 - y) * columns) / length
    second = ((y2 - y) * columns - (x2 - x) * rows) / length
    blend(canvas, np.clip(np.minimum(first, second) + 0.5, 0, 1) * p.BEAM, colour, 0, 0)


def _confetti(canvas: Canvas, light: str, plan: Layout, occupied: list[Box], rng: random.Random) -> None:
    height, width = canvas.shape[:2]
    for k in range(60):
        size = rng.uniform(0.010, 0.015) * plan.unit
        x, y, turn = rng.uniform(0.04, 0.96) * width, rng.uniform(0.04, 0.46) * height, rng.uniform(0, 3.1)
        corners = [(turn + a, 1.0 if a in (0.5, 3.64) else 0.8) for a in (0.5, 2.64, 3.64, 5.78)]
        points = [(x + size * r * np.cos(a), y + size * r * np.sin(a)) for a, r in corners]
        polygon(canvas, points, p.CONFETTI[k % len(p.CONFETTI)])


def _mist(canvas: Canvas, light: str, plan: Layout, occupied: list[Box], rng: random.Random) -> None:
    height, width = canvas.shape[:2]
    colour = p.LIGHTS[light].mist
    for level in (0.12, 0.2, 0.29, 0.38, 0.44):
        length, radius = rng.uniform(0.3, 0.5) * width, rng.uniform(0.011, 0.016) * plan.unit
        x = rng.choice((rng.uniform(-0.1, 0.12), rng.uniform(0.5, 0.75))) * width
        for dx, dy, share in ((0.0, 0, 1.0), (0.22, 2.0, 0.6)):
            start = x + dx * length
            capsule(canvas, start, start + share * length, level * height + dy * radius, radius, colour)


def _sparkles(canvas: Canvas, light: str, plan: Layout, occupied: list[Box], rng: random.Random) -> None:
    region = _sky_region(canvas, plan.unit)
    for _ in range(22):
        size = rng.uniform(0.035, 0.055) * plan.unit
        spot = _free_spot(size, size, region, occupied, rng, 12)
        if spot:
            x, y = (spot.x0 + spot.x1) / 2, (spot.y0 + spot.y1) / 2
            radii = [size / 2 * (1.0 if k % 2 == 0 else 0.28) for k in range(8)]
            points = [(x + r * np.sin(k * np.pi / 4), y - r * np.cos(k * np.pi / 4)) for k, r in enumerate(radii)]
            polygon(canvas, points, p.SPARKLE)


def _rain(canvas: Canvas, light: str, plan: Layout, occupied: list[Box], rng: random.Random) -> None:
    height, width = canvas.shape[:2]
    strokes = int(70 * width * height / plan.unit**2)
    for _ in range(strokes):
        length, thick = rng.uniform(0.05, 0.08) * plan.unit, 0.0045 * plan.unit
        x, y = rng.uniform(-0.05, 1.0) * width, rng.uniform(-0.05, 0.9) * height
        end = (x - p.RAIN_SLANT * length, y + length)
        polygon(canvas, [(x, y), (x + thick, y), (end[0] + thick, end[1]), end], p.LIGHTS[light].rain, 0.7)


_WEATHER = {"joyful": _confetti, "mysterious": _mist, "dreamy": _sparkles}


def _texture(canvas: Canvas, scene: Scene, plan: Layout) -> None:
    """Draw the dots of a pop art print or the grain of a woodblock, in the sky alone."""
    height, width = canvas.shape[:2]
    reach = int(0.66 * height)
    rows, columns = np.arange(reach, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    ink = np.array(p.texture(scene.light or "noon"), np.float32)
    if scene.style == "popart":
        period = plan.unit / 30
        u, w = (columns + rows) / period, (columns - rows) / period
        distance = np.hypot(u - np.round(u), w - np.round(w)) * period / np.sqrt(2)
        mask = np.clip(period * (0.30 - 0.14 * rows / reach) - distance + 0.5, 0, 1)
        canvas[:reach] += mask[..., None] * ink
    if scene.style == "woodcut":
        period = plan.unit / 56
        wave = 0.25 * period * np.sin(columns / plan.unit * 9.0)
        phase = np.abs(((rows + wave) / period) % 1 - 0.5)
        mask = np.clip((0.20 - phase) * period + 0.5, 0, 1)
        canvas[:reach] += mask[..., None] * ink
    np.clip(canvas, 0, p.BACKDROP_LIMIT + 25, out=canvas)


def _border(canvas: Canvas, scene: Scene, unit: float, rng: random.Random) -> None:
    if scene.style not in ("watercolour", "poster"):
        return
    height, width = canvas.shape[:2]
    rows, columns = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    edge = np.minimum(np.minimum(rows, height - 1 - rows), np.minimum(columns, width - 1 - columns))
    if scene.style == "poster":
        blend(canvas, np.clip(0.032 * unit - edge, 0, 1), p.FRAME, 0, 0)
        return
    seeded = np.random.default_rng(rng.getrandbits(32))
    rough, fine = (_noise(seeded, cells, width, height) for cells in (9, 40))
    canvas += (5 * rough + 3 * fine)[..., None]
    ragged = unit * (0.034 + 0.012 * rough + 0.006 * fine)
    blend(canvas, np.clip((ragged - edge) / 2 + 0.5, 0, 1), p.WASH, 0, 0)


def _noise(seeded: np.random.Generator, cells: int, width: int, height: int) -> Canvas:
    """Smooth noise in about -1..1, (height, width)."""
    coarse = (seeded.random((cells, cells)) * 255).astype(np.uint8)
    image = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    return (np.asarray(image, np.float32) - 127.5) / 127.5
