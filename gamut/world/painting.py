"""Scenes into pictures: cut-outs of paper on a landscape, and on request one fault whose truth is known."""

from __future__ import annotations

import io
import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from PIL import Image, ImageFilter

from . import palette as p
from .answering import Unsupported
from .backdrop import backdrop
from .brush import Canvas, Mask, blend, polygon, soften
from .captions import require_scene
from .faults import BLUR, CONTRAST, NOISE, SHIFT, applicable_faults, draw_faults, painted_lettering
from .layout import Layout, plan_layout, rim_width
from .scene import Group, Scene, canonical_scene, complete_scene
from .shapes import body_of, ink_of, sticker
from .signs import paint_sign
from .vocabulary import COUNTS, RGB

_FAULTLESS: Mapping[str, float] = MappingProxyType({})
_UNEVEN = (0.5, 1.5)
"""By how much slices of one pictogram are shifted, in multiples of their mean."""


def painted_scene(scene: Scene, faults: Collection[str], rng: random.Random) -> Scene:
    """What a picture with these faults shows: the canonical scene, its count wrong, its relation swapped.

    Lettering stays the scene's. A complete scene and the same state of `rng` give what `paint` paints.
    """
    scene = canonical_scene(scene)
    groups = list(scene.groups)
    if "wrong_count" in faults:
        chosen = rng.randrange(len(groups))
        group = groups[chosen]
        groups[chosen] = replace(group, count=rng.choice([n for n in COUNTS if n != group.count]))
    if "swapped_relation" in faults:
        groups.reverse()
    return replace(scene, groups=tuple(groups))


def paint(
    scene: Scene, width: int, height: int, rng: random.Random, faults: Mapping[str, float] = _FAULTLESS
) -> Image.Image:
    """Paint a complete scene, RGB, 128..2048 pixels a side (surely seen again from 256 up).

    `faults`: strengths by name, in multiples of their limits of visibility. ValueError: a fault that the scene cannot
    have, or a scene left open.
    """
    if not all(128 <= side <= 2048 for side in (width, height)):
        raise ValueError(f"the world paints 128 to 2048 pixels a side, not {width} × {height}")
    wrong = set(faults) - set(applicable_faults(scene))
    if wrong:
        raise ValueError(f"this scene cannot have the faults {sorted(wrong)}")
    if None in (scene.light, scene.style, scene.mood) or any(group.colour is None for group in scene.groups):
        raise ValueError("the scene is not complete: call complete_scene(scene, rng) before paint")
    scene = painted_scene(scene, faults, rng)
    layout = plan_layout(scene, width, height, rng)
    canvas = backdrop(scene, layout, width, height, rng)
    if layout.shelf:
        _shelf(canvas, layout)
    _objects(canvas, scene, layout, rng, SHIFT * faults.get("distortion", 0.0))
    if scene.lettering and layout.sign:
        contrast = CONTRAST / faults["low_contrast"] if "low_contrast" in faults else None
        paint_sign(canvas, painted_lettering(scene, faults), scene.sign or "board", layout, rng, contrast)
    return _finish(canvas, rng, faults)


def jpeg(image: Image.Image) -> bytes:
    """Return a picture as the world hands it over: JPEG at quality 95, colours at full resolution."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=95, subsampling=0, optimize=False, progressive=False)
    return buffer.getvalue()


def _objects(canvas: Canvas, scene: Scene, layout: Layout, rng: random.Random, shift: float) -> None:
    """Draw all pictograms, those that stand farther back first; broken where there is a shift."""
    ring = rim_width(layout.unit)
    tint = np.array(p.LIGHTS[scene.light or "noon"].tint, np.float32)
    groups = zip(scene.groups, layout.objects, strict=True)
    pieces = [(y, x, size, group) for group, spots in groups for x, y, size in spots]
    for bottom, x, size, group in sorted(pieces, key=lambda piece: piece[0]):
        whole = _broken(group, round(size), ring, shift, rng) if shift else sticker(group.kind, round(size), ring)
        _cut_out(canvas, *whole, x, bottom, ring, np.array(RGB[group.colour or "black"], np.float32) * tint)


def _cut_out(canvas: Canvas, ink: Mask, body: Mask, x: float, bottom: float, ring: int, colour: Canvas) -> None:
    """Draw one pictogram: its shadow on the ground, the paper's own shadow, the paper, the ink."""
    height, width = ink.shape
    left, top = round(x - width / 2), round(bottom - height + ring + 2)
    _ground_shadow(canvas, x, bottom + ring, 0.46 * width, 0.07 * width)
    soft = soften(np.pad(body, 2 * ring), ring)
    blend(canvas, soft * 0.30, (18, 22, 44), left - 2 * ring + ring // 2, top - 2 * ring + ring)
    blend(canvas, body, p.PAPER, left, top)
    tone = np.linspace(1.07, 0.93, height, dtype=np.float32)[:, None, None]
    paint = np.clip(np.broadcast_to(colour[None, None, :], (height, width, 3)) * tone, 0, 255)
    blend(canvas, ink, paint, left, top)


def _ground_shadow(canvas: Canvas, x: float, y: float, rx: float, ry: float) -> None:
    left, top = int(x - rx) - 1, int(y - ry) - 1
    columns = (np.arange(left, int(x + rx) + 2, dtype=np.float32)[None, :] - x) / rx
    rows = (np.arange(top, int(y + ry) + 2, dtype=np.float32)[:, None] - y) / ry
    blend(canvas, np.clip(1 - columns**2 - rows**2, 0, 1) ** 0.7 * 0.42, (18, 24, 40), left, top)


def _broken(group: Group, size: int, ring: int, shift: float, rng: random.Random) -> tuple[Mask, Mask]:
    """A pictogram cut into slices that are shifted to and fro, by a share of its size on average, and its paper."""
    margin = ring + 2 + round((_UNEVEN[1] * shift + 0.02) * size)
    ink = ink_of(group.kind, size, margin).copy()
    height = ink.shape[0]
    slices = rng.choice((3, 4))
    direction = rng.choice((-1, 1))
    inner = height - 2 * margin
    for k in range(slices):
        rows = slice(margin + inner * k // slices, margin + inner * (k + 1) // slices)
        step = round(direction * (1 if k % 2 else -1) * rng.uniform(*_UNEVEN) * shift * size)
        ink[rows] = np.roll(ink[rows], step, axis=1)
    spare = margin - ring - 2  # slices move sideways only: above and below, no more room than a whole one has
    ink = ink[spare : height - spare]
    return ink, body_of(ink, ring)


def _shelf(canvas: Canvas, layout: Layout) -> None:
    """Draw a plank on two cords that carries the upper group."""
    box, unit = layout.shelf, layout.unit
    assert box is not None
    thick = 0.0035 * unit
    for x in layout.cords:
        polygon(canvas, [(x - thick, 0), (x + thick, 0), (x + thick, box.y0), (x - thick, box.y0)], (94, 72, 58))
    polygon(canvas, [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)], (138, 98, 66))
    ledge = box.y0 + 0.65 * box.height
    polygon(canvas, [(box.x0, ledge), (box.x1, ledge), (box.x1, box.y1), (box.x0, box.y1)], (104, 72, 50))


def _finish(canvas: Canvas, rng: random.Random, faults: Mapping[str, float]) -> Image.Image:
    image = Image.fromarray(np.clip(np.rint(canvas), 0, 255).astype(np.uint8))
    if "blur" in faults:
        image = image.filter(ImageFilter.GaussianBlur(BLUR * faults["blur"]))
    if "noise" in faults:
        seeded = np.random.default_rng(rng.getrandbits(32))
        grain = seeded.normal(0, NOISE * faults["noise"], canvas.shape)
        image = Image.fromarray(np.clip(np.rint(np.asarray(image) + grain), 0, 255).astype(np.uint8))
    return image


def paint_prompt(prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float]) -> bytes:
    """JPEG bytes, the same for the same arguments. `faults`: rates 0..1 by name. Unsupported: also sides that `paint`
    has not.
    """
    scene, drawn, rng = commission(prompt, seed, faults)
    try:
        return jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error


def commission(prompt: str, seed: int, faults: Mapping[str, float]) -> tuple[Scene, dict[str, float], random.Random]:
    """What paint_prompt hands to the painter: the complete scene, the faults drawn, the random state to paint with."""
    rng = random.Random(f"{seed} {prompt}")
    scene = complete_scene(require_scene(prompt), rng)
    return scene, draw_faults(scene, faults, rng), rng
