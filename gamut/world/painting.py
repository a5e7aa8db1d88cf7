"""Scenes into pictures: cut-outs of paper on a landscape, and on request one fault whose truth is known."""

from __future__ import annotations

import io
import random
import string
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np
from PIL import Image, ImageFilter

from . import palette as p
from .answering import Unsupported
from .backdrop import backdrop
from .brush import Canvas, Mask, blend, polygon, softened
from .captions import told
from .faults import BLUR, CONTRAST, FAULTS, MISSPELLING, NOISE, SHIFT, draw_strength
from .layout import Layout, plan, rim
from .scene import Group, Scene, canonical, complete
from .shapes import body_of, ink_of, sticker
from .signs import letter_mask, paint_sign
from .vocabulary import COUNTS, LETTERING, LETTERING_ZH, RGB, WORDS

_FAULTLESS: Mapping[str, float] = MappingProxyType({})
_UNEVEN = (0.5, 1.5)
"""By how much slices of one pictogram are shifted, in multiples of their mean."""


def applicable_faults(scene: Scene) -> tuple[str, ...]:
    """Return the faults that a picture of this scene can have, in the order of FAULTS."""
    needs = {
        "wrong_count": bool(scene.groups),
        "distortion": bool(scene.groups),
        "swapped_relation": scene.relation is not None,
        "misspelt_lettering": scene.lettering is not None,
        "low_contrast": scene.lettering is not None,
    }
    return tuple(fault for fault in FAULTS if needs.get(fault, True))


def draw_faults(scene: Scene, rates: Mapping[str, float], rng: random.Random) -> dict[str, float]:
    """Return each applicable fault at its rate, but at most one in a picture: of several, one drawn at random; with its
    strength, as `faults` has it. Rates are 0..1.
    """
    unknown = set(rates) - set(FAULTS)
    if unknown:
        raise ValueError(f"unknown faults {sorted(unknown)}; the world knows {', '.join(FAULTS)}")
    possible = applicable_faults(scene)
    drawn = [fault for fault in FAULTS if rng.random() < rates.get(fault, 0.0) and fault in possible]
    if not drawn:
        return {}
    fault, strength = rng.choice(drawn), draw_strength(rng)
    if fault == "misspelt_lettering" and scene.lettering:  # words have few slips: the nearest is as strong as it is
        slip = misspell(scene.lettering, MISSPELLING * strength)
        strength = misspellings(scene.lettering)[slip] / MISSPELLING
    return {fault: strength}


def shown(scene: Scene, faults: Collection[str], rng: random.Random) -> Scene:
    """Return what a picture with these faults shows: the canonical scene, with the wrong count and the swapped
    relation.

    Lettering stays the scene's: whether it is misspelt or faint, `faults` say. A complete scene and the same state of
    `rng` give what `paint` paints.
    """
    scene = canonical(scene)
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
    """Paint a complete scene, RGB, `width` × `height` pixels (128..2048; surely seen again from 256 up).

    `faults` maps names of faults to strengths, in multiples of their limits of visibility (see `faults`). The same
    arguments give the same pixels.

    Raises ValueError for a fault that the scene cannot have, or a scene left open.
    """
    if not all(128 <= side <= 2048 for side in (width, height)):
        raise ValueError(f"the world paints 128 to 2048 pixels a side, not {width} × {height}")
    wrong = set(faults) - set(applicable_faults(scene))
    if wrong:
        raise ValueError(f"this scene cannot have the faults {sorted(wrong)}")
    if None in (scene.light, scene.style, scene.mood) or any(group.colour is None for group in scene.groups):
        raise ValueError("the scene is not complete: call complete(scene, rng) before paint")
    scene = shown(scene, faults, rng)
    layout = plan(scene, width, height, rng)
    canvas = backdrop(scene, layout, width, height, rng)
    if layout.shelf:
        _shelf(canvas, layout)
    _objects(canvas, scene, layout, rng, SHIFT * faults.get("distortion", 0.0))
    if scene.lettering and layout.sign:
        contrast = CONTRAST / faults["low_contrast"] if "low_contrast" in faults else None
        paint_sign(canvas, lettering(scene, faults), scene.sign or "board", layout, rng, contrast)
    return _finish(canvas, rng, faults)


def lettering(scene: Scene, faults: Mapping[str, float]) -> str:
    """Return what a sign carries letter by letter, misspelt or not; "" without one."""
    if scene.lettering is None or "misspelt_lettering" not in faults:
        return scene.lettering or ""
    return misspell(scene.lettering, MISSPELLING * faults["misspelt_lettering"])


def jpeg(image: Image.Image) -> bytes:
    """Return a picture as the world hands it over: JPEG at quality 95, colours at full resolution."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=95, subsampling=0, optimize=False, progressive=False)
    return buffer.getvalue()


def _objects(canvas: Canvas, scene: Scene, layout: Layout, rng: random.Random, shift: float) -> None:
    """Draw all pictograms, those that stand farther back first; broken where there is a shift."""
    ring = rim(layout.unit)
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
    soft = softened(np.pad(body, 2 * ring), ring)
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
    """Return a pictogram cut into slices that are shifted to and fro, by a share of its size on average, and its
    paper.
    """
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


_LATIN = string.ascii_uppercase + "0568"
_CHINESE = "".join(dict.fromkeys("".join(LETTERING_ZH)))
_LEAST = 0.02
"""Share of a letter's ink; what differs by less looks the same."""


def misspell(text: str, size: float) -> str:
    """Return the text with its longest word misspelt into none of the vocabulary.

    Of all slips the one whose size (see `misspellings`) is nearest is taken, of several the first by the alphabet.
    """
    found = misspellings(text)
    return min(found, key=lambda slip: (abs(found[slip] - size), slip))


@lru_cache(maxsize=256)
def misspellings(text: str) -> Mapping[str, float]:
    """Return the text with each slip that its longest word can have, and the size of the slip: the share of one
    letter's ink by which it differs from the right one.

    A letter in the place of another has up to 1, an exchange of two that of both, a letter too few or too many 1.
    """
    words = text.split()
    where = max(range(len(words)), key=lambda k: len(words[k]))
    found = {}
    for slip, size in _slips(words[where]).items():
        result = " ".join([*words[:where], slip, *words[where + 1 :]])
        if size >= _LEAST and slip not in WORDS and result not in LETTERING + LETTERING_ZH:
            found[result] = size
    return found


def _slips(word: str) -> dict[str, float]:
    letters = _LATIN if word.isascii() else _CHINESE
    found = {}
    for k, right in enumerate(word):
        for wrong in letters:
            found[word[:k] + wrong + word[k + 1 :]] = unlikeness(right, wrong)
        found[word[:k] + right + word[k:]] = 1.0
        if len(word) > 1:
            found[word[:k] + word[k + 1 :]] = 1.0
    for k in range(1, len(word)):
        found[word[: k - 1] + word[k] + word[k - 1] + word[k + 1 :]] = 2 * unlikeness(word[k - 1], word[k])
    return found


@cache
def unlikeness(one: str, other: str) -> float:
    """Return which share of the ink of two letters, laid upon each other by their middles, is not common to both."""
    first, second = letter_mask(one), letter_mask(other)
    return float(np.abs(first - second).sum() / max(float(np.maximum(first, second).sum()), 1.0))


def paint_prompt(prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float]) -> bytes:
    """Paint a prompt: JPEG bytes, the same for the same arguments. `faults` maps names of faults to rates 0..1.

    Raises Unsupported where the prompt cannot be read whole, and for sides that are not 128 to 2048 pixels.
    """
    scene, drawn, rng = commission(prompt, seed, faults)
    try:
        return jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error


def commission(prompt: str, seed: int, faults: Mapping[str, float]) -> tuple[Scene, dict[str, float], random.Random]:
    """Return what paint_prompt hands to the painter: the complete scene, the faults drawn, the random state to paint
    with.
    """
    rng = random.Random(f"{seed} {prompt}")
    scene = complete(told(prompt), rng)
    return scene, draw_faults(scene, faults, rng), rng
