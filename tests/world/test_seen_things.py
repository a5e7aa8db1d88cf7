"""What the world finds in pictures without being asked in words: boxes of things, and vectors of scenes."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import numpy as np
from PIL import Image

from gamut.world.layout import plan_layout, rim_width
from gamut.world.looking import sight_of
from gamut.world.observers import detect, embed
from gamut.world.painting import painted_scene
from gamut.world.scene import canonical_scene, random_scene
from gamut.world.vocabulary import KINDS, STYLES
from gamut.world.writing import write
from tests import embedded_world as world
from tests import fakes

PAIR = 'Two red cars to the left of a blue house, with the word "OPEN" on a hanging banner.'


def test_boxes_hold_the_things_that_were_laid_out() -> None:
    for number in range(8):
        prompt = write(random_scene(random.Random(f"boxes {number}")))
        scene, drawn, rng = world.commission(prompt, 0, {})
        layout = plan_layout(painted := painted_scene(scene, drawn, rng), 256, 256, rng)
        for group, spots in zip(painted.groups, layout.objects, strict=True):
            kind = KINDS[group.kind]
            found = detect(world.picture(prompt), [f"{group.colour} {kind.plural}"])
            assert len(found) == group.count == len(spots)
            edge = rim_width(256) + 2
            for x, bottom, size in spots:  # centre, lower edge and side of a square, which the thing fills in part
                place = (x - size / 2 - edge, bottom - size - edge, x + size / 2 + edge, bottom + edge)
                inside = [one for one in found if within(one.box, place)]
                assert len(inside) == 1 and inside[0].score > 0.7
                left, top, right, low = inside[0].box
                assert abs((left + right) / 2 - x) <= 3 and max(right - left, low - top) > 0.6 * size


def within(box: tuple[float, ...], place: tuple[float, ...]) -> bool:
    return box[0] >= place[0] and box[1] >= place[1] and box[2] <= place[2] and box[3] <= place[3]


def test_labels_name_kinds_colours_and_signs_in_one_or_in_many() -> None:
    def count(*labels: str) -> list[int]:
        found = detect(world.picture(PAIR), labels)
        return [sum(one.label == label for one in found) for label in labels]

    assert count("car", "cars", "a red car", "Red Cars", "automobile", "汽车", "红色的汽车") == [2] * 7
    assert count("house", "blue house", "sign", "banner", "hanging banner") == [1] * 5
    assert count("blue car", "dragon", "wooden sign", "", "car house") == [0] * 5
    assert detect(world.picture(PAIR), []) == []


def test_a_scene_painted_twice_is_nearer_than_another() -> None:
    scenes = [canonical_scene(random_scene(random.Random(f"embedding {number}"))) for number in range(8)]
    one, two = (np.stack([embed(world.picture(write(scene), seed)) for scene in scenes]) for seed in (1, 2))
    assert one.dtype == np.float32 and np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-6)
    cosines = one @ two.T
    assert (cosines.argmax(axis=1) == range(8)).all() and np.diag(cosines).min() > 0.95
    assert (np.diag(cosines) > 0.999).sum() >= 7  # one mood is not recognised
    assert cosines[~np.eye(8, dtype=bool)].max() < 0.9


def test_the_more_differs_the_farther_away() -> None:
    scene = canonical_scene(random_scene(random.Random("embedding 1")))
    style = next(name for name in STYLES if name != scene.style)
    other = next(kind for kind in KINDS if kind not in {group.kind for group in scene.groups})
    steps = [scene, replace(scene, style=style)]
    steps.append(replace(steps[-1], groups=(replace(scene.groups[0], kind=other), *scene.groups[1:])))
    first, *rest = (embed(world.picture(write(step))) for step in steps)
    cosines = [float(first @ vector) for vector in rest]
    assert 0.999 > cosines[0] > cosines[1]


def test_a_picture_whose_tiles_are_mixed_up_is_embedded_by_its_things() -> None:
    whole = world.picture("a red car left of a blue owl")
    pixels = np.asarray(Image.open(io.BytesIO(whole)))
    mixed_up = fakes.encoded(Image.fromarray(np.vstack([pixels[128:], pixels[:128]])), "PNG")
    assert sight_of(mixed_up).impression is None  # the ground is above, the sky below
    assert 0.9 < float(embed(whole) @ embed(mixed_up)) < 0.999
