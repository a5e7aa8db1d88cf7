"""A legacy source: rows as a crawl of the web has them, captions of uneven quality and most with an image.

It stands in for Laion-Aesthetics and Laion-2B (FLUX-Reason-6M, section 2.2); its truth is known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .colloquial import reword, say_in_part
from .faults import draw_faults, visible_faults
from .painting import jpeg, paint, painted_scene
from .scene import Scene, random_scene

IMAGE_SIDE = 384  # pixels
UNREADABLE = {"blur", "noise", "low_contrast"}
"""Faults that keep lettering from being read."""


@dataclass(frozen=True)
class LegacyTruth:
    """What is true of a row: `scene` is what its image shows (or would show), wrong counts and places included.

    `mismatched`: the caption is of another scene. `duplicate_of`: ordinal of the earlier row whose scene and caption
    it repeats in other words. `legible`: it has an image with lettering and none of blur, noise, low_contrast beyond
    the limit of visibility. `faults` has its faults with their strengths.
    """

    scene: Scene
    faults: Mapping[str, float]
    mismatched: bool
    duplicate_of: int | None
    legible: bool


@dataclass(frozen=True)
class LegacyRow:
    """A caption, its image (JPEG, None without one or unpainted), and what is true of them."""

    caption: str
    image: bytes | None
    truth: LegacyTruth


def legacy_rows(
    count: int,
    seed: int,
    without_image: float,
    mismatched: float,
    duplicates: float,
    faults: Mapping[str, float],
    paint: bool,
) -> Iterator[LegacyRow]:
    """Yield the first `count` rows of the source with this seed; a larger count only appends.

    `without_image`, `mismatched`, `duplicates` are shares of the rows, `faults` rates at which images have faults, all
    0..1. Without `paint` the rows are the same but for their images, which are None.
    """
    for ordinal in range(count):
        first = _first_telling(ordinal, seed, duplicates)
        scene, caption, is_mismatched = _scene_and_caption(random.Random(f"{seed} told {first}"), mismatched)
        rng = random.Random(f"{seed} row {ordinal}")
        if first != ordinal:
            caption = reword(caption, rng)
        drawn = draw_faults(scene, faults, rng)
        has_image = rng.random() >= without_image
        state = rng.getstate()
        truth = LegacyTruth(
            scene=painted_scene(scene, drawn, rng),
            faults=drawn,
            mismatched=is_mismatched,
            duplicate_of=None if first == ordinal else first,
            legible=has_image and scene.lettering is not None and not visible_faults(drawn) & UNREADABLE,
        )
        rng.setstate(state)
        yield LegacyRow(caption, _image(scene, drawn, rng) if paint and has_image else None, truth)


def _first_telling(ordinal: int, seed: int, duplicates: float) -> int:
    """Return the row itself, or the earlier one that it repeats: never one that is itself a duplicate."""
    while ordinal:
        rng = random.Random(f"{seed} duplicate {ordinal}")
        if rng.random() >= duplicates:
            break
        ordinal = rng.randrange(ordinal)
    return ordinal


def _scene_and_caption(rng: random.Random, mismatched: float) -> tuple[Scene, str, bool]:
    """Return a scene, a caption, and whether that is the caption of another scene."""
    scene = random_scene(rng)
    told = scene
    if is_mismatched := rng.random() < mismatched:
        while {group.kind for group in told.groups} & {group.kind for group in scene.groups}:
            told = random_scene(rng)
    return scene, say_in_part(told, rng), is_mismatched


def _image(scene: Scene, faults: Mapping[str, float], rng: random.Random) -> bytes:
    return jpeg(paint(scene, IMAGE_SIDE, IMAGE_SIDE, rng, faults))
