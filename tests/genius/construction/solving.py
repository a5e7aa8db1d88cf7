"""How the embedded world solves constructed cases: pictures are what they are to show, so that nothing is painted."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from stages.asking.requests import Picture
from stages.evaluation.running.placing import Form, placed
from stages.genius.construction.cases import Case
from stages.genius.construction.scenes import Pool, Scene, Things, accepts, in_words, read_pool
from stages.sandbox import vocabulary as v
from stages.sandbox.contexts import wanted_by_rule
from stages.sandbox.reading import read
from stages.sandbox.scene import Scene as Shown
from tests.paths import ROOT


@cache
def pool() -> Pool:
    return read_pool(Path(ROOT, "stages/genius/construction/pools/scenes.yaml"))


def parts_of(case: Case, form: Form) -> list[str | bytes]:
    """Return a case as a contestant is given it; a picture's bytes are what it shows, in words."""
    pictures = {name: Picture(in_words(scene, pool()).encode(), "image/png") for name, scene in case.pictures}
    given = placed(f"{case.context}\n{case.prompt}", pictures, form)
    return [part.data if isinstance(part, Picture) else part for part in given]


def seen(picture: bytes) -> Shown:
    """Return what a picture shows; what its words leave open is plain."""
    scene = read(picture.decode())
    assert scene is not None, picture
    return scene


def solved(case: Case, reads: str, seed: int, form: Form = "in_place") -> bool:
    """Return whether the world does what is wanted."""
    found = wanted_by_rule(parts_of(case, form), reads, 0, random.Random(f"{reads} {seed}"), seen)
    assert found is not None, (case.context, case.prompt)
    return accepts(case.wanted, described(found))


def described(scene: Shown) -> Scene:
    """Return a scene of the world in the words of the pool."""
    return Scene(
        tuple(Things(group.kind, group.colour, group.count) for group in scene.groups),
        scene.relation,
        v.STYLES[scene.style].en if scene.style else None,
        v.LIGHTS[scene.light].en if scene.light else None,
        v.MOODS[scene.mood].en if scene.mood else None,
        v.SURREALS[scene.surreal].en if scene.surreal else None,
    )
