"""The ground of a picture: six kinds of landscape, each three layers of land or water from far to near."""

from __future__ import annotations

import random

import numpy as np

from . import palette as p
from .brush import Canvas, blend, capsule, disc, polygon
from .layout import Layout


def lay_ground(canvas: Canvas, name: str, light: str, emerald: bool, plan: Layout, rng: random.Random) -> None:
    """Three layers from far to near, each with the outline that its landscape has."""
    width = canvas.shape[1]
    unit, horizon = plan.unit, plan.horizon
    far, middle, near = p.ground(name, light, emerald)
    columns = np.arange(width, dtype=np.float32)
    phase = [rng.uniform(0, 6.3) for _ in range(6)]
    waves = 0.5 * np.sin(columns / unit * 5.2 + phase[0]) + 0.5 * np.sin(columns / unit * 9.7 + phase[1])
    if name == "town":
        _skyline(canvas, far, plan, rng)
        _layer(canvas, np.full(width, horizon), middle, 0.0)
    elif name == "sea":
        _layer(canvas, horizon - unit * (0.012 + 0.022 * waves), far, 0.0)
        _layer(canvas, np.full(width, horizon), middle, -0.16)
        _glints(canvas, middle, plan, rng)
    elif name == "snow":
        peaks = np.abs(((columns / unit * 2.1 + phase[0]) % 1) - 0.5) + 0.5 * np.abs(((columns / unit * 5.3) % 1) - 0.5)
        _layer(canvas, horizon - 0.05 * unit + 0.09 * unit * peaks, far, 0.0)
        _layer(canvas, horizon + 0.03 * unit + 0.02 * unit * waves, middle, 0.04)
    else:
        _layer(canvas, horizon - unit * (0.015 + 0.03 * waves), far, 0.0)
        if name != "desert":
            _trees(canvas, middle, plan, rng, round_tops=name == "autumn")
        roll = np.sin(columns / unit * 3.4 + phase[2])
        _layer(canvas, horizon + unit * (0.05 + 0.03 * roll), middle, 0.06)
    bend = np.sin(columns / unit * 2.6 + phase[3]) + 0.4 * np.sin(columns / unit * 6.1 + phase[4])
    _layer(canvas, horizon + unit * (0.16 + (0.018 if name != "town" else 0.0) * bend), near, 0.12)


def _layer(canvas: Canvas, ridge: object, colour: p.Rgb, fall: float) -> None:
    """Fill everything below a ridge line (one height per column); the colour darkens by `fall` towards the bottom."""
    height = canvas.shape[0]
    line = np.asarray(ridge, np.float32)
    top = max(0, int(line.min()) - 1)
    rows = np.arange(top, height, dtype=np.float32)[:, None]
    mask = np.clip(rows - line[None, :] + 0.5, 0, 1)
    tone = 1 - fall * (rows - top) / max(1, height - top)
    paint = np.clip(np.array(colour, np.float32)[None, None, :] * tone[..., None], 0, 229)
    blend(canvas, mask, np.broadcast_to(paint, (*mask.shape, 3)), 0, top)


def _skyline(canvas: Canvas, colour: p.Rgb, plan: Layout, rng: random.Random) -> None:
    x, width = -0.02 * plan.unit, canvas.shape[1]
    while x < width:
        wide, tall = rng.uniform(0.035, 0.075) * plan.unit, rng.uniform(0.01, 0.07) * plan.unit
        corners = [(x, plan.horizon - tall), (x + wide, plan.horizon - tall), (x + wide, plan.horizon + 3)]
        polygon(canvas, [*corners, (x, plan.horizon + 3)], colour)
        x += wide


def _trees(canvas: Canvas, colour: p.Rgb, plan: Layout, rng: random.Random, round_tops: bool) -> None:
    for _ in range(rng.randint(5, 11)):
        x, tall = rng.uniform(0, canvas.shape[1]), rng.uniform(0.035, 0.06) * plan.unit
        base = plan.horizon + 0.045 * plan.unit
        tone = np.array(colour) * 0.9
        if round_tops:
            disc(canvas, x, base - 0.75 * tall, 0.42 * tall, tone)
            polygon(canvas, [(x - 1, base), (x - 1, base - tall / 2), (x + 1, base - tall / 2), (x + 1, base)], tone)
        else:
            polygon(canvas, [(x - 0.32 * tall, base), (x, base - 1.2 * tall), (x + 0.32 * tall, base)], tone)


def _glints(canvas: Canvas, colour: p.Rgb, plan: Layout, rng: random.Random) -> None:
    tone = np.minimum(np.array(colour) * 1.22 + 8, 224)
    for _ in range(16):
        length = rng.uniform(0.02, 0.09) * plan.unit
        x, y = rng.uniform(0, canvas.shape[1]), plan.horizon + rng.uniform(0.02, 0.15) * plan.unit
        capsule(canvas, x, x + length, y, 0.0022 * plan.unit, tone, 0.7)
