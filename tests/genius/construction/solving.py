"""The pool of scenes, and what the embedded world understands by words of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from stages.genius.construction.scenes import Pool, Scene, Things, read_pool
from stages.sandbox import vocabulary as v
from stages.sandbox.reading import read
from stages.sandbox.scene import Scene as Shown
from tests.paths import ROOT


@cache
def pool() -> Pool:
    return read_pool(Path(ROOT, "stages/genius/construction/pools/scenes.yaml"))


def seen(words: str) -> Shown:
    """Return what words show."""
    scene = read(words)
    assert scene is not None, words
    return scene


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
