"""What the embedded world promises, measured: scenes are seen as painted, and every injected fault is found."""

from __future__ import annotations

import io
import random
from collections import Counter
from functools import lru_cache

import pytest

from stages.sandbox.painting import FAULTS, applicable_faults, paint
from stages.sandbox.scene import Scene, canonical, random_scene
from tests import world

SCENES = 150
PER_FAULT = 10


def jpeg(scene: Scene, rng: random.Random, fault: str | None = None, size: int = 512) -> bytes:
    buffer = io.BytesIO()
    picture = paint(scene, size, size, rng, frozenset([fault] if fault else []))
    picture.save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


@lru_cache(maxsize=1)
def faultless_rates() -> dict[str, float]:
    """Share of the scenes with a part in which it is seen as painted; an unnamed scene counts against all parts."""
    right: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for number in range(SCENES):
        rng = random.Random(f"world {number}")
        scene = canonical(random_scene(rng))
        data = jpeg(scene, rng)
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


def found_faults(data: bytes, asked: Scene) -> set[str]:
    """Faults that the answers report."""
    found = set()
    try:
        examined = world.answer("examine", {}, [data])
    except world.Unsupported:
        return {"unsupported"}
    if int(str(examined["clarity"])) < 7:
        found.add("blur" if "blurred" in str(examined["reason"]) else "noise")
    if int(str(examined["structure"])) < 6:
        found.add("distortion")
    sight = world.sight_of(data)
    if sight.transcription is not None:
        proof = world.answer("proofread", {}, [data])
        found |= {"low_contrast"} if int(str(proof["contrast"])) < 6 else set()
        found |= {"misspelt_lettering"} if int(str(proof["sense"])) < 6 else set()
    if sight.scene is not None:
        seen = {(g.kind, g.colour): g.count for g in sight.scene.groups}
        wanted = {(g.kind, g.colour): g.count for g in asked.groups}
        found |= {"wrong_count"} if seen != wanted else set()
        places = [(g.kind, g.colour) for g in sight.scene.groups], sight.scene.relation
        if seen == wanted and places != ([(g.kind, g.colour) for g in asked.groups], asked.relation):
            found.add("swapped_relation")
    return found


@lru_cache(maxsize=1)
def fault_counts() -> dict[str, Counter[str]]:
    """hit, miss and false alarm of every fault over PER_FAULT pictures with each fault and as many without."""
    counts: dict[str, Counter[str]] = {}
    for fault in (*FAULTS, None):
        for number in range(PER_FAULT):
            rng = random.Random(f"fault {fault} {number}")
            scene = canonical(random_scene(rng))
            while fault and fault not in applicable_faults(scene):
                scene = canonical(random_scene(rng))
            found = found_faults(jpeg(scene, rng, fault), scene)
            injected = {fault} if fault else set()
            for name in found | injected:
                outcome = "hit" if name in found & injected else "miss" if name in injected else "alarm"
                counts.setdefault(str(name), Counter())[outcome] += 1
    return counts


@pytest.mark.parametrize("name", FAULTS)
def test_injected_faults_are_found_and_nothing_else(name: str) -> None:
    counts = fault_counts()[name]
    assert counts["hit"] / (counts["hit"] + counts["miss"]) >= 0.95
    assert counts["hit"] / (counts["hit"] + counts["alarm"]) >= 0.95
    assert "unsupported" not in fault_counts() or fault_counts()["unsupported"]["alarm"] <= 0.02 * 8 * PER_FAULT


@pytest.mark.parametrize("size", [256, 1024])
def test_other_sizes_are_seen_too(size: int) -> None:
    right = 0
    for number in range(12):
        rng = random.Random(f"size {number}")
        scene = canonical(random_scene(rng))
        seen = world.sight_of(jpeg(scene, rng, size=size)).scene
        right += seen is not None and (seen.groups, seen.relation) == (scene.groups, scene.relation)
    assert right >= 11
