"""What the embedded world promises, measured: scenes are seen as painted, and strong faults are surely found."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache, lru_cache

import pytest

from gamut.world.faults import applicable_faults
from gamut.world.painting import jpeg, paint
from gamut.world.scene import Scene, canonical_scene, random_scene
from tests import embedded_world as world

SCENES = 150


def picture_of(scene: Scene, rng: random.Random, fault: str | None = None, size: int = 384) -> bytes:
    return jpeg(paint(scene, size, size, rng, {fault: world.GROSS} if fault else {}))


@lru_cache(maxsize=1)
def faultless_rates() -> dict[str, float]:
    """Share of the scenes with a part in which it is seen as painted; an unnamed scene counts against all parts."""
    right: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for number in range(SCENES):
        rng = random.Random(f"world {number}")
        scene = canonical_scene(random_scene(rng))
        data = picture_of(scene, rng)
        seen = world.sight_of(data).scene
        for part in ("relation", "lettering", "sign", "style", "light", "mood", "surreal"):
            there[part] += getattr(scene, part) is not None
            right[part] += seen is not None and getattr(seen, part) == getattr(scene, part) is not None
        for part in ("kind", "colour", "count"):
            painted = [getattr(g, part) for g in scene.groups]
            there[part] += bool(painted)
            right[part] += seen is not None and bool(painted) and [getattr(g, part) for g in seen.groups] == painted
    return {part: right[part] / there[part] for part in there}


PARTS = ("kind", "colour", "count", "relation", "lettering", "sign", "style", "light", "mood", "surreal")


@pytest.mark.parametrize("part", PARTS)
def test_faultless_scenes_are_seen_as_painted(part: str) -> None:
    assert faultless_rates()[part] >= 0.97


JUDGED = {  # what the judge scores, and from which score on it is thought well of
    "blur": ("examine", "clarity", 7),
    "noise": ("examine", "clarity", 7),
    "distortion": ("examine", "structure", 6),
    "low_contrast": ("proofread", "contrast", 6),
    "misspelt_lettering": ("proofread", "sense", 6),
}
STRENGTHS = (0.5, 1.0, 1.4, world.GROSS)
SAME = 4


@cache
def scores(fault: str) -> list[list[int]]:
    """What the judge says of the same scenes with a fault of each strength."""
    question, name, _ = JUDGED[fault]
    scenes: list[tuple[Scene, int]] = []
    for seed in itertools.count():
        scene = random_scene(random.Random(f"strength {fault} {seed}"))
        if fault in applicable_faults(scene):
            scenes.append((scene, seed))
        if len(scenes) == SAME:
            break
    pictures = [
        [jpeg(paint(scene, 384, 384, random.Random(seed), {fault: strength})) for scene, seed in scenes]
        for strength in STRENGTHS
    ]
    return [[world.answer(question, {}, [picture])[name] for picture in row] for row in pictures]


@pytest.mark.parametrize("fault", JUDGED)
def test_the_stronger_a_fault_the_worse_is_thought_of_it(fault: str) -> None:
    least = JUDGED[fault][2]
    means = [sum(row) / len(row) for row in scores(fault)]
    assert all(weaker >= stronger - 0.5 for weaker, stronger in itertools.pairwise(means)), means
    found = [sum(score < least for score in row) / len(row) for row in scores(fault)]
    assert found[0] <= 1 / SAME and found[-1] == 1, found  # far below the limit, far beyond it


@pytest.mark.parametrize("size", [256, 1024])
def test_other_sizes_are_seen_too(size: int) -> None:
    right = 0
    for number in range(12):
        rng = random.Random(f"size {number}")
        scene = canonical_scene(random_scene(rng))
        seen = world.sight_of(picture_of(scene, rng, size=size)).scene
        right += seen is not None and (seen.groups, seen.relation) == (scene.groups, scene.relation)
    assert right >= 11
